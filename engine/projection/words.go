package projection

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

func (a *analysis) class() Class {
	if a.stuck != nil {
		if a.stuck.missed {
			return Missed
		}
		return Deadlock
	}
	if len(a.chosen) == 0 {
		return Other
	}
	u := a.chosen[0]
	switch u.shape {
	case race:
		return DataRace
	case misuse:
		if u.region == nil {
			return Misuse
		}
		return Atomicity
	case woken:
		if !a.loops(u) {
			return Missed
		}
	case torn:
		if a.sleeps(u) && !a.loops(u) {
			return Missed
		}
		return Atomicity
	}
	if a.interruptedLate() || u.toldReady() && !a.opens(&u) {
		return Atomicity
	}
	return Order
}

// sleeps reports whether e's goroutine was woken between p and e.
func (a *analysis) sleeps(u unit) bool {
	for _, x := range u.extra {
		if a.fail.events[x].Op == trace.OpCondWake && a.fail.events[x].G == a.fail.events[u.e].G {
			return true
		}
	}
	return false
}

// loops reports whether the wake-up is in a loop that checks again.
func (a *analysis) loops(u unit) bool {
	for _, x := range u.extra {
		st := a.userFrames(a.fail.stack(x))
		if a.fail.events[x].Op != trace.OpCondWake || len(st) == 0 {
			continue
		}
		fn := a.files.File(a.abs(st[0].File)).Func(st[0].Func, st[0].Line)
		for _, c := range fn.Controls(st[0].Line) {
			if c.Kind == source.For {
				return true
			}
			if c.Kind == source.If {
				return false
			}
		}
	}
	return false
}

// words writes the sentence, what must hold, and the region.
func (a *analysis) words(c Class) (sentence, must string, region *Region) {
	if a.stuck != nil {
		s, m := a.stuckWords()
		return s, m, nil
	}
	if len(a.chosen) == 0 {
		return a.plainWords(), "", nil
	}
	u := a.chosen[0]
	switch u.shape {
	case torn:
		sentence, must, region = a.splitWords(u)
	case misuse:
		sentence, must, region = a.misuseWords(u)
	case ordered:
		sentence, must = a.orderedWords(u)
	case woken:
		sentence, must = a.wokenWords(u)
	case early:
		sentence, must, region = a.earlyWords(u)
	case choice:
		sentence, must = a.choiceWords(u)
	case race:
		sentence, must = a.raceWords()
	}
	if u.shape != race && a.asksOfTests(u) {
		must, region = "", nil
	}
	link := ""
	for i := range a.chosen {
		if l, m := a.uncountedWords(&a.chosen[i]); l != "" && link == "" {
			link, must, region = l, m, nil
		}
	}
	if story := a.story(); story != "" && !u.toldReady() {
		return story + link + a.firedBefore(u), must, region
	}
	sentence += a.ledWords() + link + a.firedBefore(u)
	if pre := a.onlyIf(u); pre != "" && !a.in.Cause.Explains() {
		sentence += " " + pre
	}
	return sentence, must, region
}

// asksOfTests reports whether what must hold instead would be asked of a test's own
// lines, although the bug is in the code that it tests.
func (a *analysis) asksOfTests(u unit) bool {
	beyond := func(inTest func(trace.Frame) bool) bool {
		return slices.ContainsFunc(a.root, func(e entry) bool { return len(e.stack) > 0 && !inTest(e.stack[0]) })
	}
	if beyond(inTestFile) {
		return a.asksOf(u, inTestFile)
	}
	return beyond(inTestFunc) && inTestFunc(a.mustMove(u))
}

// mustMove is where the advice about a unit asks for a change: the region, or what must
// come first.
func (a *analysis) mustMove(u unit) trace.Frame {
	switch {
	case u.region != nil:
		return trace.Frame{Func: u.region.fn, File: u.region.file}
	case u.shape == ordered:
		return a.shown(a.entry(u.e))
	case u.late >= 0:
		return a.shown(a.lateEntry(u.late))
	case u.w >= 0:
		return a.shown(a.entry(u.w))
	}
	return trace.Frame{}
}

