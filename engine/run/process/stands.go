package process

import (
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// standsOf tells where the goroutines of a run stood at its end, the one that failed
// first.
func standsOf(t *trace.Trace, others []trace.Blocked) (out []run.Stand) {
	add := func(g trace.GID, stack trace.StackID, reason string) {
		s := run.Stand{Frames: t.UserFrames(stack), Func: t.Goroutine(g).Func, Reason: reason}
		s.Spawn, _ = t.UserFrame(t.Goroutine(g).Spawn)
		out = append(out, s)
	}
	o := &t.Outcome
	switch o.Kind {
	case trace.Panicked, trace.FatalError:
		add(o.Goroutine, o.Stack, run.Failing)
	}
	for _, b := range others {
		add(b.G, b.Stack, b.Reason)
	}
	return out
}
