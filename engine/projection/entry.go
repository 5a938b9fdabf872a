package projection

import (
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
)

// entry is one step of the explanation before it becomes plain data.
type entry struct {
	r     *run
	ev    int // -1 for a wait that never ends
	g     trace.GID
	op    trace.Op
	obj   trace.ObjID
	stack []trace.Frame // user frames
	full  []trace.Frame // the whole stack
	exact bool          // it is shown at its own line, not at a caller's
	order float64       // position in the failing run
	wait  bool          // it waits for ever
	late  bool          // the failing run had not come to it
	own   bool          // its own line is shown even in a small helper, unless that does nothing else
	// What the columns say of it, "" if that has to be found out.
	failing, passing string
}

func (a *analysis) entry(ev int) entry {
	ev = a.fail.outer(ev)
	e := &a.fail.events[ev]
	en := entry{r: a.fail, ev: ev, g: e.G, op: e.Op, obj: e.Obj, stack: a.frames(a.fail, e.G, e.Stack, e.Obj), full: a.fail.stack(ev), order: float64(ev)}
	switch {
	case isSend(e): // which is recorded when the sender goes on, be it after the receiver
		en.order = float64(a.fail.effect[ev])
	case a.waitedFirst(ev):
		en.order = float64(a.fail.effect[ev])
	case a.fail.taken[ev]:
		en.op = trace.OpSend
	}
	return en
}

// lateEntry is an event of the passing run that the failing run lacks.
func (a *analysis) lateEntry(ev int) entry {
	e := &a.pass.events[ev]
	return entry{
		r: a.pass, ev: ev, g: e.G, op: e.Op, obj: e.Obj, stack: a.frames(a.pass, e.G, e.Stack, e.Obj), full: a.pass.stack(ev),
		order: float64(len(a.fail.events) + ev), late: true,
	}
}

func (a *analysis) waitEntry(w *waiter) entry {
	return entry{
		r: a.fail, ev: -1, g: w.G, op: w.Op, obj: w.Obj, stack: a.frames(a.fail, w.G, w.Stack, w.Obj), full: a.fail.stackOf(w.Stack),
		order: float64(w.seq) + 0.5, wait: true, own: true,
	}
}

// isAccessor reports whether the access sits in a small helper, so that the
// caller's line says more.
func (a *analysis) isAccessor(st []trace.Frame) bool {
	if !hasCaller(st) {
		return false
	}
	fn := a.files.File(a.abs(st[0].File)).Func(st[0].Func, st[0].Line)
	if fn == nil {
		return a.callSites(st[0].Func) > 1
	}
	return fn.Accessor()
}

// goWrapper ends the name of what the compiler makes of "go f(x)": no caller.
var goWrapper = regexp.MustCompile(`\.gowrap\d+$`)

func hasCaller(st []trace.Frame) bool { return len(st) > 1 && !goWrapper.MatchString(st[1].Func) }

// callSites counts the places that a function was called from in the failing
// run.
func (a *analysis) callSites(fn string) int {
	if a.sites == nil {
		a.sites = map[string]map[trace.Frame]bool{}
		for id := range a.fail.Stacks {
			st := a.userFrames(a.fail.Stacks[id])
			for i := 0; i+1 < len(st); i++ {
				if a.sites[st[i].Func] == nil {
					a.sites[st[i].Func] = map[trace.Frame]bool{}
				}
				a.sites[st[i].Func][st[i+1]] = true
			}
		}
	}
	return len(a.sites[fn])
}

// atCaller reports whether an entry is told at its caller's line. That is no line of a
// test for what the code does that it tests.
func (a *analysis) atCaller(en entry) bool {
	if hasCaller(en.stack) && inTestFile(en.stack[1]) && !inTestFile(en.stack[0]) {
		return false
	}
	if hasCaller(en.stack) && a.onlyCalls(en.stack[1]) || a.failsAt(en) {
		return false
	}
	return !en.exact && (a.common[en.stack[0]] && hasCaller(en.stack) || a.isAccessor(en.stack) && !(en.own && a.doesMore(en.stack[0])) && !a.tornInside(en.stack[0]))
}

// onlyCalls is true of a function literal that does nothing but the call that a frame is
// of, "func() { c.expire(key) }": its line says what is to happen, and not when.
func (a *analysis) onlyCalls(f trace.Frame) bool {
	return literal.MatchString(f.Func) && !a.doesMore(f)
}

// literal ends the name of a function literal.
var literal = regexp.MustCompile(`\.func\d+$`)

// failsAt reports whether an entry is of the goroutine that failed, at the line that is
// given as the failure's: that is told of it, not a caller's.
func (a *analysis) failsAt(en entry) bool {
	if en.r != a.fail || en.ev < 0 || a.fail.fail < 0 || en.g != a.fail.events[a.fail.fail].G {
		return false
	}
	at := a.failurePlace()
	return en.stack[0].Line == at.Line && a.in.Roots.Name(en.stack[0].File) == at.File
}

