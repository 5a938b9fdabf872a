package projection

import (
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// dep is an earlier event of the same goroutine that an event depends on.
type dep struct {
	ev   int
	cost float64
	ctl  *source.Control // the condition, for control dependences
	in   bool            // it happened in the condition itself, not in what a local of it was assigned from
	at   trace.Frame     // where the condition is
}

const (
	maxFrames  = 12 // of a stack that are looked at
	maxVisit   = 24 // reads taken from one statement's call tree
	maxScan    = 4000
	fallbackN  = 3
	paramDepth = 3
)

// collector gathers the dependences of one event.
type collector struct {
	a    *analysis
	r    *run
	ev   int
	seen map[int]bool
	deps []dep
}

// deps of an event: reads by the same goroutine that decided whether the event
// happens (control), and, for what computes a value, that the value came from.
// values is false for plain reads, whose value comes from a write instead.
func (a *analysis) deps(r *run, ev int, values bool) []dep {
	c := &collector{a: a, r: r, ev: ev, seen: map[int]bool{ev: true}}
	st := r.stack(ev)
	known := false
	for i, f := range st {
		if i >= maxFrames {
			break
		}
		fn := a.files.File(a.abs(f.File)).Func(f.Func, f.Line)
		if fn == nil {
			continue
		}
		known = true
		away := float64(i) * 0.6
		if values && (i == 0 || r.events[ev].Op == trace.OpPanic || r.events[ev].Op == trace.OpTestFail || r.events[ev].Op == trace.OpPanicStart) {
			own := 1 + away
			if i > 0 {
				own += 2 // operands of a call further out
			}
			c.spans(i, own, []source.Span{{From: f.Line, To: f.Line}}, nil)
			c.uses(i, own+0.3, fn.StmtUses(f.Line), nil, 0)
		}
		for n, ctl := range fn.Controls(f.Line) {
			ctl := ctl
			cost := 1 + away + 0.4*float64(n)
			if ctl.Kind == source.Guard {
				cost += 0.5
			}
			c.spans(i, cost, ctl.Spans, &ctl)
			c.uses(i, cost+0.3, fn.CondUses(ctl), &ctl, 0)
		}
	}
	if !known || len(c.deps) == 0 && ev == r.fail {
		c.nearby()
	}
	return c.deps
}

// uses takes the reads under the statements that assigned the used locals, and
// follows parameters into the callers.
func (c *collector) uses(i int, cost float64, u source.Uses, ctl *source.Control, depth int) {
	for _, s := range u.Spans {
		c.spans(i, cost, []source.Span{s}, ctl)
	}
	st := c.r.stack(c.ev)
	if depth >= paramDepth || i+1 >= len(st) {
		return
	}
	caller := st[i+1]
	fn := c.a.files.File(c.a.abs(caller.File)).Func(caller.Func, caller.Line)
	for _, p := range u.Params {
		c.uses(i+1, cost+0.4, fn.ArgUses(caller.Line, st[i].Func, p), ctl, depth+1)
	}
}

// spans takes the reads of the latest passage through some lines of the
// activation that frame i of the event's stack belongs to.
func (c *collector) spans(i int, cost float64, spans []source.Span, ctl *source.Control) {
	in := ctl != nil && len(spans) == len(ctl.Spans) && len(spans) > 0 && &spans[0] == &ctl.Spans[0]
	for _, d := range c.r.passage(c.ev, i, spans) {
		if c.seen[d] {
			continue
		}
		c.seen[d] = true
		c.deps = append(c.deps, dep{ev: d, cost: cost, ctl: ctl, in: in, at: c.r.stack(c.ev)[i]})
	}
}

// passage lists the queries that happened when the activation of frame i last
// went through the lines, latest first.
func (r *run) passage(ev, i int, spans []source.Span) []int {
	st := r.stack(ev)
	e := &r.events[ev]
	below := len(st) - i // frames from the bottom up to and including frame i
	var out []int
	hit := false
	list := r.byG[e.G]
	for p, n := r.pos[ev]-1, 0; p >= 0 && n < maxScan; p, n = p-1, n+1 {
		x := list[p]
		xs := r.stack(x)
		if isNoise(r.events[x].Op) || len(xs) == 0 || r.events[x].Op == trace.OpStart {
			continue
		}
		if !sameActivation(st, xs, below) {
			break
		}
		at := xs[len(xs)-below]
		if at.Line == st[i].Line && i > 0 && len(xs) > below && xs[len(xs)-below-1].Func == st[i-1].Func {
			continue // inside the call that led to the event, not before it
		}
		if !inSpans(spans, at.Line) {
			if hit {
				break
			}
			continue
		}
		hit = true
		if isQuery(&r.events[x]) && len(out) < maxVisit {
			out = append(out, x)
		}
	}
	return out
}

// sameActivation reports whether two stacks have the same frames below their
// below-th from the bottom, and the same function there. Two calls from one
// line in a loop look the same.
func sameActivation(a, b []trace.Frame, below int) bool {
	if len(b) < below {
		return false
	}
	for k := 1; k < below; k++ {
		if a[len(a)-k] != b[len(b)-k] {
			return false
		}
	}
	return a[len(a)-below].Func == b[len(b)-below].Func
}

func inSpans(spans []source.Span, line int) bool {
	for _, s := range spans {
		if s.Has(line) {
			return true
		}
	}
	return false
}

// nearby is used if there is no source text: it returns the last few reads of
// the goroutine.
func (c *collector) nearby() {
	list := c.r.byG[c.r.events[c.ev].G]
	for p, n := c.r.pos[c.ev]-1, 0; p >= 0 && n < fallbackN; p-- {
		if x := list[p]; isQuery(&c.r.events[x]) {
			n++
			c.deps = append(c.deps, dep{ev: x, cost: 1.5 + 2.5*float64(n-1)})
		}
	}
}
