package projection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// raceCause: both sides of one race. A finding is about one: the others are
// findings of their own.
func (a *analysis) raceCause(set *rootSet) {
	first, second, ok := a.namedRace()
	if !ok {
		return
	}
	if second.order <= first.order {
		second.order = first.order + 0.5
	}
	// Two accesses at one line of one goroutine's are two sides as well.
	for _, e := range []entry{first, second} {
		if len(e.stack) > 0 {
			set.keep(e)
		}
	}
	a.chosen = append(a.chosen, unit{shape: race, p: -1, w: first.ev, e: second.ev, late: -1, differs: true})
}

// namedRace is the first race that has both sides in the user's code, or else the
// first one.
func (a *analysis) namedRace() (first, second entry, ok bool) {
	for _, rc := range append(slices.Clone(a.fail.Races), a.in.Races...) {
		f, s := a.raceEntry(rc, rc.First), a.raceEntry(rc, rc.Second)
		if len(f.stack) > 0 && len(s.stack) > 0 {
			return f, s, true
		}
		if !ok {
			first, second, ok = f, s, true
		}
	}
	return first, second, ok
}

func (a *analysis) raceEntry(rc trace.Race, x trace.Access) entry {
	full := a.fail.stackOf(x.Stack)
	e := entry{r: a.fail, ev: -1, g: x.G, op: trace.OpRead, obj: rc.Obj, stack: a.frames(a.fail, x.G, x.Stack, rc.Obj), full: full, order: float64(x.Seq), exact: true}
	if x.Write {
		e.op = trace.OpWrite
	}
	if x.Seq >= 0 && x.Seq < len(a.fail.events) {
		e.ev, e.op = x.Seq, a.fail.events[x.Seq].Op
	}
	if e.op == trace.OpNone { // inside an operation on a channel that did not come to its end
		e.op = trace.OpSend
		if x.Write {
			e.op = trace.OpClose
		}
	}
	if len(a.userFrames(full)) == 0 {
		e.stack = nil
	}
	if !e.op.IsMemory() || e.ev < 0 {
		a.inside(&e, rc, x.Write)
	}
	e.obj = a.fail.wholeChan(e.obj)
	return e
}

// wholeChan is the channel in which an object lies that is watched inside one, the object
// itself if that is none.
func (r *run) wholeChan(obj trace.ObjID) trace.ObjID {
	if r.Objects[obj].Kind != trace.ObjChan {
		return obj
	}
	base, least := trace.SplitOffset(r.Objects[obj].Name)
	for i := range r.Objects {
		if o := &r.Objects[i]; o.Kind == trace.ObjChan {
			if b, off := trace.SplitOffset(o.Name); b == base && off < least {
				obj, least = trace.ObjID(i), off
			}
		}
	}
	return obj
}

// inside takes a side for what it is a part of: an operation of the same goroutine on
// the same object, of a WaitGroup or a channel for example, inside which the detector
// watches. Where the line is known it is the operation of that line.
func (a *analysis) inside(e *entry, rc trace.Race, write bool) {
	r := a.fail
	only := trace.OpNone // what of a channel is watched: a close writes, a send reads
	if r.Objects[rc.Obj].Kind == trace.ObjChan {
		if only = trace.OpSend; write {
			only = trace.OpClose
		}
	}
	if int(e.g) >= len(r.byG) {
		return
	}
	base, off := trace.SplitOffset(r.Objects[rc.Obj].Name)
	list := r.byG[e.g]
	for p := len(list) - 1; p >= 0; p-- {
		ev := &r.events[list[p]]
		op := ev.Op
		switch {
		case op == trace.OpBlock:
			op = trace.Op(ev.Aux & 0xffffffff)
		case op == trace.OpSelectCase && ev.Aux&1 == 1:
			op = trace.OpSend
		case op == trace.OpSelectCase:
			op = trace.OpRecv
		}
		st := a.frames(r, e.g, ev.Stack, ev.Obj)
		if ev.Obj == 0 || op.IsMemory() || op == trace.OpNone || only != trace.OpNone && op != only || len(st) == 0 || !canBe(op, e.full) {
			continue
		}
		b, o := trace.SplitOffset(r.Objects[ev.Obj].Name)
		if b != base || off < o || off > o+maxSync || len(e.stack) > 0 && e.stack[0] != st[0] {
			continue
		}
		e.ev, e.op, e.obj, e.stack, e.full = list[p], op, ev.Obj, st, r.stack(list[p])
		return
	}
}

