package projection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// notGivenBack tells, of who waits for room in a buffered channel, which goroutine ended on
// a way of its function that leaves out the receive that makes room. It reports whether
// there is one.
func (t *story) notGivenBack(w *waiter) bool {
	a := t.a
	if w.Op != trace.OpSend || w.Obj == 0 || a.fail.capacity(w.Obj) <= 0 {
		return false
	}
	object := a.object(a.waitEntry(w))
	name := strings.Trim(object[strings.LastIndexByte(object, '.')+1:], "`")
	for g := range a.fail.Goroutines {
		gid := trace.GID(g)
		if gid == w.G || !a.hasEnded(gid) || a.gaveBack(gid, w.Obj) || !a.tookPlace(gid, w.Obj) {
			continue
		}
		ret, at, ok := a.leftOut(gid, name)
		if !ok {
			continue
		}
		e := entry{r: a.fail, ev: -1, g: gid, op: trace.OpEnd, stack: []trace.Frame{ret}, order: float64(w.seq) - 0.5, failing: "returns", passing: "-"}
		here := a.at(e, false)
		t.because(fmt.Sprintf("`%s` returned (%s) without receiving from %s (%s)", a.fail.gname(gid), here, object, a.lineOf(at, false)), e)
		t.must("`%s` must give back its place in %s (%s) on that way, too.", a.fail.gname(gid), object, a.lineOf(at, false))
		return true
	}
	return false
}

// holdsSlot is the send by which a goroutine took a place in a buffered channel that it has
// not given back, of a channel in which another one waits for a place.
func (a *analysis) holdsSlot(w *waiter, g trace.GID) (entry, bool) {
	if w.Op != trace.OpSend || w.Obj == 0 || a.capacity(w.Obj) <= 0 {
		return entry{}, false
	}
	taken := placesOf(a.fail.events, w.Obj, g)
	if len(taken) == 0 {
		return entry{}, false
	}
	e := a.entry(taken[0])
	e.own = true
	e.failing, e.passing = "not given back", "-"
	return e, len(e.stack) > 0
}

// placesOf are the sends for which a goroutine has a place in a channel, by event. Where all
// give back the places that they have taken, it has those that it has not received since.
// Else the channel is a queue, and messages leave it in the order in which they came.
func placesOf(events []trace.Event, ch trace.ObjID, g trace.GID) []int {
	var inside []int // sends whose messages are in the channel, the oldest first
	own, queue := map[trace.GID][]int{}, false
	for i := range events {
		e := &events[i]
		switch {
		case e.Obj != ch:
		case isSend(e):
			inside, own[e.G] = append(inside, i), append(own[e.G], i)
		case isRecv(e) && len(inside) > 0:
			inside = inside[1:]
			if mine := own[e.G]; len(mine) > 0 {
				own[e.G] = mine[:len(mine)-1]
			} else {
				queue = true
			}
		}
	}
	if !queue {
		return own[g]
	}
	return slices.DeleteFunc(inside, func(i int) bool { return events[i].G != g })
}

// tookPlace reports whether a goroutine sent on a channel, or the one that started it did
// right before.
func (a *analysis) tookPlace(g trace.GID, ch trace.ObjID) bool {
	sent := false
	for i := range a.fail.events {
		e := &a.fail.events[i]
		switch {
		case e.G == g && e.Obj == ch && isSend(e):
			return true
		case e.G == a.fail.Goroutine(g).Parent && e.Obj == ch && isSend(e):
			sent = true
		case e.G == a.fail.Goroutine(g).Parent && e.Op == trace.OpSpawn:
			if trace.GID(e.Aux) == g {
				return sent
			}
			sent = false
		}
	}
	return false
}

// gaveBack reports whether a goroutine received from a channel.
func (a *analysis) gaveBack(g trace.GID, ch trace.ObjID) bool {
	for _, i := range a.fail.byG[g] {
		if e := &a.fail.events[i]; e.Obj == ch && isRecv(e) {
			return true
		}
	}
	return false
}

// leftOut is where a goroutine returned from its own function, and the receive from a
// channel, by its name, below that which it did not come to.
func (a *analysis) leftOut(g trace.GID, name string) (ret, at trace.Frame, ok bool) {
	list := a.fail.byG[g]
	for k := len(list) - 1; k >= 0; k-- {
		st := a.userFrames(a.fail.stack(list[k]))
		if len(st) == 0 {
			continue
		}
		own := st[len(st)-1]
		fn := a.files.File(a.abs(own.File)).Func(own.Func, own.Line)
		if own.Line == fn.End() {
			continue // where deferred calls run
		}
		for _, line := range fn.Receives(name) {
			if line <= own.Line {
				continue
			}
			if ret := a.returnFrom(g, list[k], len(st)-1, line); ret.Line > 0 && ret.Line < line {
				return ret, trace.Frame{Func: own.Func, File: own.File, Line: line}, true
			}
		}
		return ret, at, false
	}
	return ret, at, false
}

// tokenTaken tells, of who waits for the token of a buffered channel without content, who
// received it last, has ended and sent none since. It reports whether there is one.
func (t *story) tokenTaken(w *waiter) bool {
	a := t.a
	if w.Op != trace.OpRecv || w.Obj == 0 || a.fail.capacity(w.Obj) <= 0 || !strings.HasPrefix(a.fail.Objects[w.Obj].Type, "chan struct {}") {
		return false
	}
	last := -1
	for i := range a.fail.events {
		if e := &a.fail.events[i]; e.Obj == w.Obj && isRecv(e) {
			last = i
		}
	}
	if last < 0 || a.fail.events[last].G == w.G || !a.hasEnded(a.fail.events[last].G) {
		return false
	}
	e := a.entry(last)
	if len(e.stack) == 0 {
		return false
	}
	e.failing, e.passing = "takes the token", "-"
	t.because(fmt.Sprintf("%s received from %s (%s) and ended", a.who(e), a.object(e), a.at(e, false)), e)
	return true
}
