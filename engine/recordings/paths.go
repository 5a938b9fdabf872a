package recordings

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/tracedb"
	"github.com/hocket-dev/hocket/internal/words"
)

// pathRecorder records the paths of a call's targets, into the module's database.
type pathRecorder struct {
	*recorder
	env     *target.Env
	builder *instrument.Builder
	built   map[string]*builtPaths // by package
}

// builtPaths is what the build of a package's program gave.
type builtPaths struct {
	rec *paths.Recorder
	err error
}

func newPathRecorder(_ context.Context, r *recorder, env *target.Env) (*pathRecorder, error) {
	cache, err := build.CacheDir()
	if err != nil {
		return nil, err
	}
	return &pathRecorder{r, env, instrument.NewBuilder(cache), map[string]*builtPaths{}}, nil
}

func (p *pathRecorder) close() {
	for _, b := range p.built {
		if b.rec != nil {
			b.rec.Close()
		}
	}
}

// program builds a package once for all of its tests.
func (p *pathRecorder) program(ctx context.Context, t target.Target) (*paths.Recorder, error) {
	it := build.Target(p.env, t, p.opt.Flags)
	key := fmt.Sprint(t.Package, " ", t.Main)
	b := p.built[key]
	if b == nil {
		b = &builtPaths{}
		b.rec, b.err = paths.Build(ctx, p.builder, it, p.env.Roots().Name)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.built[key] = b
		if b.err == nil && len(b.rec.Left) > 0 {
			p.say(words.OneLine(fmt.Sprintf("%s: %s not recorded: %s", t.Package, words.Count(len(b.rec.Left), "file"), b.rec.Left[0])))
		}
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.rec.For(it), nil
}

// target records the runs of one target.
func (p *pathRecorder) target(ctx context.Context, _ *build.Driver, t target.Target) {
	out := &report.RecordedTarget{Package: t.Package, Entry: t.Entry}
	p.report.Targets = append(p.report.Targets, out)
	if ctx.Err() != nil {
		return
	}
	p.begin(t)
	rec, err := p.program(ctx, t)
	if err == nil {
		err = p.runs(ctx, rec, out)
	}
	if err != nil && ctx.Err() == nil {
		out.Error = words.OneLine(err.Error())
	}
}

func (p *pathRecorder) runs(ctx context.Context, rec *paths.Recorder, out *report.RecordedTarget) error {
	limit := p.opt.Timeout
	if limit == 0 {
		limit = play.DefaultTimeout
	}
	p.update.Phase = progress.Recording
	held := &batch{p: p, since: time.Now()}
	seen := map[string]bool{}
	var failed error
	for range p.opt.Runs {
		p.say("")
		r, err := rec.Run(ctx, paths.Options{Timeout: limit, Machine: p.opt.Machine})
		if err != nil {
			failed = err
			break
		}
		if r.Outcome != tracedb.Passed {
			r.Failure = play.FailureOf(r.Output, r.Exit, outcomes[r.Outcome], play.OnlyLogs(rec.Binary.Target.Dir))
		}
		p.update.Schedules++
		one := reportedPaths(r)
		seen[one.Order] = true
		out.Orders = len(seen)
		out.Add(one)
		held.add(r, one)
		if r.Outcome != tracedb.Passed {
			p.update.Findings++
			if p.opt.UntilFailure {
				break
			}
		}
		if held.outcomes >= mostHeld || time.Since(held.since) >= heldFor {
			if err := held.keep(ctx); err != nil {
				return err
			}
		}
	}
	return errors.Join(held.keep(ctx), failed)
}

// outcomes are those of package paths in the words of a recorded order.
var outcomes = map[string]record.Outcome{paths.Failed: record.Failed, paths.Killed: record.Killed, paths.TimedOut: record.Timeout}

func reportedPaths(r *paths.Recorded) *report.RecordedRun {
	out := &report.RecordedRun{
		ID: r.ID().String(), Package: r.Program.Package, Entry: r.Program.Entry, Outcome: r.Outcome, Failure: r.Failure, Order: digest(r.Run),
		Goroutines: len(r.Threads), Operations: uint64(r.Log.Records), Records: r.Log.Records, LogBytes: r.Log.Bytes, TookMS: r.Took.Milliseconds(),
	}
	switch {
	case r.Log.Full:
		out.Torn = "the log was full"
	case r.Torn:
		out.Torn = "the program was killed"
	}
	return out
}

// digest is equal for runs whose goroutines went the same ways.
func digest(r *tracedb.Run) string {
	h := sha256.New()
	var b []byte
	for _, t := range r.Threads {
		b = fmt.Appendf(b[:0], "%s %d ", t.Name, len(t.Tokens))
		for _, x := range t.Tokens {
			b = binary.AppendUvarint(b, x)
		}
		h.Write(b)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
