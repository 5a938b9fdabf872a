package native

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Plan is how a schedule is played on the ordinary build.
type Plan struct {
	Steps    breakpoints.Plan
	Places   []points.Place // where the points and spawn marks go
	Segments int            // segments of the trace
	Waits    int            // steps that wait for others
	Dropped  []string       // switches that correspond to no place in the user's source, with the reason
	Within   string         // a statement within which the order goes back and forth, so that it can't be enforced; "" if there is none

	names  map[string]string // of goroutines, by role
	goesOn map[string]bool   // steps, by ID, that are of the same execution of a statement as the role's step before, if their points are at one place
}

// segment is a stretch of events of one goroutine.
type segment struct {
	g        trace.GID
	from, to int // events [from, to)
	ended    bool
}

// DerivePlan turns a failing trace into a plan.
func DerivePlan(t *trace.Trace) (Plan, error) {
	if t == nil || len(t.Events) == 0 {
		return Plan{}, fmt.Errorf("derive plan: the trace has no events")
	}
	p, _ := wholePlan(t, newNumbering(t), false)
	return p, nil
}

// wholePlan keeps the order of all segments. Where one ends in the middle of a statement,
// which has a point only before it, the statement is done wholly after the next segment,
// or, if early, wholly before that. split reports whether there is such a one.
func wholePlan(t *trace.Trace, n *numbering, early bool) (p Plan, split bool) {
	limit := failureEnd(t)
	d := newDeriver(t, limit, nil)
	d.early = early
	segs := d.segments(limit)
	var carried []ref
	for i := 1; i < len(segs); i++ {
		if n := d.crowd(segs[i:]); n >= manyBlocked {
			carried = d.together(segs[i-1], segs[i:i+n], carried)
			i += n - 1
			continue
		}
		carried = d.join(segs[i-1], segs[i], carried)
	}
	d.holdRest(segs, limit, carried)
	d.preferences(limit)
	d.delays()
	p = d.plan(n)
	p.Segments = len(segs)
	p.Within = cmp.Or(p.Within, d.within)
	return p, d.within != ""
}

// newDeriver reads a trace up to its failure. The plain accesses at the lines are
// among its operations, as if they raced.
func newDeriver(t *trace.Trace, limit int, lines map[line]bool) *deriver {
	d := &deriver{t: t, r: readOpers(t, limit, lines), steps: map[*oper]*step{}}
	d.guessNext(limit)
	return d
}

func (d *deriver) segments(limit int) []segment {
	var segs []segment
	for i, e := range d.t.Events[:limit] {
		if e.G == 0 || e.Op == trace.OpUnblock || e.Op == trace.OpTimer || e.Op == trace.OpTimerStop {
			continue
		}
		if n := len(segs); n == 0 || segs[n-1].g != e.G {
			segs = append(segs, segment{g: e.G, from: i})
		}
		s := &segs[len(segs)-1]
		s.to = i + 1
		s.ended = s.ended || e.Op == trace.OpEnd
	}
	return segs
}

// ref is something to wait for.
type ref struct {
	x      *oper
	state  breakpoints.State
	moment bool // x started a goroutine without places, which is to have had a moment: the most that can be known of it
}

// step is an operation that the plan mentions.
type step struct {
	x     *oper
	after []ref
	late  bool
	sleep time.Duration
}

type deriver struct {
	t       *trace.Trace
	r       *reader
	steps   map[*oper]*step
	dropped []string
	early   bool   // see wholePlan
	within  string // a statement in whose middle a segment ends
}

func (d *deriver) step(x *oper) *step {
	s := d.steps[x]
	if s == nil {
		s = &step{x: x}
		d.steps[x] = s
	}
	return s
}

// join makes segment b wait for the end of segment a, and for what earlier
// segments could not wait for. It returns what b could not wait for.
func (d *deriver) join(a, b segment, carried []ref) []ref {
	if end, ok := d.endOf(a); ok {
		carried = append(carried, end)
	} else {
		d.dropped = append(d.dropped, fmt.Sprintf("the end of %s's segment at event %d has no place in the program's source", d.t.Goroutine(a.g).Display, a.to))
		if y := d.startOf(a.g); y != nil {
			carried = append(carried, ref{x: y, state: breakpoints.Passed, moment: true})
		}
	}
	var later []ref // nobody waits for itself, but those after it may have to
	carried = slices.DeleteFunc(carried, func(r ref) bool {
		if r.x.g == b.g && r.moment {
			later = append(later, r)
		}
		return r.x.g == b.g
	})
	first := d.firstIn(b, carried)
	if first == nil || len(carried) == 0 {
		return append(carried, later...)
	}
	s := d.step(first)
	for _, r := range carried {
		d.step(r.x)
		s.after = append(s.after, r)
	}
	return later
}