func inTestFile(f trace.Frame) bool { return strings.HasSuffix(f.File, "_test.go") }

// inTestFunc is true within a test function, and functions in it.
func inTestFunc(f trace.Frame) bool {
	_, name, _ := strings.Cut(path.Base(f.Func), ".")
	return inTestFile(f) && testFunc.MatchString(name)
}

var testFunc = regexp.MustCompile(`^(Test|Benchmark|Example|Fuzz)([^a-z]|$)`)

// asksOf reports whether the advice about a unit is about places for which in is true.
func (a *analysis) asksOf(u unit, in func(trace.Frame) bool) bool {
	if u.region != nil {
		return in(trace.Frame{Func: u.region.fn, File: u.region.file})
	}
	for _, ev := range []int{u.w, u.e} {
		if ev >= 0 && in(a.shown(a.entry(ev))) {
			return true
		}
	}
	return u.late >= 0 && in(a.shown(a.lateEntry(u.late)))
}

func (a *analysis) plainWords() string {
	if a.fail.fail < 0 {
		return ""
	}
	e := a.entry(a.fail.fail)
	return fmt.Sprintf("%s failed at %s; no access that differs from a passing run leads there.", a.who(e), a.at(e, true))
}

// at is the place of an entry in a clause: the line where it touches what the clause is
// about, with the line that called a small helper, and the file where it is not the
// failure's.
func (a *analysis) at(e entry, long bool) string {
	if len(e.stack) > 0 && a.atCaller(e) {
		return a.lineOf(e.stack[0], long) + ", called at " + a.lineOf(e.stack[1], false)
	}
	return a.line(e, long)
}

// line is the line that is shown of an entry, the caller's for a small helper: what advice
// is about, and what the table has.
func (a *analysis) line(e entry, long bool) string {
	f := a.shown(e)
	if f.Line == 0 {
		return a.beyond(e)
	}
	return a.lineOf(f, long)
}

func (a *analysis) splitWords(u unit) (string, string, *Region) {
	p, w, e := a.entry(u.p), a.entry(u.w), a.entry(a.whole(u.e))
	why := ", because"
	if !a.fail.events[e.ev].Reads() || e.op.IsMemory() && a.inWords(e) == "" || a.fail.events[u.w].Reads() && !a.fail.events[u.w].Writes() {
		why = ", but"
	}
	object := a.object(w)
	if a.nameOf(p) == a.nameOf(e) { // of two objects "it" could be either
		object = a.again(e, w)
	}
	first, then := a.did(p, a.object(p)), a.did(e, a.again(p, e))
	if first == a.did(e, a.object(e)) {
		then += " again"
	}
	s := fmt.Sprintf("%s %s (%s) and %s (%s)%s %s %s in between (%s).",
		a.who(p), first, a.at(p, true), then, a.at(e, false), why,
		a.who(w), a.did(w, object), a.at(w, false))
	if h, ok := a.letGo(u); ok {
		s = strings.TrimSuffix(s, ".") + fmt.Sprintf(", after %s %s (%s).", a.who(h), a.did(h, a.object(h)), a.at(h, false))
	}
	s += a.sleepWords(u)
	must, reg := a.regionWords(u, w)
	return s, must, reg
}

// letGo is what the goroutine of an interrupted region did in it that let the other go on.
func (a *analysis) letGo(u unit) (entry, bool) {
	for _, x := range u.extra {
		if e := &a.fail.events[x]; e.G == a.fail.events[u.e].G && (isMessage(e) || isRecv(e)) {
			return a.entry(x), true
		}
	}
	return entry{}, false
}