// canBe reports whether an operation can be what the innermost frame does, if that is
// a method of a WaitGroup.
func canBe(op trace.Op, st []trace.Frame) bool {
	switch {
	case op == trace.OpWGDone:
		return false // which nothing in package sync accesses as Wait does
	case hasFrame(st, "sync.(*WaitGroup).Add"), hasFrame(st, "sync.(*WaitGroup).Go"):
		return op == trace.OpWGAdd // the first Add is what races with Wait
	case hasFrame(st, "sync.(*WaitGroup).Wait"):
		return op == trace.OpWGWait
	}
	return true
}

// maxSync is the size of the largest type of package sync that the detector watches
// inside, a WaitGroup.
const maxSync = 16

// raceWords names both accesses, the locks that were held and where the goroutines
// were started, and says what would order the two.
func (a *analysis) raceWords() (sentence, must string) {
	f, s, ok := a.namedRace()
	if !ok || len(f.stack) == 0 && len(s.stack) == 0 {
		return "", ""
	}
	if len(f.stack) == 0 || len(s.stack) == 0 {
		return a.oneSided(f, s), ""
	}
	fl, sl := a.heldBy(f), a.heldBy(s)
	object, it := a.raced(f), a.raced(s)
	if it == object && a.called(f) == "" {
		it = "it"
	}
	one, other := a.accessed(f, object), a.accessed(s, it)
	fh, sh := a.holding(f, fl), a.holding(s, sl)
	both := ""
	switch {
	case fh != sh || fh == "":
	case len(fl) == 0:
		fh, sh, both = "", "", ", neither holding a lock"
	default:
		fh, sh, both = "", "", ", both"+fh
	}
	text := fmt.Sprintf("%s %s (%s)%s and %s %s (%s)%s%s: nothing orders the two.",
		a.who(f), one, a.at(f, true), fh, a.who(s), other, a.at(s, false), sh, both)
	told, must := a.publishedWords(f, s)
	return text + told + a.startWords(f, s), cmp.Or(must, a.raceMust(f, s, fl, sl))
}

// oneSided is for a race of which the other access lies in no line of the program.
func (a *analysis) oneSided(f, s entry) string {
	if len(f.stack) == 0 {
		f, s = s, f
	}
	return fmt.Sprintf("%s %s (%s) and %s accessed it %s: nothing orders the two.",
		a.who(f), a.accessed(f, a.raced(f)), a.at(f, true), a.who(s), a.beyond(s))
}

// accessed is did without the value, which is of no interest in a race.
func (a *analysis) accessed(e entry, object string) string {
	if s := a.called(e); s != "" {
		return s
	}
	switch {
	case isAtomic(e.op) && changes(e):
		return "changed " + object + " atomically"
	case isAtomic(e.op):
		return "read " + object + " atomically"
	case e.op == trace.OpSend && !a.done(e):
		return "was about to send on " + object
	case e.op == trace.OpRecv && !a.done(e):
		return "was about to receive from " + object
	case isPlain(e.op) && changes(e):
		return "wrote " + object
	case isPlain(e.op):
		return "read " + object
	case e.op == trace.OpWGWait:
		return "called Wait on " + object
	}
	return a.did(e, object)
}

// done reports whether an entry's operation is an event, and none of those that only
// say that it begins.
func (a *analysis) done(e entry) bool { return e.ev >= 0 && e.r.events[e.ev].Op == e.op }

