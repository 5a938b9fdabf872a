package hunt

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// anyLeaksStuck reports whether goroutines of a main program are proved to be
// blocked forever under every schedule. It is not for tests, whose leftover
// goroutines may be intended, and ignores workers that only wait for more work: many
// programs end without closing their channels.
func (p *pipeline) anyLeaksStuck(ctx context.Context, f *search.Finding) bool {
	spec := run.ReplayOf(p.base(), f.Result)
	spec.Record = run.Full
	r, err := p.runner.Run(ctx, spec)
	return err == nil && r.Trace != nil && anyStuck(r.Trace)
}

// anyStuck reports whether a goroutine that the runtime's detector proved to
// be blocked for ever is more than idle.
func anyStuck(t *trace.Trace) bool {
	for _, b := range t.Outcome.Blocked {
		if b.Leaked && !idle(t, b) {
			return true
		}
	}
	return false
}

// idle reports whether a goroutine waits where it, or another of the same
// function, has received work before: a worker without work.
func idle(t *trace.Trace, b trace.Blocked) bool {
	if b.Op != trace.OpRecv && b.Op != trace.OpSelect && b.Op != trace.OpCondWait {
		return false
	}
	at, ok := t.UserFrame(b.Stack)
	if !ok {
		return false
	}
	fn := t.Goroutine(b.G).Func
	for _, e := range t.Events {
		if e.Op != trace.OpRecv && e.Op != trace.OpSelect && e.Op != trace.OpCondWake {
			continue
		}
		if e.G != b.G && t.Goroutine(e.G).Func != fn {
			continue
		}
		if fr, ok := t.UserFrame(e.Stack); ok && fr == at {
			return true
		}
	}
	return false
}
