package projection

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/trace"
)

// channelUnit is for a receive or select that took another path, and what made
// that possible.
func (a *analysis) channelUnit(n node) (unit, bool) {
	r := a.fail
	e := &r.events[n.ev]
	w := r.src[n.ev]
	if e.Op != trace.OpSelect && e.Op != trace.OpRecv || w < 0 || r.events[w].G == e.G {
		return unit{}, false
	}
	if !n.lost && a.pass != nil && a.m.toPass[n.ev] >= 0 && a.sameSource(n.ev, a.m.toPass[n.ev]) {
		return unit{}, false
	}
	u := unit{shape: choice, p: -1, w: w, e: n.ev, late: -1, score: n.cost + choicePenalty}
	if e.Op == trace.OpRecv && e.Value == 1 {
		u.score += workPenalty // which message it received seldom matters
	}
	if e.Op == trace.OpSelect {
		u.extra = a.overlooked(n.ev)
	}
	return u, true
}

// overlooked lists messages that a select could have taken instead: sent
// before it, and not received by then, on channels that the same select takes
// from elsewhere.
func (a *analysis) overlooked(ev int) []int {
	r := a.fail
	rivals := map[string]bool{}
	for _, o := range []*run{a.fail, a.pass} {
		if o == nil {
			continue
		}
		for i := range o.events {
			if o.events[i].Op == trace.OpSelect && sameStack(o.stack(i), r.stack(ev)) {
				rivals[o.Objects[o.events[i].Obj].Name] = true
			}
		}
	}
	delete(rivals, r.Objects[r.events[ev].Obj].Name)
	taken := map[int]int{}
	for i, s := range r.src {
		if s >= 0 && isRecv(&r.events[i]) {
			taken[s] = i
		}
	}
	var out []int
	for i := 0; i < ev; i++ {
		if isSend(&r.events[i]) && rivals[r.Objects[r.events[i].Obj].Name] {
			if t, ok := taken[i]; !ok || t > ev {
				out = append(out, i)
			}
		}
	}
	return out[max(0, len(out)-2):]
}

// misuseUnit explains a close of, or send on, a closed channel.
func (a *analysis) misuseUnit() (unit, bool) {
	r := a.fail
	if r.fail < 0 || !strings.Contains(r.Outcome.Message, "closed channel") {
		return unit{}, false
	}
	g := r.events[r.fail].G
	_, on, known := cause.FailedOn(r.Trace)
	u := unit{shape: misuse, p: -1, w: -1, e: r.fail, late: -1, differs: true}
	for i := r.fail - 1; i >= 0 && u.w < 0; i-- {
		if r.events[i].Op == trace.OpClose && (!known || r.events[i].Obj == on) {
			u.w = i
		}
	}
	if u.w < 0 {
		return unit{}, false
	}
	obj := r.events[u.w].Obj
	for _, x := range r.byG[g] {
		if x < u.w && r.events[x].Obj == obj && isQuery(&r.events[x]) {
			u.p = x
		}
	}
	checked := -1
	if u.p < 0 {
		u.p, checked = a.checkedBefore(u.w)
	}
	if u.p >= 0 {
		u.region = a.region(u.p, u.e)
	}
	// The other one's own check came before its close too.
	for _, x := range r.byG[r.events[u.w].G] {
		if x < u.w && r.events[x].Obj == obj && isQuery(&r.events[x]) && r.events[u.w].G != g {
			u.extra = []int{x}
		}
	}
	if checked >= 0 && u.region != nil {
		u.extra = append(u.extra, checked)
	}
	return u, true
}

// checkedBefore is the read that decided that the run came to where it failed, and what
// whoever closed the channel wrote of that after the read, before the close at w: a flag
// that says that it is closed. Both are -1 if there is none.
func (a *analysis) checkedBefore(w int) (read, write int) {
	r := a.fail
	for _, d := range a.deps(r, r.fail, false) {
		if d.ctl == nil || !r.events[d.ev].Op.IsMemory() {
			continue
		}
		for _, x := range slices.Backward(r.touching(d.ev)) {
			if d.ev < x && x < w && r.events[x].G == r.events[w].G && r.changed(d.ev, x) {
				return d.ev, x
			}
		}
	}
	return -1, -1
}
