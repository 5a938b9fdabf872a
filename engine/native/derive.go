package native

import (
	"fmt"
	"slices"
	"strings"
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
	return wholePlan(t, newNumbering(t)), nil
}

// wholePlan keeps the order of all segments.
func wholePlan(t *trace.Trace, n *numbering) Plan {
	limit := failureEnd(t)
	d := newDeriver(t, limit, nil)
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
	p := d.plan(n)
	p.Segments = len(segs)
	return p
}

// newDeriver reads a trace up to its failure. The plain accesses at the lines are
// among its operations, as if they raced.
func newDeriver(t *trace.Trace, limit int, lines map[line]bool) *deriver {
	d := &deriver{t: t, r: readOpers(t, limit, lines), steps: map[*oper]*step{}}
	d.guessNext(limit)
	return d
}

// failureEnd is the number of events that lead to the failure: what follows a
// failed check, a panic, or the event at which the last goroutine blocks, needs
// no order.
func failureEnd(t *trace.Trace) int {
	stuck := map[trace.GID]bool{}
	for _, b := range t.Outcome.Blocked {
		stuck[b.G] = true
	}
	end := 0
	if t.Outcome.Kind == trace.Livelock {
		return lastChange(t)
	}
	for i, e := range t.Events {
		switch t.Outcome.Kind {
		case trace.TestFailed:
			if e.Op == trace.OpTestFail {
				return i + 1
			}
		case trace.Panicked:
			if e.Op == trace.OpPanicStart && e.G == t.Outcome.Goroutine && (end == 0 || samePlace(t, e.Stack, t.Outcome.Stack) && !panicsAgain(t, end-1, i)) {
				end = i + 1
			}
		case trace.Leaked, trace.Deadlocked:
			if e.Op == trace.OpBlock && stuck[e.G] {
				end = i + 1
			}
		}
	}
	if end > 0 {
		return end
	}
	return len(t.Events)
}

// samePlace reports whether two panics are at the same place: deferred calls
// may panic again elsewhere, as package testing does.
func samePlace(t *trace.Trace, a, b trace.StackID) bool {
	fa, ok := t.UserFrame(a)
	fb, _ := t.UserFrame(b)
	return ok && fa == fb
}

// panicsAgain reports whether a deferred call recovered the panic at from, and
// panics again at to, as sync.WaitGroup.Go does. All that the goroutine did in
// between was done on top of the frames that panicked.
func panicsAgain(t *trace.Trace, from, to int) bool {
	first := t.Stacks[t.Events[from].Stack]
	for _, e := range t.Events[from+1 : to+1] {
		if s := t.Stacks[e.Stack]; e.G == t.Events[from].G && len(s) > 0 && (len(s) < len(first) || !slices.Equal(s[len(s)-len(first):], first)) {
			return false
		}
	}
	return true
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
	for _, x := range d.r.opers[s.g] {
		if x.start >= s.from && x.start < s.to && x.at.file != "" && !slices.ContainsFunc(others, func(r ref) bool { return d.starts(x, r.x.g) }) {
			return x
		}
	}
	return nil
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
		p.Steps.Steps = append(p.Steps.Steps, st)
		prev = i
	}
}

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

// numbering gives numbers to points and spawn sites.
type numbering struct {
	t      *trace.Trace
	points map[place]int
	sites  map[trace.Frame]int
	roles  []string // by GID
	places []points.Place
}

func newNumbering(t *trace.Trace) *numbering {
	n := &numbering{t: t, points: map[place]int{}, sites: map[trace.Frame]int{}, roles: make([]string, len(t.Goroutines))}
	type key struct {
		parent string
		site   int
	}
	started := map[key]int{}
	inOrder := byArrival(t)
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		parent := "/"
		if int(g.Parent) < i {
			parent = n.roles[g.Parent]
		}
		if role := inOrder[g.ID]; role != "" {
			n.roles[i] = role
			continue
		}
		f, ok := t.UserFrame(g.Spawn)
		if i == 0 || g.Parent == 0 || !ok {
			n.roles[i] = parent
			if parent == "" {
				n.roles[i] = "/"
			}
			continue
		}
		k := key{parent, n.site(f)}
		started[k]++
		if parent == "/" {
			parent = ""
		}
		n.roles[i] = fmt.Sprintf("%s/%d#%d", parent, k.site, started[k])
	}
	return n
}

// byArrival names the goroutines of timers and those that the standard library or the
// runtime started, in the order in which they come to their first points.
func byArrival(t *trace.Trace) map[trace.GID]string {
	roles := map[trace.GID]string{}
	count := map[string]int{}
	name := func(g trace.GID) {
		if kind := unannounced(t, g); kind != "" && roles[g] == "" {
			count[kind]++
			roles[g] = fmt.Sprint(kind, count[kind])
		}
	}
	for _, e := range t.Events {
		if _, ok := t.UserFrame(e.Stack); ok && e.G != 0 && isOp(e.Op) {
			name(e.G)
		}
	}
	for _, g := range t.Goroutines { // those that come to none before the end
		if g.ByTimer() {
			name(g.ID)
		}
	}
	return roles
}

// unannounced is the kind of role of a goroutine that no statement of the program
// started; "" of others, and of a test's.
func unannounced(t *trace.Trace, id trace.GID) string {
	g := t.Goroutine(id)
	if g.ByTimer() {
		return breakpoints.TimerRole
	}
	if _, ok := t.UserFrame(g.Spawn); ok || id <= 1 {
		return ""
	}
	if by := t.Stack(g.Spawn); g.Parent == 0 || len(by) > 0 && !strings.HasPrefix(by[0].Func, "testing.") {
		return breakpoints.LibraryRole
	}
	return ""
}

func (n *numbering) role(g trace.GID) string { return n.roles[g] }

func (n *numbering) site(f trace.Frame) int {
	f = trace.Frame{Func: f.Func, File: f.File, Line: f.Line}
	id := n.sites[f]
	if id == 0 {
		id = len(n.sites) + 1
		n.sites[f] = id
		n.places = append(n.places, points.Place{ID: id, Kind: points.Spawn, File: f.File, Line: f.Line, Func: f.Func})
	}
	return id
}

func (n *numbering) point(at place) int {
	id := n.points[at]
	if id == 0 {
		id = len(n.points) + 1
		n.points[at] = id
		n.places = append(n.places, points.Place{ID: id, Kind: at.kind, File: at.file, Line: at.line, Op: at.op, Func: at.fn, Nth: at.nth, Case: at.pref})
	}
	return id
}
