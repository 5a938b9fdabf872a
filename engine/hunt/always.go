package hunt

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Blocked goroutines of a main program are a failure by themselves in two cases: when
// every schedule leaves them behind, and when the run in which they were seen was cut
// off, so that no other schedule could show that they are rare. It is not for tests,
// whose leftover goroutines may be intended, and not for workers that only wait for
// more work: many programs end without closing their channels.

// leastLeft is how many runs must have left goroutines behind before that is looked at
// while the search goes on.
const leastLeft = 5

// leftBehind has what every run of a program so far left behind confirmed, once, in
// the second half of the time: a search that would come to it after its last schedule
// may never get there.
func (p *pipeline) leftBehind(ctx context.Context) {
	if p.left != unknown || !p.job.Main || time.Until(p.end) > p.Budget/2 || p.hasCaught() {
		return
	}
	f := p.campaign.Leftover(leastLeft)
	if f == nil {
		return
	}
	if p.left = p.stuck(ctx, f); p.left == blocked {
		p.catch(*f)
	}
}

// alwaysLeaves is true of a search that found only what every run leaves behind. It is
// caught then.
func (p *pipeline) alwaysLeaves(ctx context.Context, o *search.Outcome) bool {
	if o.Leak == nil || !p.job.Main {
		return false
	}
	if p.left == unknown && !p.hasCaught() {
		if p.left = p.stuck(ctx, o.Leak); p.left == blocked {
			p.catch(*o.Leak)
		}
	}
	return p.left == blocked
}

func (p *pipeline) hasCaught() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.caught) > 0
}

// idles is true of goroutines blocked in a run that was cut off unless one of them is
// known to be more than idle.
func (p *pipeline) idles(f *search.Finding) bool {
	if p.idle == nil {
		p.idle = map[run.Signature]fortune{}
	}
	is := p.idle[f.Signature]
	if is == unknown && f.Replayed {
		is = p.stuck(p.ctx, f)
		p.idle[f.Signature] = is
	}
	switch is {
	case unknown:
		p.withhold(f, "the run was cut off, and whether those goroutines only wait for more work was not found out in time")
	case waiting:
		p.excused = append(p.excused, f)
		p.campaign.Excuse(f)
	}
	return is != blocked
}

// fortune is what is known of goroutines that wait for ever.
type fortune int

const (
	unknown fortune = iota
	blocked         // one of them is proved to be, and is more than idle
	waiting         // for work, all of them
)

// stuck looks at the goroutines that a run left behind.
func (p *pipeline) stuck(ctx context.Context, f *search.Finding) fortune {
	for _, b := range f.Result.Outcome.Blocked {
		if b.Leaked && !mayBeIdle(b) {
			return blocked
		}
	}
	spec := run.ReplayOf(p.base(), f.Result)
	spec.Record = run.Full
	switch r, err := p.runner.Run(ctx, spec); {
	case err != nil || r.Trace == nil:
		return unknown
	case anyStuck(r.Trace):
		return blocked
	}
	return waiting
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
	if !mayBeIdle(b) || b.Op == trace.OpSelect && sends(t, b.G) {
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

// mayBeIdle is true of the operations in which workers wait for work.
func mayBeIdle(b trace.Blocked) bool {
	return b.Op == trace.OpRecv || b.Op == trace.OpSelect || b.Op == trace.OpCondWait
}

// sends reports whether the select in which a goroutine waits has a case that sends:
// what it has done nobody takes.
func sends(t *trace.Trace, g trace.GID) bool {
	for i := len(t.Events) - 1; i >= 0; i-- {
		switch e := &t.Events[i]; {
		case e.G != g || e.Op == trace.OpBlock:
		case e.Op != trace.OpSelectCase:
			return false
		case e.Obj != 0 && e.Aux&1 == 1:
			return true
		}
	}
	return false
}