// sleepWords adds that e's goroutine went on after a wake-up that came for
// something that is gone.
func (a *analysis) sleepWords(u unit) string {
	if !a.sleeps(u) {
		return ""
	}
	var wake entry
	for _, x := range u.extra {
		if a.fail.events[x].Op == trace.OpCondWake {
			wake = a.entry(x)
		}
	}
	s := fmt.Sprintf(" %s was woken (%s)", a.who(wake), a.at(wake, false))
	if !a.loops(u) {
		s += " and did not check again"
	}
	return s + "."
}

func (a *analysis) regionWords(u unit, w entry) (string, *Region) {
	g := a.fail.gname(a.fail.events[u.p].G)
	r := &Region{
		Goroutine: g, Func: u.region.fn, File: a.in.Roots.Name(u.region.file),
		From: u.region.from, To: u.region.to, Against: a.fail.gname(w.g),
	}
	lines := fmt.Sprintf("Lines %d-%d", r.From, r.To)
	if r.From == r.To {
		lines = fmt.Sprintf("Line %d", r.From)
	}
	if r.File != a.failurePlace().File {
		lines += " of " + path.Base(r.File)
	}
	return fmt.Sprintf("%s of `%s` must run without `%s` in between.", lines, g, r.Against), r
}

func (a *analysis) misuseWords(u unit) (string, string, *Region) {
	ms := a.members(u)
	var e entry
	for _, m := range ms {
		if m.ev == u.e {
			e = m
		}
	}
	w := a.entry(u.w)
	verb := "close"
	if e.op == trace.OpSend {
		verb = "send on"
	}
	if u.region == nil {
		return fmt.Sprintf("%s tried to %s %s (%s) after %s had closed it (%s).", a.who(e), verb, a.object(w), a.at(e, true), a.who(w), a.at(w, false)),
			fmt.Sprintf("Nothing may %s the channel after line %s.", verb, a.line(w, false)), nil
	}
	p := a.entry(u.p)
	must, reg := a.regionWords(u, w)
	saw, it := fmt.Sprintf("saw %s open", a.object(w)), "it"
	if p.op.IsMemory() {
		saw, it = a.did(p, a.object(p)), a.object(w)
	}
	return fmt.Sprintf("%s %s (%s) and tried to %s %s (%s), but %s closed it in between (%s).",
		a.who(p), saw, a.at(p, true), verb, it, a.at(e, false), a.who(w), a.at(w, false)), must, reg
}

func (a *analysis) orderedWords(u unit) (string, string) {
	w, e := a.entry(u.w), a.entry(u.e)
	if a.waitedFirst(u.w) && u.e == a.fail.src[u.w] {
		return fmt.Sprintf("%s waited to receive from %s (%s) when %s sent on it (%s).", a.who(w), a.object(w), a.at(w, true), a.who(e), a.at(e, false)), ""
	}
	s := fmt.Sprintf("%s %s (%s) before %s %s (%s).", a.who(w), a.did(w, a.object(w)), a.at(w, true), a.who(e), a.didPlainly(w, e), a.at(e, false))
	if len(u.extra) > 0 {
		h := a.entry(u.extra[len(u.extra)-1])
		s = strings.TrimSuffix(s, ".") + fmt.Sprintf(", after %s %s (%s).", a.who(h), a.did(h, a.object(h)), a.at(h, false))
	}
	return s, a.mustPrecede(e, w)
}

func (a *analysis) wokenWords(u unit) (string, string) {
	e, wake, sig, w := a.entry(u.e), a.entry(u.extra[0]), a.entry(u.w), a.entry(u.extra[1])
	changer := a.who(w)
	if w.g == e.g {
		changer = "it"
	}
	s := fmt.Sprintf("%s was woken (%s) by a signal of %s (%s) and %s (%s), which %s had changed before (%s).",
		a.who(wake), a.at(wake, true), a.who(sig), a.at(sig, false), a.did(e, a.object(e)), a.at(e, false), changer, a.at(w, false))
	if a.loops(u) {
		return s, ""
	}
	return s, "The wait must be in a loop that checks its condition again."
}