// startOf is the operation that started a goroutine.
func (d *deriver) startOf(g trace.GID) *oper {
	own := d.t.Goroutine(g)
	at, ok := d.t.UserFrame(own.Spawn)
	if !ok || own.Parent == g {
		return nil
	}
	nth := 0 // of those that the same statement started
	for _, other := range d.t.Goroutines {
		if f, ok := d.t.UserFrame(other.Spawn); ok && f == at && other.Parent == own.Parent && other.Index <= own.Index {
			nth++
		}
	}
	for _, y := range d.r.opers[own.Parent] {
		if y.at.op == trace.OpSpawn && y.at.file == at.File && y.at.line == at.Line {
			if nth--; nth == 0 {
				return y
			}
		}
	}
	return nil
}

// endOf returns the steps by which others can detect that a segment is over.
func (d *deriver) endOf(s segment) (ref, bool) {
	var last *oper // the last operation of the segment with a place
	for _, x := range d.r.opers[s.g] {
		parked := x.blocked && x.parked < s.to && (x.end < 0 || x.end >= s.to)
		if x.start >= s.to && !parked && last != nil && sameStatement(last, x) {
			if d.within = lineOf(last.at); d.early {
				continue
			}
		}
		if x.at.file == "" && (parked || x.start >= s.to) {
			break // goes on inside the standard library, where no points are possible
		}
		switch {
		case parked && !x.held:
			return d.blocked(x), true
		case parked || x.start >= s.to:
			if last != nil && d.sleepsAt(s.to-1) {
				return ref{x: last, state: breakpoints.Passed}, true // not awake
			}
			return ref{x: x, state: breakpoints.Arrived}, true
		case x.at.file != "":
			last = x
		}
	}
	switch {
	case last == nil:
		return ref{}, false
	case s.ended:
		return ref{x: last, state: breakpoints.Gone}, true
	}
	return ref{x: last, state: breakpoints.Passed}, true
}

// blocked is what shows others that an operation waits. A goroutine that waits for the
// network looks to them as if it could go on.
func (d *deriver) blocked(x *oper) ref {
	if isNet(x.at.op) {
		return ref{x: x, state: breakpoints.Passed}
	}
	return ref{x: x, state: breakpoints.Blocked}
}

// sleepsAt reports whether the goroutine of an event falls asleep by it.
func (d *deriver) sleepsAt(event int) bool {
	e := &d.t.Events[event]
	return e.Op == trace.OpSleep || e.Op == trace.OpBlock && trace.Op(e.Aux) == trace.OpSleep
}

// firstIn is the first operation of the segment before which a point can hold
// its goroutine until others are where they are.
func (d *deriver) firstIn(s segment, others []ref) *oper {
	var begun *oper // of the statement in whose middle the segment begins
	for _, x := range d.r.opers[s.g] {
		if d.early && x.start < s.from {
			begun = x
		} else if begun != nil && sameStatement(begun, x) {
			continue
		}
		if x.start >= s.from && x.start < s.to && x.at.file != "" && !slices.ContainsFunc(others, func(r ref) bool { return d.starts(x, r.x.g) }) {
			return x
		}
	}
	return nil
}

// sameStatement reports whether two operations are of one execution of a statement, and
// of the same call in it.
func sameStatement(x, y *oper) bool {
	return x.visit == y.visit && x.visit != -1 && x.at.call == y.at.call
}

// starts reports whether the statement of x started goroutine g, or one that it
// comes from, before x: then the point, which is before the statement, is too
// early to wait for g. t.Run is such a statement: it starts the subtest, then
// receives.
func (d *deriver) starts(x *oper, g trace.GID) bool {
	for g != 0 && d.t.Goroutine(g).Parent != x.g {
		if d.t.Goroutine(g).Parent == g {
			return false
		}
		g = d.t.Goroutine(g).Parent
	}
	at, ok := d.t.UserFrame(d.t.Goroutine(g).Spawn)
	if g == 0 || !ok {
		return false
	}
	return slices.ContainsFunc(d.r.opers[x.g], func(y *oper) bool {
		return y.visit == x.visit && y.start < x.start && y.at.op == trace.OpSpawn && y.at.file == at.File && y.at.line == at.Line
	})
}

