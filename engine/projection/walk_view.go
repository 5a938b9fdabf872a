package projection

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// WalkView is a walk as it is looked at: the steps that matter, those that were opened,
// and folds for all others.
type WalkView struct {
	Lanes    []string   `json:"lanes"` // goroutines, those of the explanation first; the last may stand for several
	Failing  []WalkStep `json:"failing"`
	Passing  []WalkStep `json:"passing"` // empty if there was no run to compare with
	Switches []Switch   `json:"switches"`
	// Made is how many switches the failing run made: with those before the first line of
	// a goroutine and after its last, which no step is beside.
	Made   int         `json:"switches_made"`
	Orders []WalkOrder `json:"orders"`
	// Steps are how many the runs have.
	Steps struct {
		Failing int `json:"failing"`
		Passing int `json:"passing"`
	} `json:"steps"`
	Cut bool `json:"cut,omitempty"` // the runs are longer than what was kept of them
}

// WalkStep is a step of a run, or a fold of several.
type WalkStep struct {
	Number    int    `json:"number"`          // in its run, from 1
	Until     int    `json:"until,omitempty"` // a fold: the number of its last step
	Row       int    `json:"row,omitempty"`   // of the explanation's table, from 1; 0 if it has none
	Goroutine string `json:"goroutine"`
	Lane      int    `json:"lane"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Code      string `json:"code"`            // the source text, or the operation in words
	Happens   string `json:"happens"`         // operations, values, order
	Other     string `json:"other,omitempty"` // what the other run did instead
	Differs   bool   `json:"differs"`
	Role      Role   `json:"role,omitempty"`
	From      int    `json:"from,omitempty"` // the step of this run whose value it saw
	// FromDiffers: in the other run the same step saw the value of another one.
	FromDiffers bool `json:"from_differs,omitempty"`
	Twin        int  `json:"twin,omitempty"`   // the step of the other run that does the same
	Switch      int  `json:"switch,omitempty"` // the number of the switch just before it
	// Elsewhere is where the other goroutines are meanwhile: at their last steps.
	Elsewhere []Standing `json:"elsewhere,omitempty"`
}

// IsFold is true of what stands for several steps.
func (s *WalkStep) IsFold() bool { return s.Until > 0 }

// Standing is the place of a goroutine that does not run.
type Standing struct {
	Goroutine string `json:"goroutine"`
	File      string `json:"file"`
	Line      int    `json:"line"`
}

// WalkRange are steps that were opened.
type WalkRange struct {
	Passing bool `json:"passing"` // of the passing run
	From    int  `json:"from"`    // numbers of steps
	To      int  `json:"to"`
}

const (
	maxShown     = 160  // steps of a run without what was opened
	maxOpened    = 2000 // steps that are opened at most
	maxLanes     = 10
	maxElsewhere = 8
	leastFold    = 2 // fewer steps are shown rather than folded
)

// View shows a walk. Ranges may overlap and be out of the run.
func (w *Walk) View(open []WalkRange) *WalkView {
	w.mu.Lock()
	defer w.mu.Unlock()
	v := &WalkView{Failing: []WalkStep{}, Passing: []WalkStep{}, Switches: slices.Clone(w.switches), Made: w.made, Orders: slices.Clone(w.orders), Cut: w.in.Cut}
	if v.Switches == nil {
		v.Switches = []Switch{}
	}
	if v.Orders == nil {
		v.Orders = []WalkOrder{}
	}
	fail := w.important()
	w.open(w.fail, open, fail)
	v.Failing = w.steps(w.fail, fail)
	v.Steps.Failing = len(w.fail.steps)
	if w.pass != nil {
		v.Passing = w.steps(w.pass, w.alsoIn(fail, open))
		v.Steps.Passing = len(w.pass.steps)
	}
	v.Lanes = w.lanes(v.Failing, v.Passing)
	return v
}

// important are the steps of the failing run that are shown anyhow: the rows of the
// explanation, the orders, the sources of what they saw, and the sides of switches,
// those of preemptions first.
func (w *Walk) important() map[int]bool {
	show := map[int]bool{}
	add := func(at int) {
		if at >= 0 && at < len(w.fail.steps) && len(show) < maxShown {
			show[at] = true
		}
	}
	for _, at := range slices.Sorted(maps.Keys(w.fail.marks)) {
		add(at)
	}
	add(w.fail.stepOf(w.fail.r.fail))
	for _, o := range w.orders {
		add(o.Before - 1)
		add(o.After - 1)
	}
	for _, at := range slices.Sorted(maps.Keys(w.fail.marks)) {
		add(w.source(w.fail, at))
	}
	for at, s := range w.fail.steps {
		if s.wait >= 0 {
			add(at)
		}
	}
	for _, preempt := range []bool{true, false} {
		for _, s := range slices.Backward(w.switches) { // those near the failure matter more
			if s.Preempt == preempt {
				add(s.After - 1)
				add(s.Before - 1)
			}
		}
	}
	add(0)
	return show
}

// open shows the steps of a run that were opened.
func (w *Walk) open(y *course, ranges []WalkRange, show map[int]bool) {
	n := 0
	for _, r := range ranges {
		if r.Passing != (y == w.pass) {
			continue
		}
		for at := max(r.From, 1) - 1; at < min(r.To, len(y.steps)) && n < maxOpened; at++ {
			show[at] = true
			n++
		}
	}
}

// alsoIn are the steps of the passing run that are shown: those that the shown ones of
// the failing run have there, those of rows, and those that were opened.
func (w *Walk) alsoIn(fail map[int]bool, open []WalkRange) map[int]bool {
	show := map[int]bool{}
	for at := range fail {
		if t := w.twin(w.fail, at); t >= 0 {
			show[t] = true
		}
	}
	for at := range w.pass.marks {
		show[at] = true
		if src := w.source(w.pass, at); src >= 0 {
			show[src] = true
		}
	}
	w.open(w.pass, open, show)
	return show
}

// source is the step that wrote what a step saw, -1 if there is none.
func (w *Walk) source(y *course, at int) int {
	if row := y.marks[at]; row > 0 { // the table knows
		from := w.in.Rows[row-1].From
		if y == w.pass {
			from = w.in.Rows[row-1].PassFrom
		}
		for other, r := range y.marks {
			if r == from {
				return other
			}
		}
	}
	for _, ev := range y.steps[at].events {
		src := y.r.src[ev]
		if e := &y.r.events[ev]; src < 0 || isLockOp(e.Op) || y.of[src] < 0 || y.of[src] == at {
			continue // how a lock went on its way is no data
		}
		return y.of[src]
	}
	return -1
}

// steps are the shown ones of a run, in order, with folds between them.
func (w *Walk) steps(y *course, show map[int]bool) []WalkStep {
	out := []WalkStep{}
	led := map[int]int{} // by step: the switch before it
	if y == w.fail {
		for _, s := range w.switches {
			led[s.Before-1] = s.Number
		}
	}
	last := map[trace.GID]int{} // the latest step of each goroutine
	var recent []trace.GID      // in the order in which they ran, the latest last
	hidden := 0                 // first step that is not shown yet
	fold := func(to int) {
		switch n := to - hidden; {
		case n == 0:
		case n < leastFold:
			s := w.step(y, hidden)
			s.Switch = led[hidden]
			out = append(out, s)
		default:
			out = append(out, w.fold(y, hidden, to))
		}
	}
	for at := range y.steps {
		g := y.steps[at].g
		if show[at] {
			fold(at)
			s := w.step(y, at)
			s.Switch, s.Elsewhere = led[at], w.elsewhere(y, g, recent, last)
			out = append(out, s)
			hidden = at + 1
		}
		last[g] = at
		if n := len(recent); n == 0 || recent[n-1] != g {
			recent = append(slices.DeleteFunc(recent, func(o trace.GID) bool { return o == g }), g)
		}
	}
	fold(len(y.steps))
	return out
}

func (w *Walk) elsewhere(y *course, g trace.GID, recent []trace.GID, last map[trace.GID]int) (out []Standing) {
	for _, o := range slices.Backward(recent) {
		if o == g {
			continue
		}
		if len(out) == maxElsewhere {
			break
		}
		f := w.a.shown(w.entry(y, last[o]))
		out = append(out, Standing{y.r.gname(o), w.in.Roots.Name(f.File), f.Line})
	}
	return out
}

// maxFoldNames bounds the goroutines that a fold names.
const maxFoldNames = 3

func (w *Walk) fold(y *course, from, to int) WalkStep {
	var names []string
	more := 0
	for _, s := range y.steps[from:to] {
		if n := y.r.gname(s.g); !slices.Contains(names, n) {
			if len(names) == maxFoldNames {
				more++
				continue
			}
			names = append(names, n)
		}
	}
	of := strings.Join(names, ", ")
	if more > 0 {
		of += ", ..."
	}
	return WalkStep{Number: from + 1, Until: to, Goroutine: y.r.gname(y.steps[from].g), Code: fmt.Sprintf("%s of %s", words.Count(to-from, "step"), of)}
}

// entry is the step as the explanation's functions take it.
func (w *Walk) entry(y *course, at int) entry {
	s := &y.steps[at]
	if s.wait >= 0 {
		b := y.r.Outcome.Blocked[s.wait]
		return entry{r: y.r, ev: -1, g: b.G, op: b.Op, obj: b.Obj, stack: s.stack, full: y.r.stackOf(b.Stack), wait: true, own: true}
	}
	return w.at(y, w.main(y, at), s.stack)
}

func (w *Walk) at(y *course, ev int, stack []trace.Frame) entry {
	e := &y.r.events[ev]
	return entry{r: y.r, ev: ev, g: e.G, op: e.Op, obj: e.Obj, stack: stack, full: y.r.stack(ev), order: float64(ev), late: y == w.pass}
}

// step says what a step does.
func (w *Walk) step(y *course, at int) WalkStep {
	s := &y.steps[at]
	e := w.entry(y, at)
	f := w.a.shown(e)
	out := WalkStep{Number: at + 1, Row: y.marks[at], Goroutine: y.r.gname(s.g), File: w.in.Roots.Name(f.File), Line: f.Line,
		Code: w.a.code(e, f), Twin: w.twin(y, at) + 1, From: w.source(y, at) + 1}
	out.FromDiffers = out.From > 0 && w.sawAnother(y, out.From-1, out.Twin-1)
	if out.Row > 0 {
		w.tellRow(y, &out)
		return out
	}
	out.Happens = w.operations(y, s)
	if y == w.fail && s.wait >= 0 {
		out.Role = Waits
	}
	if y == w.fail && slices.Contains(s.events, y.r.fail) && len(s.events) > 0 {
		out.Role, out.Happens = Fails, "fails"
	}
	out.Differs, out.Other = w.compareStep(y, at, out.Twin-1, out.Happens)
	return out
}

// sawAnother reports whether the twin of a step saw the value of another step than
// the twin of the one that the step itself saw.
func (w *Walk) sawAnother(y *course, from, twin int) bool {
	if w.pass == nil || twin < 0 {
		return false
	}
	other := w.pass
	if y == w.pass {
		other = w.fail
	}
	return w.source(other, twin) != w.twin(y, from)
}

// tellRow says of a step what the explanation's table does.
func (w *Walk) tellRow(y *course, s *WalkStep) {
	r := &w.in.Rows[s.Row-1]
	s.File, s.Line, s.Code = r.File, r.Line, r.Code
	s.Differs = r.Differs && r.Nearest == ""
	nearest := cmp.Or(r.Nearest, r.Passing)
	if y == w.fail {
		s.Happens, s.Other, s.Role = r.Failing, nearest, r.Role
		return
	}
	s.Happens, s.Other = nearest, r.Failing
}

// compareStep says how the other run differs at a step: it lacks it, or another value
// was there, or another step wrote it.
func (w *Walk) compareStep(y *course, at, twin int, happens string) (differs bool, other string) {
	o := w.pass
	if y == w.pass {
		o = w.fail
	}
	switch {
	case o == nil:
		return false, ""
	case twin < 0:
		return true, "-"
	}
	other = w.operations(o, &o.steps[twin])
	return happens != other, other
}

// maxOperations bounds what is said of a step.
const maxOperations = 3

// operations are what a step does, in words: "read live: 0 (from 12)".
func (w *Walk) operations(y *course, s *stretch) string {
	if s.wait >= 0 {
		b := y.r.Outcome.Blocked[s.wait]
		return "waits for ever: " + strings.TrimSpace(opWord(b.Op)+" "+w.plainName(entry{r: y.r, ev: -1, g: s.g, op: b.Op, obj: b.Obj, stack: s.stack, own: true}))
	}
	var parts []string
	for _, ev := range s.events {
		text := w.operation(y, ev, s.stack)
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	if n := len(parts); n > maxOperations {
		parts = append(parts[:maxOperations-1], "...", parts[n-1])
	}
	return strings.Join(parts, "; ")
}

func (w *Walk) operation(y *course, ev int, stack []trace.Frame) string {
	e := &y.r.events[ev]
	en := w.at(y, ev, stack)
	text := strings.TrimSpace(opWord(e.Op) + " " + w.plainName(en))
	switch {
	case e.Op == trace.OpSpawn:
		return "go " + y.r.gname(trace.GID(e.Aux))
	case e.Op == trace.OpSelect:
		if _, taken := w.a.selectCase(en); taken != "" {
			return "select: " + taken
		}
	case e.Op == trace.OpRecv:
		text += ": " + [...]string{"nothing there", "got one", "closed"}[min(e.Value, 2)]
	}
	if v := w.a.value(y.r, ev); v != "" {
		text += ": " + v
	}
	if src := y.r.src[ev]; src >= 0 && e.Reads() && y.of[src] >= 0 && y.of[src] != y.of[ev] {
		if f := w.a.shown(w.entry(y, y.of[src])); f.Line > 0 {
			text += fmt.Sprintf(" (from %d)", f.Line)
		}
	}
	return text
}

func (w *Walk) plainName(e entry) string { return strings.ReplaceAll(w.a.nameOf(e), "`", "") }

// lanes gives each goroutine a lane, those of the explanation first. Where there are
// too many, the others share the last one.
func (w *Walk) lanes(failing, passing []WalkStep) []string {
	names := []string{}
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, r := range w.in.Rows {
		add(r.Goroutine)
	}
	for _, steps := range [][]WalkStep{failing, passing} {
		for _, s := range steps {
			if !s.IsFold() {
				add(s.Goroutine)
			}
		}
	}
	shared := len(names) > maxLanes
	if shared {
		names = append(names[:maxLanes-1:maxLanes-1], "others")
	}
	for _, steps := range [][]WalkStep{failing, passing} {
		for i := range steps {
			lane := slices.Index(names, steps[i].Goroutine)
			if lane < 0 && shared {
				lane = len(names) - 1
			}
			steps[i].Lane = max(lane, 0)
		}
	}
	return names
}

// WalkOfTable is a view of the rows of an explanation alone.
func WalkOfTable(p *Projection) *WalkView {
	v := &WalkView{Lanes: []string{}, Failing: []WalkStep{}, Passing: []WalkStep{}, Switches: []Switch{}, Orders: []WalkOrder{}}
	passing := map[int]WalkStep{}
	for i, r := range p.Rows {
		if !slices.Contains(v.Lanes, r.Goroutine) {
			v.Lanes = append(v.Lanes, r.Goroutine)
		}
		s := WalkStep{Number: i + 1, Row: i + 1, Goroutine: r.Goroutine, Lane: slices.Index(v.Lanes, r.Goroutine), File: r.File, Line: r.Line, Code: r.Code,
			Happens: r.Failing, Other: cmp.Or(r.Nearest, r.Passing), Differs: r.Differs && r.Nearest == "", Role: r.Role, From: r.From}
		if r.PassOrder > 0 {
			passing[r.PassOrder] = s
		}
		if r.Role != OnlyPassing {
			v.Failing = append(v.Failing, s)
		}
	}
	for _, order := range slices.Sorted(maps.Keys(passing)) {
		s := passing[order]
		s.Happens, s.Other, s.Role, s.From = s.Other, s.Happens, "", p.Rows[s.Row-1].PassFrom
		v.Passing = append(v.Passing, s)
	}
	v.Steps.Failing, v.Steps.Passing = len(v.Failing), len(v.Passing)
	failing, also := numbers(v.Failing), numbers(v.Passing)
	renumber(v.Failing, failing, also)
	renumber(v.Passing, also, failing)
	return v
}

// numbers are the numbers of the steps of a run, by their rows.
func numbers(steps []WalkStep) map[int]int {
	of := map[int]int{}
	for i, s := range steps {
		of[s.Row] = i + 1
	}
	return of
}

// renumber counts the steps of a run that are rows of the table, and names those of the
// other run by their numbers there.
func renumber(steps []WalkStep, own, other map[int]int) {
	for i := range steps {
		s := &steps[i]
		s.Number, s.Twin, s.From = i+1, other[s.Row], own[s.From]
	}
}

// NeedsOf are the measurements of a report.
func NeedsOf(needs []report.Need) (out []MeasuredSwitch) {
	for _, n := range needs {
		out = append(out, MeasuredSwitch{From: n.From, To: n.To, File: n.Place.File, Line: n.Place.Line, Preempt: n.Preempt, Runs: n.Runs, Failed: n.Failed, Orders: n.Orders})
	}
	return out
}
