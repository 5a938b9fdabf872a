package projection

import (
	"maps"
	"slices"
	"sync"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// WalkInput is what a Walk is made of: an explanation and the two runs that it compares.
type WalkInput struct {
	Rows  []Row // of the explanation
	Fail  *trace.Trace
	Pass  *trace.Trace     // nil if there was none
	Needs []MeasuredSwitch // what is known of switches
	Core  [][2]int         // orders that suffice, as pairs of events of Fail
	Roots site.Roots
	Files *source.Files // nil reads from disk
	Cut   bool          // the runs are longer than what was kept of them
}

// MeasuredSwitch is what was counted without a switch, by what the report calls it.
type MeasuredSwitch struct {
	From, To, File string
	Line           int
	Preempt        bool
	Runs, Failed   int
	Orders         int // different ones among the runs, 0 if not counted
}

// Walk is a failing run and the passing run that it is compared with, step by step:
// the rows of the explanation in the middle of all else that the runs did. What is
// said of a step is found out when it is looked at (View), since runs are long. Safe
// for concurrent use.
type Walk struct {
	mu       sync.Mutex // the analysis keeps what it has found out
	a        *analysis
	in       WalkInput
	fail     *course
	pass     *course // nil without a passing run
	switches []Switch
	made     int // switches of the failing run, with those beside which no step is
	orders   []WalkOrder
}

// course is a run as steps.
type course struct {
	r     *run
	steps []stretch
	of    []int        // by event: the index of its step, -1 for none
	marks map[int]int  // by index of a step: the row that tells of it, from 1
	told  map[int]bool // events that rows tell of
}

// stretch is a step: operations that one goroutine performs one after the other by one line.
type stretch struct {
	g      trace.GID
	events []int // of the run; none for a wait that never ends
	wait   int   // index in Outcome.Blocked, -1 if it is none
	placed
}

// Switch is a context switch of the failing run.
type Switch struct {
	Number  int    `json:"number"` // from 1, in the order of the run
	From    string `json:"from"`   // goroutines
	To      string `json:"to"`
	Preempt bool   `json:"preempt"` // From could have gone on
	After   int    `json:"after"`   // the step before it
	Before  int    `json:"before"`  // the step after it
	// Runs and Failed are what was counted without the switch, no runs if it was not.
	Runs   int    `json:"runs,omitempty"`
	Failed int    `json:"failed,omitempty"`
	Orders int    `json:"orders,omitempty"` // different ones among them, 0 if not counted
	Words  string `json:"words"`            // what it is, and what was counted, in a line
	// Segment is the one of the failing run's schedule that the switch ends.
	Segment int `json:"-"`
}

// WalkOrder is one of the orders that suffice for the failure: a step came before another.
type WalkOrder struct {
	Number int    `json:"number"` // from 1
	Before int    `json:"before"` // steps of the failing run
	After  int    `json:"after"`
	Events [2]int `json:"-"`
}

// NewWalk lays out the runs of an explanation.
func NewWalk(in WalkInput) *Walk {
	w := &Walk{in: in, a: newAnalysis(Input{Fail: in.Fail, Pass: in.Pass, Roots: in.Roots, Files: in.Files})}
	w.fail = w.course(w.a.fail, func(r Row) int { return r.Event - 1 })
	if w.a.pass != nil {
		w.pass = w.course(w.a.pass, func(r Row) int { return r.PassEvent - 1 })
	}
	w.mark()
	w.findSwitches()
	w.findOrders()
	return w
}

// mark finds the steps that the rows tell of. The objects of these are named first, as
// in the explanation.
func (w *Walk) mark() {
	for i, r := range w.in.Rows {
		if at := w.fail.stepOf(r.Event - 1); at >= 0 {
			w.fail.marks[at] = i + 1
			w.a.root = append(w.a.root, w.a.entry(r.Event-1))
		}
		if w.pass != nil {
			if at := w.pass.stepOf(r.PassEvent - 1); at >= 0 {
				w.pass.marks[at] = i + 1
			}
		}
		if r.Role == Waits {
			w.markWait(i, r)
		}
	}
}

// markWait marks the wait of a goroutine for a row that has no event.
func (w *Walk) markWait(i int, r Row) {
	for at, s := range w.fail.steps {
		if s.wait >= 0 && w.fail.marks[at] == 0 && w.fail.r.gname(s.g) == r.Goroutine {
			w.fail.marks[at] = i + 1
			return
		}
	}
}

// course divides a run into steps.
func (w *Walk) course(r *run, told func(Row) int) *course {
	y := &course{r: r, of: filled(len(r.events)), marks: map[int]int{}, told: map[int]bool{}}
	for _, row := range w.in.Rows {
		y.told[told(row)] = true
	}
	places := map[[4]uint32]placed{} // by goroutine too: one of the standard library's own is where it was started
	for _, i := range r.inEffect() {
		e := &r.events[i]
		if isNoise(e.Op) && !y.told[i] || e.Op == trace.OpStart || e.Op == trace.OpEnd || e.G == 0 {
			continue
		}
		key := [4]uint32{uint32(e.Stack), uint32(e.Obj), uint32(e.Op), uint32(e.G)}
		at, ok := places[key]
		if !ok {
			at = w.placed(r, i)
			places[key] = at
		}
		if len(at.stack) > 0 {
			y.add(i, at)
		}
	}
	for i, b := range r.Outcome.Blocked {
		if st := w.a.frames(r, b.G, b.Stack, b.Obj); len(st) > 0 {
			y.steps = append(y.steps, stretch{g: b.G, wait: i, placed: placed{stack: st}})
		}
	}
	return y
}

// inEffect are the events of a run in their order, a send where it took effect: it is
// recorded when its goroutine goes on, be it after the receiver.
func (r *run) inEffect() []int {
	out := make([]int, len(r.events))
	for i := range out {
		out[i] = i
	}
	at := func(i int) int {
		if isSend(&r.events[i]) {
			return r.effect[i]
		}
		return i
	}
	slices.SortStableFunc(out, func(x, y int) int { return at(x) - at(y) })
	return out
}

// began is the event of which on the goroutine of an event could be stopped in it: that
// before a send which waited for its receiver.
func (r *run) began(ev int) int {
	if p := r.pos[ev]; isSend(&r.events[ev]) && r.effect[ev] < ev && p > 0 {
		return r.byG[r.events[ev].G][p-1]
	}
	return ev
}

// placed is where an operation is: the user's frames, and the line that is shown, which
// is the caller's for small helpers.
type placed struct {
	stack []trace.Frame
	line  trace.Frame
	below int // frames of the stack that are not shown
}

func (w *Walk) placed(r *run, ev int) placed {
	e := &r.events[ev]
	en := entry{r: r, ev: ev, g: e.G, op: e.Op, obj: e.Obj, stack: w.a.frames(r, e.G, e.Stack, e.Obj), full: r.stack(ev)}
	at := placed{stack: en.stack}
	if len(en.stack) == 0 {
		return at
	}
	if at.line = w.a.shown(en); w.a.atCaller(en) {
		at.below = 1
	}
	if e.Op == trace.OpSelect { // its line depends on the case
		at.line = en.stack[0]
	}
	return at
}

// add puts an event into the last step, if that is of the same visit of the same line,
// and else begins a new one.
func (y *course) add(ev int, at placed) {
	if n := len(y.steps); n > 0 && y.continues(&y.steps[n-1], ev, at) {
		y.steps[n-1].events = append(y.steps[n-1].events, ev)
		y.of[ev] = n - 1
		return
	}
	y.of[ev] = len(y.steps)
	y.steps = append(y.steps, stretch{g: y.r.events[ev].G, events: []int{ev}, wait: -1, placed: at})
}

// maxMerged bounds the operations of a step.
const maxMerged = 8

// continues reports whether an event belongs to a step: where an operation comes again,
// another visit of the line has begun. Each row has a step of its own.
func (y *course) continues(s *stretch, ev int, at placed) bool {
	e := &y.r.events[ev]
	if s.g != e.G || len(s.events) >= maxMerged || s.line != at.line || ev == y.r.fail || s.wait >= 0 {
		return false
	}
	if s.below != at.below || !slices.Equal(s.stack[min(s.below+1, len(s.stack)):], at.stack[min(at.below+1, len(at.stack)):]) {
		return false // called from elsewhere
	}
	return !slices.ContainsFunc(s.events, func(x int) bool {
		o := &y.r.events[x]
		return o.Op == e.Op && o.Obj == e.Obj && o.Stack == e.Stack || y.told[x] && y.told[ev]
	})
}

func (y *course) stepOf(ev int) int {
	if ev < 0 || ev >= len(y.of) {
		return -1
	}
	return y.of[ev]
}

// main is the event that a step is told by: that of its row, else the failure, else
// the last one, which is the write of a statement that reads and writes.
func (w *Walk) main(y *course, at int) int {
	s := &y.steps[at]
	if row := y.marks[at]; row > 0 {
		r := &w.in.Rows[row-1]
		for _, ev := range []int{r.Event - 1, r.PassEvent - 1} {
			if ev >= 0 && slices.Contains(s.events, ev) {
				return ev
			}
		}
	}
	if len(s.events) == 0 {
		return -1
	}
	return s.events[len(s.events)-1]
}

// twin is the step of the other run that does the same, -1 if it lacks it.
func (w *Walk) twin(y *course, at int) int {
	other, to := w.pass, w.a.m.toPass
	if y == w.pass {
		other, to = w.fail, w.a.m.toFail
	}
	if other == nil {
		return -1
	}
	s := &y.steps[at]
	for _, ev := range append([]int{w.main(y, at)}, s.events...) {
		if ev >= 0 && ev < len(to) {
			if t := other.stepOf(to[ev]); t >= 0 {
				return t
			}
		}
	}
	return -1
}

// findSwitches lists the switches of the failing run between its steps, with what was
// measured of them. Where goroutines ran in between that do nothing that is a step, the
// switch is the one that stopped the first.
func (w *Walk) findSwitches() {
	t := w.in.Fail
	preempts := map[int]bool{}
	for _, s := range t.Switches() {
		preempts[s.At] = s.Preempt
	}
	all := trace.SegmentSwitches(t)
	if len(t.Schedule.Segments) == 0 { // a run that nothing was decided of
		for i, s := range t.Switches() {
			all[i] = s
		}
	}
	w.made = len(all)
	segments := slices.Sorted(maps.Keys(all))
	measured := slices.Clone(w.in.Needs)
	for at := 1; at < len(w.fail.steps); at++ {
		before, after := &w.fail.steps[at-1], &w.fail.steps[at]
		if before.g == after.g || after.wait >= 0 {
			continue
		}
		from, to := w.fail.r.began(before.events[len(before.events)-1]), after.events[0]
		i := slices.IndexFunc(segments, func(k int) bool { return all[k].At > from && all[k].At <= to && all[k].From == before.g })
		if i < 0 {
			continue
		}
		sw := all[segments[i]]
		s := Switch{Number: len(w.switches) + 1, From: w.fail.r.gname(sw.From), To: w.fail.r.gname(after.g), Preempt: preempts[sw.At],
			After: at, Before: at + 1, Segment: segments[i]}
		started := w.fail.r.gname(sw.To)
		for i, m := range measured {
			if m.From == s.From && m.To == started && w.isAt(before, m) {
				s.Preempt, s.Runs, s.Failed, s.Orders = m.Preempt, m.Runs, m.Failed, m.Orders
				measured = slices.Delete(measured, i, i+1)
				break
			}
		}
		s.Words = s.words()
		w.switches, segments = append(w.switches, s), segments[i+1:]
	}
}

// isAt reports whether a step is at the place at which the report says that a
// goroutine was stopped.
func (w *Walk) isAt(s *stretch, m MeasuredSwitch) bool {
	return slices.ContainsFunc(s.stack, func(f trace.Frame) bool {
		return f.Line == m.Line && w.in.Roots.Name(f.File) == m.File
	})
}

func (w *Walk) findOrders() {
	for i, c := range w.in.Core {
		before, after := w.fail.stepOf(c[0]), w.fail.stepOf(c[1])
		if after < 0 && c[1] >= len(w.in.Fail.Events) {
			after = w.fail.stepOf(w.fail.r.fail)
		}
		if before >= 0 && after >= 0 && before != after {
			w.orders = append(w.orders, WalkOrder{Number: i + 1, Before: before + 1, After: after + 1, Events: c})
		}
	}
}

// Event is the first event of a step of the failing run; false if it has none.
func (w *Walk) Event(step int) (int, bool) {
	if step < 1 || step > len(w.fail.steps) || len(w.fail.steps[step-1].events) == 0 {
		return 0, false
	}
	return w.fail.steps[step-1].events[0], true
}

// Switches of the failing run.
func (w *Walk) Switches() []Switch { return w.switches }

// Orders are those that suffice for the failure, as far as both sides are steps.
func (w *Walk) Orders() []WalkOrder { return w.orders }
