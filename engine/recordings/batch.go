package recordings

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/engine/traces"
)

// Runs are given to the database before they have this many outcomes of branches in all,
// which fill the memory, or after this time: what is killed loses no more.
const (
	mostHeld = 1 << 21
	heldFor  = 2 * time.Second
)

// batch is recorded runs that the database does not have yet.
type batch struct {
	p        *pathRecorder
	runs     []*tracedb.Run
	shown    []*report.RecordedRun // that can be shown once the database has them
	outcomes int
	since    time.Time
}

func (b *batch) add(r *paths.Recorded, one *report.RecordedRun) {
	b.runs = append(b.runs, r.Run)
	for _, t := range r.Threads {
		b.outcomes += len(t.Tokens)
	}
	if r.Outcome != tracedb.Passed {
		b.shown = append(b.shown, one)
	}
}

// keep gives the runs to the database, also those that were recorded before a cancel.
func (b *batch) keep(ctx context.Context) error {
	if len(b.runs) == 0 {
		return nil
	}
	if err := traces.Of(b.p.env.Dir).Add(context.WithoutCancel(ctx), b.runs); err != nil {
		return err
	}
	b.p.report.Runs = append(b.p.report.Runs, b.shown...)
	*b = batch{p: b.p, since: time.Now()}
	return nil
}
