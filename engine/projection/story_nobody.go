package projection

import (
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// nobody tells of a wait that ends in no known run: who could have ended it,
// and how far that one came.
func (t *story) nobody(w *waiter) {
	a := t.a
	if w.Op == trace.OpWGWait {
		t.uncounted(w)
		return
	}
	t.why(w)
	if ev := a.lastDropped(w); ev >= 0 {
		t.dropped(ev, "-")
		return
	}
	if t.passedBy(w) || t.unclosed(w) || t.notGivenBack(w) || t.tokenTaken(w) {
		return
	}
	last := map[trace.GID]int{}
	var order []trace.GID
	for _, o := range a.fail.waitsAt(w) {
		for i := range a.fail.events {
			e := &a.fail.events[i]
			if e.Obj == o && e.G != w.G && helps(w.Op, e) && len(a.userFrames(a.fail.stack(i))) > 0 {
				if _, ok := last[e.G]; !ok {
					order = append(order, e.G)
				}
				last[e.G] = i
			}
		}
	}
	verb := map[trace.Op]string{
		trace.OpSend: "receives from it", trace.OpRecv: "sends on it or closes it",
		trace.OpCondWait: "signals it", trace.OpCondWake: "signals it",
	}[w.Op]
	if len(order) == 0 {
		if a.isContext(w.Obj) {
			verb = "cancels that context"
		}
		if verb != "" && w.Obj != 0 && !a.helpedAnywhere(w) {
			t.say("in these runs nothing " + verb)
		}
		return
	}
	for _, g := range order[:min(len(order), maxDepartures)] {
		t.lastHelp(g, last[g])
	}
}

// helpedAnywhere reports whether anybody did in any run what w waits for.
func (a *analysis) helpedAnywhere(w *waiter) bool {
	names := a.fail.namesAt(w)
	for _, r := range append([]*run{a.fail}, a.passes...) {
		for i := range r.events {
			if e := &r.events[i]; int(e.Obj) < len(r.Objects) && names[r.Objects[e.Obj].Name] && helps(w.Op, e) {
				return true
			}
		}
	}
	return false
}

// isContext reports whether a channel is what Done of a context returns.
func (a *analysis) isContext(obj trace.ObjID) bool {
	st := a.fail.stackOf(a.fail.Objects[obj].Alloc)
	return len(st) > 0 && strings.HasPrefix(st[0].Func, "context.")
}

// lastHelp tells the last thing that g did for those who wait, and where it left.
func (t *story) lastHelp(g trace.GID, ev int) {
	a := t.a
	e := a.entry(ev)
	text := fmt.Sprintf("%s last %s (%s)", a.who(e), a.did(e, a.object(e)), a.at(e, false))
	steps := []entry{e}
	end := ""
	if a.hasEnded(g) {
		end = " and ended"
	}
	if ret := a.returnFrom(g, ev, 0, 0); ret.Line > 0 {
		r := entry{r: a.fail, ev: -1, g: g, op: trace.OpEnd, stack: []trace.Frame{ret}, order: float64(ev) + 0.25, failing: "returns", passing: "-"}
		end = fmt.Sprintf(" and returned (%s)", a.at(r, false))
		steps = append(steps, r)
	}
	t.say(text+end, steps...)
}

// uncounted tells of a WaitGroup whose counter stays above 0.
func (t *story) uncounted(w *waiter) {
	a := t.a
	n, add := int64(0), -1
	for i := range a.fail.events {
		e := &a.fail.events[i]
		if e.Obj != w.Obj || e.Op != trace.OpWGAdd && e.Op != trace.OpWGDone {
			continue
		}
		n += int64(e.Value)
		if e.Op == trace.OpWGAdd {
			add = i
		}
	}
	if n <= 0 || add < 0 {
		return
	}
	e := a.entry(add)
	e.failing, e.passing = fmt.Sprintf("%d without Done", n), "-"
	times := "once"
	if n > 1 {
		times = fmt.Sprintf("%d times", n)
	}
	t.say(fmt.Sprintf("Done is called %s less than Add (%s) counted", times, a.at(e, false)), e)
}

// passedBy tells of those who were ready to end the wait, in a select that went
// another way. It reports whether there were any.
func (t *story) passedBy(w *waiter) bool {
	a := t.a
	last := map[trace.GID]int{} // a case of the last such select of a goroutine
	var order []trace.GID
	for i := range a.fail.events {
		e := &a.fail.events[i]
		if e.Op != trace.OpSelectCase || e.Obj != w.Obj || e.Obj == 0 || e.G == w.G || (e.Aux&1 == 1) != (w.Op == trace.OpRecv) {
			continue
		}
		if _, ok := last[e.G]; !ok {
			order = append(order, e.G)
		}
		last[e.G] = i
	}
	told := 0
	for _, g := range order {
		if sel := a.selectOf(last[g]); sel >= 0 && told < maxDepartures {
			t.tookOther(last[g], sel)
			t.sendMust(w, g, false)
			told++
		}
	}
	return told > 0
}

// selectOf is the select that a case belongs to, -1 if it took that one, or has
// not chosen.
func (a *analysis) selectOf(c int) int {
	e := &a.fail.events[c]
	list := a.fail.byG[e.G]
	for _, x := range list[a.fail.pos[c]+1:] {
		if o := &a.fail.events[x]; o.Op == trace.OpSelect {
			if o.Value == e.Value || len(a.userFrames(a.fail.stack(x))) == 0 {
				return -1
			}
			return x
		}
	}
	return -1
}

// tookOther tells of a select that did not take case c.
func (t *story) tookOther(c, sel int) {
	a := t.a
	e := a.entry(sel)
	g := a.fail.events[sel].G
	clause, steps := fmt.Sprintf("%s (%s)", a.did(e, a.object(e)), a.at(e, false)), []entry{e}
	if by, ok := a.foreign(sel); ok {
		clause += ", " + a.decidedBy(e, by) + ","
		steps = append(steps, by)
	}
	f := e.stack[0]
	fn := a.files.File(a.abs(f.File)).Func(f.Func, f.Line)
	n := int(a.fail.events[sel].Aux & 0xffffffff)
	if line, text := fn.SelectCase(f.Line, int(int64(a.fail.events[c].Value)), n); line > 0 {
		clause += fmt.Sprintf(" instead of `%s` (%d)", text, line)
	}
	if ret := a.returnFrom(g, sel, 0, 0); ret.Line > 0 {
		r := entry{r: a.fail, ev: -1, g: g, op: trace.OpEnd, stack: []trace.Frame{ret}, order: float64(sel) + 0.25, failing: "returns", passing: "-"}
		clause += fmt.Sprintf(" and returned (%s)", a.at(r, false))
		steps = append(steps, r)
	} else if a.hasEnded(g) {
		clause += " and ended"
	}
	t.because(a.who(e)+" "+clause, steps...)
}