// raced is what to call the object of a side: of a map the element, where one is
// accessed.
func (a *analysis) raced(e entry) string {
	if e.obj != 0 && int(e.obj) < len(e.r.Objects) && e.r.Objects[e.obj].Elem == trace.MapHeader && len(e.stack) > 0 {
		name := a.nameOf(e)
		el := a.fn(e.stack[0]).Operand(e.stack[0].Line, source.Want{Name: lastName(name), Element: true}).Text
		if strings.HasPrefix(el, name+"[") {
			return quoted(el)
		}
	}
	return a.object(e)
}

// startWords says where the goroutines of a race were started.
func (a *analysis) startWords(f, s entry) string {
	start := func(e entry) string {
		at := a.userFrames(a.fail.stackOf(a.fail.Goroutine(e.g).Spawn))
		if len(at) == 0 {
			return ""
		}
		if i := slices.IndexFunc(at, a.inModule); i > 0 {
			at = at[i:]
		}
		return a.lineOf(at[0], true)
	}
	one, other := start(f), start(s)
	switch {
	case f.g == s.g || one == "" && other == "":
		return ""
	case one == other:
		return fmt.Sprintf(" Both were started at %s.", one)
	case other == "":
		return fmt.Sprintf(" %s was started at %s.", a.who(f), one)
	case one == "":
		return fmt.Sprintf(" %s was started at %s.", a.who(s), other)
	}
	return fmt.Sprintf(" %s was started at %s, %s at %s.", a.who(f), one, a.who(s), other)
}

// hold is a lock that a goroutine has.
type hold struct {
	obj  trace.ObjID
	ev   int
	read bool // for reading only
}

