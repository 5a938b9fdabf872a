package projection

import (
	"fmt"
	"slices"
	"sort"

	"github.com/hocket-dev/hocket/engine/trace"
)

// published is what the goroutine of a write had told before that, by a message or by
// setting a flag atomically, and where the goroutine of a read had seen it before the read:
// what is written afterwards is not there for who relies on it.
func (a *analysis) published(write, read int) (told, seen int, ok bool) {
	r := a.fail
	for _, x := range slices.Backward(r.byG[r.events[read].G][:r.pos[read]]) {
		for _, src := range append(r.messages(x), r.flag(x)...) {
			if r.events[src].G == r.events[write].G && r.pos[src] < r.pos[write] && len(a.userFrames(r.stack(src))) > 0 && len(a.userFrames(r.stack(x))) > 0 {
				return src, x, true
			}
		}
	}
	return 0, 0, false
}

// flag is where a flag was set that an event read atomically.
func (r *run) flag(x int) []int {
	src := r.src[x]
	if src < 0 || r.events[x].Op != trace.OpAtomicLoad || r.events[src].Op != trace.OpAtomicStore || kindOf(&r.Objects[r.events[x].Obj]) != "bool" {
		return nil
	}
	return []int{src}
}

// publishedUnit: e read what another goroutine wrote later only, although it had told
// before that it was there.
func (a *analysis) publishedUnit(n node) (unit, bool) {
	r := a.fail
	if e := &r.events[n.ev]; !e.Op.IsMemory() || !e.Reads() {
		return unit{}, false
	}
	list := r.touching(n.ev)
	for _, w := range list[sort.SearchInts(list, n.ev):] {
		if w == n.ev || !r.events[w].Writes() {
			continue
		}
		if r.events[w].G == r.events[n.ev].G {
			break
		}
		if told, seen, ok := a.published(w, n.ev); ok {
			return unit{shape: early, p: -1, w: w, e: n.ev, late: -1, score: n.cost, extra: []int{told, seen}}, true
		}
	}
	return unit{}, false
}

// publishedWords tell of a race that the goroutine of a write had told the other one
// before that all was there; and what must hold instead, where one function does both and
// could do so the other way round.
func (a *analysis) publishedWords(f, s entry) (sentence, must string) {
	for _, side := range [][2]entry{{f, s}, {s, f}} {
		write, other := side[0], side[1]
		if write.ev < 0 || other.ev < 0 || !isPlain(write.op) || !changes(write) || !isPlain(other.op) {
			continue
		}
		told, seen, ok := a.published(write.ev, other.ev)
		if !ok {
			continue
		}
		t, g := a.entry(told), a.entry(seen)
		did := "read"
		if changes(other) {
			did = "wrote"
		}
		sentence = fmt.Sprintf(" %s %s (%s) before it wrote, and %s %s (%s) before it %s.", title(a.who(t)), a.did(t, a.object(t)), a.at(t, false),
			a.who(g), a.did(g, a.again(t, g)), a.at(g, false), did)
		if x, y := commonFrame(t.full, write.full); x.Line > 0 && x.Line < y.Line && !a.isStd(x) && a.oneRound(x, y) && a.movable(t, write) {
			must = a.precedes(write, t)
		}
		return sentence, must
	}
	return "", ""
}

// movable reports whether the goroutine of a write could have written before it told
// others: not where it received or waited for something in between, or read there what the
// write depends on.
func (a *analysis) movable(told, write entry) bool {
	r, from := write.r, told.ev
	before := r.byG[r.events[write.ev].G][:r.pos[write.ev]]
	if write.late { // what waits to tell, and is let go later, is found at the same place
		from = a.m.toPass[told.ev]
		for i := len(before) - 1; i >= 0 && from < 0; i-- {
			if sameStack(r.stack(before[i]), told.full) {
				from = before[i]
			}
		}
	}
	at := slices.Index(before, from)
	if at < 0 || slices.ContainsFunc(before[at+1:], func(x int) bool { return awaits(&r.events[x]) }) {
		return false
	}
	_, line := commonFrame(told.full, write.full)
	return !slices.ContainsFunc(a.deps(r, write.ev, true), func(d dep) bool {
		_, at := commonFrame(told.full, r.stack(d.ev))
		return d.ev > from && at != line // a statement moves with what it reads itself
	})
}

// awaits is true of what goes on only when another goroutine, or a peer, has done something.
func awaits(e *trace.Event) bool {
	switch e.Op {
	case trace.OpWGWait, trace.OpCondWait, trace.OpCondWake, trace.OpNetAccept, trace.OpNetRead:
		return true
	}
	return isRecv(e)
}

// oneRound reports whether two lines of a function are in the same rounds: no loop is
// around the second one only.
func (a *analysis) oneRound(f, then trace.Frame) bool {
	loop, ok := a.fn(then).Loop(then.Line)
	return !ok || loop.Has(f.Line)
}
