package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// analysis is the state of one Project call.
type analysis struct {
	in      Input
	files   *source.Files
	fail    *run
	pass    *run // nil without a passing run
	passes  []*run
	m       *matching   // with pass
	late    []int       // by event of Cause.Late, that of pass
	others  []*matching // with the other passing runs
	sites   map[string]map[trace.Frame]bool
	edges   map[int][]node // of the slice: per event, what it explains
	chosen  []unit         // that the explanation is made of, best first
	several bool           // the core has more units than one
	led     []entry        // what those led to, see ledTo
	stuck   *stuck
	root    []entry
	common  map[trace.Frame]bool // places of the root cause that several callers have in common
	naming  *naming
}

// Project explains in.Fail. It always returns a result: what is not known is
// left out.
func Project(in Input) *Projection {
	a := newAnalysis(in)
	p := &Projection{
		Kind: in.Fail.Outcome.Kind, Message: in.Fail.Outcome.Message,
		Class: Other, Compared: a.pass != nil, RootCause: []report.Access{}, Rows: []Row{},
	}
	p.Failure = a.failurePlace()
	set := &rootSet{a: a}
	stales := a.stales()
	ended, outlives := a.findOutlived()
	switch {
	case p.Kind == trace.Raced:
		a.raceCause(set)
	case len(in.Fail.Outcome.Blocked) > 0 && (p.Kind == trace.Deadlocked || p.Kind == trace.Leaked || p.Kind == trace.Livelock):
		a.waitCause(set)
	case len(stales) > 0:
		a.staleCause(set, stales)
	case outlives:
		a.outlivedCause(set, ended)
	default:
		a.failCause(set)
	}
	a.root = set.sorted()
	a.findHelpers()
	for _, e := range a.root {
		p.RootCause, p.Steps = append(p.RootCause, a.access(e)), append(p.Steps, Step{Event: e.ev, Late: e.late})
	}
	p.Cause, _ = a.orders()
	p.Branches = a.branches()
	p.Class = a.class()
	p.Sentence, p.MustNot, p.Region = a.words(p.Class)
	if len(stales) > 0 && p.Kind != trace.Raced {
		p.Class, p.MustNot, p.Region, p.Sentence = Order, "", nil, a.staleWords(stales)
	}
	if outlives {
		p.Class, p.Region = Order, nil
		p.Sentence, p.MustNot = a.outlivedWords(ended)
	}
	p.Sentence = a.inFiles(title(p.Sentence))
	if s := a.collected(); s != "" {
		p.Sentence += " " + s
	}
	p.Rows = a.rows()
	p.Counts = a.counts(len(p.Branches))
	p.Blocked = a.blockedList()
	if p.Evidence = a.coreEvidence(); p.Evidence == nil {
		p.Evidence = a.evidence()
	}
	p.PathDep = a.pathDependent()
	if a.pass != nil {
		p.Pass = a.pass.Trace
	}
	return p
}

func newAnalysis(in Input) *analysis {
	a := &analysis{in: in, files: in.Files, fail: newRun(in.Fail)}
	if a.files == nil {
		a.files = source.NewFiles(nil)
	}
	a.compare()
	if a.m == nil {
		a.m = &matching{toPass: filled(len(a.fail.events))}
	}
	return a
}

// failurePlace is the innermost frame of the user's where the run failed; for
// waits, of the first goroutine that waits.
func (a *analysis) failurePlace() report.Place {
	o := a.fail.Outcome
	st, g := a.userFrames(a.fail.stackOf(o.Stack)), o.Goroutine
	if len(st) == 0 && a.fail.fail >= 0 {
		st, g = a.userFrames(a.fail.stack(a.fail.fail)), a.fail.events[a.fail.fail].G
	}
	for _, b := range o.Blocked {
		if len(st) == 0 {
			st, g = a.userFrames(a.fail.stackOf(b.Stack)), b.G
		}
	}
	if o.Kind == trace.Raced {
		if first, second, ok := a.namedRace(); ok {
			for _, e := range []entry{first, second} {
				if len(e.stack) > 0 {
					st, g = e.stack, e.g
				}
			}
		}
	}
	if st = o.Where(st); len(st) == 0 {
		return report.Place{}
	}
	return a.place(st[0], a.fail.gname(g))
}

// failCause searches backwards from what failed.
func (a *analysis) failCause(set *rootSet) {
	if a.coreCause(set) {
		if len(set.list) < 2 && a.fail.fail >= 0 {
			set.add(a.entry(a.fail.fail))
		}
		return
	}
	var units []unit
	if u, ok := a.misuseUnit(); ok {
		units = append(units, u)
	}
	if a.fail.fail >= 0 {
		units = append(units, a.units(a.slice(a.fail.fail))...)
	}
	a.take(set, units)
	if len(a.chosen) == 0 {
		a.raceCause(set)
	}
	if len(a.chosen) == 0 {
		a.take(set, a.switchUnits())
	}
	if len(set.list) < 2 && a.fail.fail >= 0 {
		set.add(a.entry(a.fail.fail))
	}
}