func (a *analysis) earlyWords(u unit) (sentence, must string, region *Region) {
	e := a.entry(u.e)
	w := e
	if u.late >= 0 {
		w = a.lateEntry(u.late)
	} else {
		w = a.entry(u.w)
	}
	if u.toldReady() {
		ready, read := a.entry(u.extra[0]), a.entry(u.extra[1])
		switch {
		case !a.opens(&u):
			must, region = a.halfWritten(ready, w, e)
		case !a.leavesLoop(ready, w) && a.line(w, true) != a.line(ready, true) && a.movable(ready, w):
			must = a.precedes(w, ready)
		}
		return fmt.Sprintf("%s %s (%s); %s then %s (%s) and %s (%s) before %s %s (%s).",
			a.who(ready), a.did(ready, a.object(ready)), a.at(ready, true), a.who(read), a.didPlainly(ready, read), a.at(read, false),
			a.did(e, a.object(e)), a.at(e, false), a.who(w), a.did(w, a.again(e, w)), a.at(w, false)), must, region
	}
	s := fmt.Sprintf("%s %s (%s) before %s %s (%s)", a.who(e), a.did(e, a.object(e)), a.at(e, true), a.who(w), a.did(w, a.again(e, w)), a.at(w, false))
	if len(u.extra) > 0 && a.fail.events[u.extra[0]].Op == trace.OpSpawn {
		return s + fmt.Sprintf(", which had started it before that (%s).", a.at(a.entry(u.extra[0]), false)),
			fmt.Sprintf("%s must come before the go statement of %s.", title(a.line(w, true)), a.line(a.entry(u.extra[0]), true)), nil
	}
	return s + ".", a.mustPrecede(w, e), nil
}

func (a *analysis) choiceWords(u unit) (string, string) {
	if e := a.entry(u.e); u.w < 0 {
		return fmt.Sprintf("%s %s (%s), where a passing run took %s.", a.who(e), a.did(e, a.object(e)), a.at(e, true), a.tookOther(e)), ""
	}
	w, e := a.entry(u.w), a.entry(u.e)
	s := fmt.Sprintf("%s %s (%s), because %s %s (%s)", a.who(e), a.did(e, a.object(e)), a.at(e, true), a.who(w), a.did(w, a.object(w)), a.at(w, false))
	must := ""
	if len(u.extra) > 0 {
		x := a.entry(u.extra[0])
		s += fmt.Sprintf(", although what %s had sent on %s (%s) was still waiting", a.who(x), a.object(x), a.at(x, false))
		must = fmt.Sprintf("What %s sent (%s) must be received before %s takes this path.", a.who(x), a.line(x, false), a.who(e))
	}
	return s + ".", must
}

// title begins a sentence with a capital, unless it begins with a place.
func title(s string) string {
	if first, _, _ := strings.Cut(s, " "); first == "" || strings.Contains(first, ".go:") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// onlyIf says which earlier step of another goroutine the access in between
// needed, if not every passing run reaches that access.
func (a *analysis) onlyIf(u unit) string {
	if u.w < 0 || len(a.passes) == 0 || u.shape == race || !a.optional(u.w) {
		return ""
	}
	w := a.entry(u.w)
	for _, d := range a.deps(a.fail, u.w, false) {
		src := a.fail.src[d.ev]
		if d.ctl == nil || src < 0 || a.fail.events[src].G == w.g || !a.optional(src) || a.fail.overlap(src, u.w) {
			continue
		}
		s := a.entry(src)
		never := ""
		if !a.ran(src) {
			never = ", which no passing run did"
		}
		return fmt.Sprintf("%s only comes to %s if %s %s (%s)%s.", a.who(w), a.line(w, true), a.who(s), a.did(s, a.object(s)), a.at(s, false), never)
	}
	return ""
}

// ran reports whether a passing run did the same operation at the same place.
func (a *analysis) ran(ev int) bool {
	st := a.fail.stack(ev)
	for _, r := range a.passes {
		for i := range r.events {
			if r.events[i].Op == a.fail.events[ev].Op && sameStack(r.stack(i), st) {
				return true
			}
		}
	}
	return false
}