// tornInside reports whether another goroutine came in between two accesses of one call
// of a small helper, "func (c *counter) hit() { c.n++ }": that is the line to look at.
func (a *analysis) tornInside(f trace.Frame) bool {
	return slices.ContainsFunc(a.chosen, func(u unit) bool {
		if u.shape != torn {
			return false
		}
		p, e := a.entry(u.p).stack, a.entry(u.e).stack
		return len(p) > 0 && len(p) == len(e) && p[0].Func == f.Func && e[0].Func == f.Func && slices.Equal(p[1:], e[1:])
	})
}

// shown is the frame to show to the user: the caller's for a helper.
func (a *analysis) shown(en entry) trace.Frame {
	if len(en.stack) == 0 {
		return trace.Frame{}
	}
	f := en.stack[0]
	if a.atCaller(en) {
		f = en.stack[1]
	}
	if en.op == trace.OpSelect && en.ev >= 0 && f == en.stack[0] {
		if line, _ := a.selectCase(en); line > 0 {
			f.Line = line
		}
	}
	return f
}

// doesMore reports whether a frame's function has more than one statement.
func (a *analysis) doesMore(f trace.Frame) bool {
	return a.files.File(a.abs(f.File)).Func(f.Func, f.Line).Statements() > 1
}

// selectCase is the line and text of the case that a select took; none where no code of
// the user's is on the stack.
func (a *analysis) selectCase(en entry) (int, string) {
	if en.ev < 0 || len(en.stack) == 0 {
		return 0, ""
	}
	e := &en.r.events[en.ev]
	f := en.stack[0]
	fn := a.files.File(a.abs(f.File)).Func(f.Func, f.Line)
	return fn.SelectCase(f.Line, int(int64(e.Value)), int(e.Aux&0xffffffff))
}

// access returns an entry as plain data.
func (a *analysis) access(en entry) report.Access {
	acc := report.Access{Goroutine: en.r.gname(en.g), Op: opWord(en.op), Var: strings.ReplaceAll(a.accessedName(en), "`", "")}
	if len(en.stack) == 0 {
		return acc
	}
	f := en.stack[0]
	if en.op == trace.OpSelect && en.ev >= 0 {
		if line, _ := a.selectCase(en); line > 0 {
			f.Line = line
		}
	}
	acc.File, acc.Line, acc.Func = a.in.Roots.Name(f.File), f.Line, f.Func
	acc.Column = a.column(f, en)
	if hasCaller(en.stack) && (a.isAccessor(en.stack) || a.callSites(f.Func) > 1) {
		c := a.place(en.stack[1], "")
		c.Column = a.files.File(a.abs(en.stack[1].File)).Column(c.Line, lastName(f.Func))
		acc.Call = &c
	}
	return acc
}

func (a *analysis) column(f trace.Frame, en entry) int {
	texts := opTexts(en.op)
	if isPlain(en.op) {
		v := a.nameOf(en)
		texts = []string{v, lastName(v)}
	}
	return a.files.File(a.abs(f.File)).Column(f.Line, texts...)
}

// lastName of "f.free" is "free", of "m.(*T).get" "get".
func lastName(s string) string {
	if i := strings.IndexByte(s, '['); i > 0 {
		s = s[:i]
	}
	return s[strings.LastIndexByte(s, '.')+1:]
}

// rootSet gathers entries, each place once per goroutine, unless what another one did
// came in between.
type rootSet struct {
	a     *analysis
	all   []entry // as they were added
	list  []entry // what stays of them
	limit int     // 0 is MaxRoot
}

// add puts entries in if all of them fit.
func (s *rootSet) add(es ...entry) bool {
	all := slices.Clone(s.all)
	for _, e := range es {
		if len(e.stack) > 0 && e.op != trace.OpNone {
			all = append(all, e)
		}
	}
	limit := cmp.Or(s.limit, MaxRoot)
	list := s.a.merged(all, s.a.comesBetween)
	if len(list) > limit { // the rounds of a loop are told as one
		list = s.a.merged(all, s.a.tears)
	}
	if len(list) > limit {
		return false
	}
	s.all, s.list = all, list
	return true
}

// keep puts in what is told even if its place is there.
func (s *rootSet) keep(e entry) { s.all, s.list = append(s.all, e), append(s.list, e) }

// has reports whether an entry's place is there.
func (s *rootSet) has(e entry) bool {
	return slices.ContainsFunc(s.list, func(o entry) bool { return s.a.onePlace(o, e) })
}