func (a *analysis) members(u unit) []entry {
	var es []entry
	for _, ev := range slices.Concat([]int{u.p, u.w, u.e}, u.extra, u.timer) {
		if ev < 0 {
			continue
		}
		if u.shape == torn && ev == u.e {
			ev = a.whole(ev)
		}
		e := a.entry(ev)
		if u.shape == misuse && ev == u.e {
			e.obj = a.fail.events[u.w].Obj
			e.op = trace.OpClose
			if strings.Contains(a.fail.Outcome.Message, "send on") {
				e.op = trace.OpSend
			}
		}
		es = append(es, e)
	}
	if u.late >= 0 {
		es = append(es, a.lateEntry(u.late))
	}
	if wait, add, ok := a.uncounted(&u); ok {
		es = append(es, wait, add)
	}
	return es
}

// switchUnits returns the conflicting accesses around the switches that were
// measured to be necessary, for when the slice found nothing.
func (a *analysis) switchUnits() []unit {
	var out []unit
	for _, s := range a.in.Switches {
		if s.Runs == 0 || s.Failed*4 >= s.Runs {
			continue
		}
		if u, ok := a.aroundSwitch(s.Switch); ok {
			out = append(out, u)
		}
	}
	return out
}

// aroundSwitch finds what To did after the switch that conflicts with what
// From did before it, and From's next access to the same.
func (a *analysis) aroundSwitch(s trace.Switch) (unit, bool) {
	r := a.fail
	for i := s.At; i < len(r.events) && r.events[i].G == s.To; i++ {
		if !r.isShared(i) {
			continue
		}
		u := unit{shape: ordered, p: -1, w: i, e: -1, late: -1, score: float64(i - s.At), differs: true}
		for _, x := range r.touching(i) {
			if r.events[x].G != s.From || !r.events[x].Writes() && !r.events[i].Writes() {
				continue
			}
			if x < i {
				u.p = x
			} else if u.e < 0 {
				u.e = x
			}
		}
		if u.e >= 0 {
			if u.p >= 0 {
				if u.region = a.region(u.p, u.e); u.region != nil {
					u.shape = torn
				}
			}
			return u, true
		}
	}
	return unit{}, false
}

func (a *analysis) blockedList() []report.Blocked {
	var out []report.Blocked
	for _, b := range a.fail.Outcome.Blocked {
		st := a.userFrames(a.fail.stackOf(b.Stack))
		if len(st) == 0 {
			continue
		}
		bl := report.Blocked{Place: a.place(st[0], a.fail.gname(b.G)), On: strings.ReplaceAll(strings.TrimSpace(opWord(b.Op)+" "+a.nameOf(entry{r: a.fail, ev: -1, g: b.G, op: b.Op, obj: b.Obj, stack: st})), "`", "")}
		if b.Reason == trace.Looping {
			bl.On = report.InLoop
		}
		if b.Holder != 0 && !a.readsAgain(b) {
			bl.Holder = a.fail.gname(b.Holder)
		}
		out = append(out, bl)
	}
	return report.Gather(out)
}

// readsAgain reports whether a goroutine waits to read-lock what it has read-locked
// itself: then it waits for a writer that came in between.
func (a *analysis) readsAgain(b trace.Blocked) bool {
	if b.Op != trace.OpRLock || b.Holder != b.G {
		return false
	}
	for _, x := range slices.Backward(a.fail.byG[b.G]) {
		if e := &a.fail.events[x]; e.Obj == b.Obj && (e.Op == trace.OpLock || e.Op == trace.OpRLock) {
			return e.Op == trace.OpRLock
		}
	}
	return false
}

// evidence describes what was measured about the switches.
func (a *analysis) evidence() []string {
	var out []string
	for _, s := range a.in.Switches {
		if s.Runs == 0 {
			continue
		}
		at := ""
		if s.Switch.At >= 0 && s.Switch.At < len(a.fail.events) {
			for i := s.Switch.At - 1; i >= 0; i-- {
				if st := a.userFrames(a.fail.stack(i)); a.fail.events[i].G == s.Switch.From && len(st) > 0 {
					f := a.shown(a.entry(i))
					at = fmt.Sprintf(" after %s:%d", a.in.Roots.Name(f.File), f.Line)
					break
				}
			}
		}
		out = append(out, fmt.Sprintf("without the switch from %s to %s%s, %d of %d runs fail",
			a.fail.gname(s.Switch.From), a.fail.gname(s.Switch.To), at, s.Failed, s.Runs))
	}
	return out
}