// preferences makes a step of each select whose choice mattered. Where some of
// the order can't be enforced, more cases may be ready than in the trace: then
// the last selects are asked for what they chose, too.
func (d *deriver) preferences(limit int) {
	var others []*oper
	for _, g := range d.r.goroutines() {
		for _, x := range d.r.opers[g] {
			switch {
			case x.at.pref >= 0:
				d.step(x)
			case x.chosen >= 0 && 0 <= x.end && x.end < limit:
				others = append(others, x)
			}
		}
	}
	if len(d.dropped) == 0 {
		return
	}
	slices.SortStableFunc(others, func(a, b *oper) int { return b.end - a.end })
	for _, x := range others[:min(len(others), maxPreferred)] {
		x.prefer()
		d.step(x)
	}
}

// maxPreferred bounds how many selects without a choice become steps.
const maxPreferred = 16

// plan numbers points, counts visits and names goroutines.
func (d *deriver) plan(n *numbering) Plan {
	p := Plan{Dropped: d.dropped, goesOn: map[string]bool{}, names: map[string]string{}}
	ids := map[*oper]string{}
	gids := d.r.goroutines()
	count := 0
	for _, g := range gids {
		for _, x := range d.r.opers[g] {
			if d.steps[x] != nil {
				count++
				ids[x] = fmt.Sprintf("s%d", count)
			}
		}
	}
	for _, g := range gids {
		d.goroutineSteps(g, n, ids, &p)
	}
	p.Places = n.places
	p.Steps.Patience, p.Steps.Timeout = d.pace()
	return p
}

func (d *deriver) goroutineSteps(g trace.GID, n *numbering, ids map[*oper]string, p *Plan) {
	xs := d.r.opers[g]
	prev := -1
	for i, x := range xs {
		s := d.steps[x]
		if s == nil {
			continue
		}
		p.names[n.role(g)] = d.t.Goroutine(g).Display
		st := breakpoints.Step{ID: ids[x], Role: n.role(g), Point: n.point(x.at), Visit: visitsBetween(xs, prev, i), Prefer: x.at.pref >= 0, Late: s.late, Sleep: s.sleep}
		for _, r := range s.after {
			st.After = append(st.After, breakpoints.Ref{Step: ids[r.x], State: r.state})
		}
		if len(st.After) > 0 {
			p.Waits++
		}
		if prev >= 0 && st.Visit == 1 && firstAt(xs, xs[prev].at) < firstAt(xs, x.at) {
			p.goesOn[st.ID] = true
		}
		if prev >= 0 && st.Visit == 0 && len(st.After) > 0 { // its point is passed already
			p.Within = lineOf(x.at)
		}
		p.Steps.Steps = append(p.Steps.Steps, st)
		prev = i
	}
}

func lineOf(at place) string { return fmt.Sprintf("%s:%d", filepath.Base(at.file), at.line) }

// firstAt is the index of the first operation at a place. Of two operations of
// one statement, the one that is there first is the first each time.
func firstAt(xs []*oper, at place) int {
	return slices.IndexFunc(xs, func(x *oper) bool { return samePoint(x.at, at) })
}

// visitsBetween counts how often the goroutine comes to the point of xs[to],
// after xs[from], until and with xs[to].
func visitsBetween(xs []*oper, from, to int) int {
	if from >= 0 && xs[from].visit == xs[to].visit {
		return 0
	}
	n := 0
	for _, x := range xs[from+1 : to+1] {
		if samePoint(x.at, xs[to].at) && x.counts && (from < 0 || x.visit != xs[from].visit) {
			n++
		}
	}
	return max(n, 1)
}

// samePoint: a select is visited whichever case it prefers.
func samePoint(a, b place) bool {
	if a.op == trace.OpSelect && b.op == trace.OpSelect {
		return a.file == b.file && a.line == b.line && a.fn == b.fn && a.nth == b.nth
	}
	return a == b
}
