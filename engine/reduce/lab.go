package reduce

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// lab runs experiments within a budget and remembers them. Not safe for
// concurrent use; it runs several processes at a time itself.
type lab struct {
	ctx      context.Context
	runner   run.Runner
	base     run.Spec
	workers  int
	passes   func(*run.Result) bool
	left     int // replays
	deadline time.Time
	seen     map[string]*run.Result
	replays  int
	out      bool // budget spent or ctx cancelled: no more runs
	err      error
}

func newLab(ctx context.Context, runner run.Runner, opt Options) *lab {
	l := &lab{ctx: ctx, runner: runner, base: opt.Base, workers: run.Workers(opt.Workers), passes: opt.Passes, left: opt.Replays, seen: map[string]*run.Result{}}
	l.base.Strategy, l.base.Record = run.Replay, run.Light
	if l.passes == nil {
		l.passes = passedOutright
	}
	if l.left == 0 {
		l.left = 1000
	}
	if opt.Budget > 0 {
		l.deadline = time.Now().Add(opt.Budget)
	}
	return l
}

func passedOutright(r *run.Result) bool { return r.Outcome.Kind == trace.Passed && !r.Hang }

// run replays one schedule; nil when no more runs are allowed.
func (l *lab) run(s trace.Schedule) *run.Result {
	r := l.batch([]trace.Schedule{s})
	if r == nil {
		return nil
	}
	return r[0]
}

// first tries candidates in order, several at a time, and returns the first
// that is accepted. Which one does not depend on the number of workers.
func (l *lab) first(candidates iter.Seq[trace.Schedule], accept func(*run.Result) bool) (asked trace.Schedule, found *run.Result) {
	var pending []trace.Schedule
	try := func() bool {
		results := l.batch(pending)
		for i, r := range results {
			if accept(r) {
				asked, found = pending[i], r
				break
			}
		}
		pending = pending[:0]
		return found == nil && results != nil
	}
	for c := range candidates {
		if pending = append(pending, c); len(pending) == l.workers && !try() {
			return asked, found
		}
	}
	if len(pending) > 0 {
		try()
	}
	return asked, found
}

// batch runs the schedules that were not run before; nil when not allowed.
func (l *lab) batch(scheds []trace.Schedule) []*run.Result {
	asked := make([]run.Spec, len(scheds))
	for i, s := range scheds {
		asked[i] = l.spec(s)
	}
	return l.each(asked)
}

// each is batch for attempts of which a strategy decides what follows the schedule.
func (l *lab) each(asked []run.Spec) []*run.Result {
	results := make([]*run.Result, len(asked))
	var specs []run.Spec
	var at []int
	for i, s := range asked {
		if results[i] = l.seen[keyOf(s)]; results[i] == nil {
			specs, at = append(specs, s), append(at, i)
		}
	}
	if len(specs) == 0 {
		return results
	}
	if l.out = l.out || l.left < len(specs) || l.ctx.Err() != nil || (!l.deadline.IsZero() && time.Now().After(l.deadline)); l.out {
		return nil
	}
	l.left -= len(specs)
	l.replays += len(specs)
	got, err := run.RunEach(l.ctx, l.runner, specs)
	if err != nil {
		l.err, l.out = err, true
		return nil
	}
	for i, r := range got {
		results[at[i]] = r
		l.seen[keyOf(asked[at[i]])] = r
	}
	return results
}

func (l *lab) spec(s trace.Schedule) run.Spec {
	spec := l.base
	spec.Schedule = s
	spec.Schedule.Segments = slices.Clone(s.Segments)
	return spec
}

// keyOf is equal for attempts that are the same run.
func keyOf(s run.Spec) string {
	if s.Strategy == run.Replay {
		return identity(s.Schedule)
	}
	return fmt.Sprint(s.Strategy, s.Seed, " ") + identity(s.Schedule)
}

// identity is equal for equal schedules.
func identity(s trace.Schedule) string {
	b := make([]byte, 0, 48+13*len(s.Segments)+64*len(s.Hot)+16*len(s.Choices))
	for _, v := range []uint64{s.SelectSeed, s.InputSeed, uint64(s.ClockStep), uint64(s.Delay), uint64(s.Procs), uint64(len(s.Hot)), uint64(len(s.Segments)), uint64(len(s.Collections)), s.BufferSeed} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, hot := range s.Hot {
		b = append(append(b, hot...), 0)
	}
	b = append(append(b, s.Memory...), 0)
	for _, seg := range s.Segments {
		b = binary.LittleEndian.AppendUint64(b, seg.G)
		b = binary.LittleEndian.AppendUint32(b, seg.Until)
		flags := byte(0)
		if seg.Await {
			flags |= 1
		}
		if seg.Timer {
			flags |= 2
		}
		b = append(b, flags)
	}
	for _, c := range s.Choices {
		b = binary.LittleEndian.AppendUint64(b, c.G)
		b = binary.LittleEndian.AppendUint32(b, c.Count)
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Case))
	}
	for _, c := range s.Collections {
		b = binary.LittleEndian.AppendUint64(b, c.G)
		b = binary.LittleEndian.AppendUint32(b, c.Count)
	}
	return string(b)
}