// heldBy lists the locks of an entry's goroutine at its access, in the order in which
// it took them, those that the standard library takes for itself left out.
func (a *analysis) heldBy(e entry) []hold {
	r := e.r
	if e.ev < 0 || int(e.g) >= len(r.byG) {
		return nil
	}
	var out []hold
	for _, x := range r.byG[e.g][:r.pos[e.ev]] {
		ev := &r.events[x]
		if hasFrame(r.stack(x), "sync.(*Cond).Wait") {
			continue // which has unlocked and locked it
		}
		switch ev.Op {
		case trace.OpTryLock, trace.OpTryRLock:
			if ev.Value != 1 {
				continue
			}
			fallthrough
		case trace.OpLock, trace.OpRLock:
			out = append(out, hold{ev.Obj, x, ev.Op == trace.OpRLock || ev.Op == trace.OpTryRLock})
		case trace.OpUnlock, trace.OpRUnlock:
			for i := len(out) - 1; i >= 0; i-- {
				if out[i].obj == ev.Obj {
					out = slices.Delete(out, i, i+1)
					break
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(h hold) bool { l := a.entry(h.ev); return len(l.stack) == 0 || a.called(l) != "" })
}

// raceLocks are where the sides of a race took the locks that they hold: these are told
// apart before anything is said of one of them.
func (a *analysis) raceLocks() (out []entry) {
	if a.fail.Outcome.Kind != trace.Raced {
		return nil
	}
	f, s, _ := a.namedRace()
	for _, side := range []entry{f, s} {
		if side.r == nil {
			continue
		}
		for _, h := range a.heldBy(side) {
			out = append(out, a.entry(h.ev))
		}
	}
	return out
}

// holding says which locks one side held, "" if its event is not known.
func (a *analysis) holding(e entry, own []hold) string {
	if e.ev < 0 {
		return ""
	}
	if len(own) == 0 {
		return " holding no lock"
	}
	var names []string
	for _, h := range own {
		n := a.lockName(h)
		if h.read {
			n += " for reading"
		}
		names = append(names, n)
	}
	return " holding " + list(names)
}

// raceColumn is what the table says of a side of a race.
func (a *analysis) raceColumn(e entry) string {
	if e.ev < 0 {
		return "runs"
	}
	return strings.ReplaceAll(strings.Replace(a.holding(e, a.heldBy(e)), " holding", "holds", 1), "`", "")
}

func list(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return strings.Join(names, "")
}

func (a *analysis) lockName(h hold) string { return a.object(a.entry(h.ev)) }

// raceMust names a repair: the lock that the other side has, or one for both. What a
// test does to a program that it tests is no place to repair.
func (a *analysis) raceMust(f, s entry, fl, sl []hold) string {
	if inTest(f) != inTest(s) {
		return ""
	}
	line := func(e entry) string { return title(a.at(e, true)) }
	if m := a.inOrder(f, s); m != "" {
		return m
	}
	if m := a.shareLock(f, s, fl, sl); m != "" {
		return m
	}
	if m := a.sameLock(f, s, fl, sl); m != "" && f.ev >= 0 && s.ev >= 0 {
		return m
	}
	switch {
	case len(fl) > 0 && len(sl) > 0:
		return fmt.Sprintf("%s and %s must hold one lock: they hold different ones.", line(f), a.at(s, true))
	case isAtomic(f.op) && isPlain(s.op):
		return fmt.Sprintf("%s must be atomic too, as %s is.", line(s), a.at(f, true))
	case isAtomic(s.op) && isPlain(f.op):
		return fmt.Sprintf("%s must be atomic too, as %s is.", line(f), a.at(s, true))
	case !isPlain(f.op) || !isPlain(s.op):
		return ""
	}
	return "Both accesses need one lock, or a channel or WaitGroup that orders them."
}

func inTest(e entry) bool { return len(e.stack) > 0 && strings.HasSuffix(e.stack[0].File, "_test.go") }

// changes reports whether a side of a race writes.
func changes(e entry) bool {
	return e.writes() || e.op == trace.OpWrite || e.op == trace.OpWriteRange
}

// inOrder is for operations that must come in one order, whatever locks are held.
func (a *analysis) inOrder(f, s entry) string {
	if f.op == trace.OpWGWait || f.op == trace.OpClose {
		f, s = s, f
	}
	switch {
	case f.op == trace.OpWGAdd && s.op == trace.OpWGWait:
		return fmt.Sprintf("%s must come before %s.", title(a.at(f, true)), a.at(s, true))
	case f.op == trace.OpSend && s.op == trace.OpClose:
		return fmt.Sprintf("%s must not send when %s may have closed the channel.", title(a.at(f, true)), a.at(s, true))
	}
	return ""
}

// shareLock is for two sides that hold one lock, both for reading.
func (a *analysis) shareLock(f, s entry, fl, sl []hold) string {
	for _, x := range fl {
		if !slices.ContainsFunc(sl, func(y hold) bool { return x.obj == y.obj }) {
			continue
		}
		w := f
		if !changes(f) {
			w = s
		}
		return fmt.Sprintf("%s writes: it must hold %s for writing, by Lock and not by RLock.", title(a.at(w, true)), a.lockName(x))
	}
	return ""
}

// sameLock is for a side that holds no lock while the other holds one.
func (a *analysis) sameLock(f, s entry, fl, sl []hold) string {
	bare, locked, ls := f, s, sl
	if len(sl) == 0 {
		bare, locked, ls = s, f, fl
	}
	if len(fl)+len(sl) == 0 || len(fl) > 0 && len(sl) > 0 {
		return ""
	}
	l := ls[len(ls)-1]
	switch {
	case l.read && changes(locked):
		return ""
	case l.read && changes(bare):
		return fmt.Sprintf("%s must hold %s for writing, as %s holds it for reading.", title(a.at(bare, true)), a.lockName(l), a.at(locked, true))
	}
	return fmt.Sprintf("%s must hold %s, as %s does.", title(a.at(bare, true)), a.lockName(l), a.at(locked, true))
}