// merged are the entries that stay: a read and a write of one statement become the
// write; of several rounds of a loop the latest stays. Two of which a third one says
// that it comes between both stay, since their orders with that are others.
func (a *analysis) merged(all []entry, between func(x, first, last entry) bool) (list []entry) {
	all = slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.late && a.begun(e, all) })
	apart := func(o, e entry) bool {
		if a.inOneCall(o, e) {
			return false
		}
		if o.order > e.order {
			o, e = e, o
		}
		return slices.ContainsFunc(all, func(x entry) bool { return between(x, o, e) })
	}
	for _, e := range all {
		at := slices.IndexFunc(list, func(o entry) bool { return a.onePlace(o, e) && !apart(o, e) })
		switch {
		case at < 0:
			list = append(list, e)
		case a.tellsMore(e, list[at]):
			list[at] = e
		}
	}
	return list
}

// begun reports whether the statement of what the failing run had not come to is told
// already: it had begun, as the write of a slice does with one of its words.
func (a *analysis) begun(late entry, all []entry) bool {
	list := a.pass.byG[late.g]
	for p := a.pass.pos[late.ev] - 1; p >= 0 && sameStack(a.pass.stack(list[p]), late.full); p-- {
		if f := a.m.toFail[list[p]]; f >= 0 && slices.ContainsFunc(all, func(o entry) bool { return !o.late && o.ev == f }) {
			return true
		}
	}
	return false
}

// comesBetween reports whether x is another goroutine's step on the same object, between
// two of one goroutine.
func (a *analysis) comesBetween(x, first, last entry) bool {
	return x.r == a.fail && x.ev >= 0 && !x.late && x.g != first.g && first.order < x.order && x.order < last.order &&
		first.ev >= 0 && last.ev >= 0 && (a.fail.overlap(first.ev, x.ev) || a.fail.overlap(x.ev, last.ev))
}

// tears reports whether x comes between a read and a write.
func (a *analysis) tears(x, first, last entry) bool {
	return !first.writes() && last.writes() && a.comesBetween(x, first, last)
}

// onePlace reports whether two entries are of one place and goroutine, and about the
// same object.
func (a *analysis) onePlace(o, e entry) bool {
	switch {
	case o.g != e.g || o.late != e.late || o.wait != e.wait || !sameLines(o.stack, e.stack):
		return false
	case a.inOneCall(o, e):
		return true
	case o.obj != e.obj && (!e.op.IsMemory() || o.r.varName(o.obj) != e.r.varName(e.obj) || a.calledTwice(e.stack)):
		return false
	}
	return o.op.IsMemory() && e.op.IsMemory() || o.op == e.op
}

// inOneCall reports whether two accesses are of one call into the standard library.
func (a *analysis) inOneCall(o, e entry) bool {
	return a.inStd(o) && a.inStd(e) && o.op.IsMemory() && e.op.IsMemory()
}

// tellsMore reports whether e stays rather than o, of the same place.
func (a *analysis) tellsMore(e, o entry) bool {
	if a.inOneCall(o, e) {
		return e.order > o.order
	}
	return e.order > o.order && (!o.writes() || e.writes()) || e.writes() && !o.writes()
}

// calledTwice is true if the line that calls the innermost function does so twice, as
// in "a.get() + b.get()": what it accesses is not another round of the same.
func (a *analysis) calledTwice(st []trace.Frame) bool {
	if !hasCaller(st) {
		return false
	}
	line := a.files.File(a.abs(st[1].File)).Line(st[1].Line)
	return strings.Count(line, "."+lastName(st[0].Func)+"(") > 1
}

func (e entry) writes() bool { return e.ev >= 0 && e.r.events[e.ev].Writes() }

func sameLines(a, b []trace.Frame) bool {
	if len(a) == 0 || len(b) == 0 || a[0] != b[0] {
		return false
	}
	return len(a) < 2 || len(b) < 2 || a[1] == b[1]
}

func (s *rootSet) sorted() []entry {
	sort.SliceStable(s.list, func(i, j int) bool { return s.list[i].order < s.list[j].order })
	return s.list
}

// findHelpers notes the places that steps of the root cause have in common although
// they were called from different lines of functions that other steps are in, too:
// those lines say more.
func (a *analysis) findHelpers() {
	callers := map[trace.Frame]trace.Frame{}
	for _, e := range a.root {
		if len(e.stack) == 0 || !hasCaller(e.stack) || !a.alsoIn(e, e.stack[1].Func) {
			continue
		}
		f, by := e.stack[0], e.stack[1]
		if old, ok := callers[f]; ok && (old.File != by.File || old.Line != by.Line) {
			if a.common == nil {
				a.common = map[trace.Frame]bool{}
			}
			a.common[f] = true
		} else {
			callers[f] = by
		}
	}
}

// alsoIn reports whether e's goroutine has another step in a function, outside the one
// that e is in.
func (a *analysis) alsoIn(e entry, fn string) bool {
	return slices.ContainsFunc(a.root, func(o entry) bool {
		in := func(fn string) bool {
			return slices.ContainsFunc(o.stack, func(f trace.Frame) bool { return f.Func == fn })
		}
		return o.g == e.g && o.late == e.late && in(fn) && !in(e.stack[0].Func)
	})
}
