package projection

import (
	"slices"
	"sort"

	"github.com/hocket-dev/hocket/engine/trace"
)

// shape of a unit.
type shape int

const (
	torn    shape = iota // p and e belong together, w came in between
	ordered              // w came before e, and should not have
	early                // e came before w, and should not have
	choice               // e took one of several ways because of w
	misuse               // e is an operation on a channel that w closed
	woken                // e's goroutine was woken by w, for something that was gone
	race                 // w and e are not ordered at all
)

// unit is a few accesses whose order makes a difference: the unserialisable
// triples of AVIO and the reordered pairs of Symbiosis §3.5.
type unit struct {
	shape   shape
	p, w, e int     // events of the failing run; p may be -1
	late    int     // event of the passing run that the failing run had not reached; -1
	extra   []int   // handovers, wake-ups, overlooked messages
	timer   []int   // calls on the timer that started one of the goroutines, when it had fired
	score   float64 // the lower, the closer to the failure
	differs bool    // the passing run orders them otherwise
	varies  bool    // another passing run does
	region  *span   // the lines of p and e in their common function
}

// span is a stretch of one function.
type span struct {
	fn, file string
	from, to int
}

const (
	sameUnit      = 6.0  // the passing runs have it too
	variesUnit    = 1.0  // the nearest one has, others do not
	oneSided      = 2.5  // some passing run does not come to e
	regionBonus   = -2.0 // p and e stand in one function
	neededBonus   = -1.0 // a switch that is proved necessary lies in between
	dirtyPenalty  = 4.0
	choicePenalty = 0.5
	earlyPenalty  = 2.0
	workPenalty   = 4.0
	wokenBonus    = -1.0
)

// units finds the units in a slice, best first.
func (a *analysis) units(nodes []node) []unit {
	var out []unit
	for _, n := range nodes {
		if u, ok := a.memoryUnit(n); ok {
			out = append(out, u)
		}
		if u, ok := a.wokenUnit(n); ok {
			out = append(out, u)
		}
		if u, ok := a.dirtyUnit(n); ok {
			out = append(out, u)
		}
		if u, ok := a.earlyUnit(n); ok {
			out = append(out, u)
		}
		if u, ok := a.publishedUnit(n); ok {
			out = append(out, u)
		}
		if u, ok := a.channelUnit(n); ok {
			out = append(out, u)
		}
	}
	for i := range out {
		a.judge(&out[i])
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].score < out[j].score })
	return out
}

// memoryUnit: the last write of another goroutine before e, and what e's
// goroutine did with the same memory before that.
func (a *analysis) memoryUnit(n node) (unit, bool) {
	r := a.fail
	e := &r.events[n.ev]
	if !e.Op.IsMemory() {
		return unit{}, false
	}
	list := r.touching(n.ev)
	k := sort.SearchInts(list, n.ev)
	u := unit{p: -1, w: -1, e: n.ev, late: -1, score: n.cost}
	for i := k - 1; i >= 0; i-- {
		x := &r.events[list[i]]
		if x.G == e.G {
			if u.w >= 0 {
				u.p = list[i]
				break
			}
			if x.Writes() || !e.Reads() {
				return unit{}, false
			}
			continue
		}
		if u.w < 0 && x.Writes() {
			u.w = list[i]
		}
	}
	if u.w < 0 || u.p < 0 && !e.Reads() {
		return unit{}, false
	}
	u.shape = ordered
	if u.p >= 0 && !a.follows(u.w, u.p) { // what set up all this was not interrupted
		u.region = a.region(u.p, u.e)
	}
	if u.region != nil {
		u.shape = torn
	} else {
		u.p = -1
	}
	return u, !a.forced(u)
}

// forced reports whether no other order of a unit was possible.
func (a *analysis) forced(u unit) bool {
	return a.follows(u.e, u.w) && (u.p < 0 || a.follows(u.w, u.p))
}

// wokenUnit: e looks at what its goroutine had waited for on a Cond, and sees
// what was written before (extra holds the wake-up and that write).
func (a *analysis) wokenUnit(n node) (unit, bool) {
	r := a.fail
	e := &r.events[n.ev]
	if !e.Op.IsMemory() || !e.Reads() || r.src[n.ev] < 0 {
		return unit{}, false
	}
	list := r.byG[e.G]
	for p := r.pos[n.ev] - 1; p >= 0; p-- {
		x := list[p]
		if r.events[x].Writes() && r.overlap(x, n.ev) {
			return unit{}, false
		}
		if r.events[x].Op != trace.OpCondWake {
			continue
		}
		if r.src[x] < 0 || r.events[r.src[x]].G == e.G || a.region(x, n.ev) == nil {
			return unit{}, false
		}
		u := unit{shape: woken, p: -1, w: r.src[x], e: n.ev, late: -1, score: n.cost + wokenBonus}
		u.extra = []int{x, r.src[n.ev]}
		return u, true
	}
	return unit{}, false
}

// dirtyUnit: e read what another goroutine was about to write again.
func (a *analysis) dirtyUnit(n node) (unit, bool) {
	r := a.fail
	e := &r.events[n.ev]
	w := r.src[n.ev]
	if !e.Op.IsMemory() || !e.Reads() || w < 0 || r.events[w].G == e.G {
		return unit{}, false
	}
	list := r.touching(n.ev)
	for _, x := range list[sort.SearchInts(list, n.ev):] {
		if x != n.ev && r.events[x].G == r.events[w].G && r.events[x].Writes() {
			if reg := a.region(w, x); reg != nil {
				return unit{shape: torn, p: w, w: n.ev, e: x, late: -1, score: n.cost + dirtyPenalty, region: reg}, true
			}
			return unit{}, false
		}
	}
	return unit{}, false
}

// earlyUnit: e ran before the write that it saw in the passing run.
func (a *analysis) earlyUnit(n node) (unit, bool) {
	r := a.fail
	if a.pass == nil || !r.events[n.ev].Op.IsMemory() || !r.events[n.ev].Reads() {
		return unit{}, false
	}
	p := a.m.toPass[n.ev]
	if p < 0 || a.pass.src[p] < 0 || a.sameSource(n.ev, p) {
		return unit{}, false
	}
	w := a.pass.src[p]
	if a.pass.events[w].G == a.pass.events[p].G {
		return unit{}, false
	}
	u := unit{shape: early, p: -1, w: -1, e: n.ev, late: -1, score: n.cost + earlyPenalty}
	if f := a.m.toFail[w]; f > n.ev {
		u.w = f
		return u, true
	} else if f < 0 && a.divergence(w) < 0 && a.pass.before(p, a.pass.anyLock)[a.pass.events[w].G] < w {
		u.late = w
		return u, true
	}
	return unit{}, false
}

func sameStack(a, b []trace.Frame) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// region is the stretch from p to e in the function that both are called from,
// nil if e is another round of the same code rather than its continuation.
func (a *analysis) region(p, e int) *span {
	sp, se := a.fail.stack(p), a.fail.stack(e)
	i, j := len(sp)-1, len(se)-1
	for i >= 0 && j >= 0 && sp[i] == se[j] {
		i--
		j--
	}
	if i < 0 || j < 0 || sp[i].Func != se[j].Func {
		// One line does both: the last common frame.
		if i+1 >= len(sp) || len(sp) == 0 {
			return nil
		}
		if i < 0 && j < 0 && !(a.fail.events[p].Reads() && !a.fail.events[p].Writes() && a.fail.events[e].Writes()) {
			return nil
		}
		f := sp[i+1]
		return &span{fn: f.Func, file: f.File, from: f.Line, to: f.Line}
	}
	if sp[i].Line > se[j].Line {
		return nil
	}
	return &span{fn: sp[i].Func, file: sp[i].File, from: sp[i].Line, to: se[j].Line}
}

// act is the write that a read is the first half of: x++ reads, then writes.
func (r *run) act(ev int) int {
	e := &r.events[ev]
	if e.Op != trace.OpRead {
		return ev
	}
	list := r.byG[e.G]
	for p := r.pos[ev] + 1; p < len(list) && p <= r.pos[ev]+3; p++ {
		x := list[p]
		if r.events[x].Op == trace.OpWrite && r.overlap(ev, x) && sameStack(r.stack(ev), r.stack(x)) {
			return x
		}
	}
	return ev
}

// whole is the event as which a step is told: x++ by its write, unless an order of the
// core tells what another goroutine did between its two halves.
func (a *analysis) whole(ev int) int {
	act := a.fail.act(ev)
	if act == ev || a.in.Cause == nil {
		return act
	}
	between := func(x int) bool {
		return x > ev && x < act && a.fail.events[x].G != a.fail.events[ev].G && a.fail.overlap(ev, x)
	}
	for _, l := range a.in.Cause.Core {
		if between(l.Before) || !l.Late && between(l.After) {
			return ev
		}
	}
	return act
}

// judge sets differs and completes the score and the extra accesses.
func (a *analysis) judge(u *unit) {
	u.differs = u.differsFrom(a.m)
	for _, m := range a.others {
		u.varies = u.varies || u.differsFrom(m)
	}
	switch {
	case u.differs:
	case u.varies:
		u.score += variesUnit
	default:
		u.score += sameUnit
	}
	if a.pass != nil && a.optional(u.e) && a.fail.events[u.e].Op.IsMemory() {
		u.score += oneSided
	}
	if u.region != nil {
		u.score += regionBonus
	}
	from := u.p
	if from < 0 {
		from = u.w
	}
	for _, s := range a.in.Switches {
		if s.Runs > 0 && s.Failed*4 < s.Runs && from >= 0 && from < s.Switch.At && s.Switch.At <= u.e {
			u.score += neededBonus
			break
		}
	}
	switch u.shape {
	case torn:
		u.extra = append(u.extra, a.wakeUps(u)...)
	case ordered:
		u.extra = append(u.extra, a.handover(u)...)
	}
}

// isSeen reports whether the goroutine of w had seen the value of atomic event x by then.
// To add to the same counter afterwards is not to see it.
func (r *run) isSeen(x, w int) bool {
	if !isAtomic(r.events[x].Op) || !r.events[x].Writes() {
		return false
	}
	return slices.ContainsFunc(r.byG[r.events[w].G][:r.pos[w]], func(y int) bool { return r.src[y] == x && r.events[y].Op != trace.OpAtomicRMW })
}

// foundBefore makes an interrupted region of an order of which the second step used what
// its goroutine had found before the first one, where the goroutine of the first one took
// that away, too: something that was looked up, and gone when it was used.
func (a *analysis) foundBefore(u *unit) {
	r := a.fail
	if u.shape != ordered || u.w < 0 || u.p >= 0 || a.in.Cause.Explains() {
		return
	}
	for _, d := range a.deps(r, u.e, true) {
		if d.ctl != nil || d.ev >= u.w || !r.events[d.ev].Op.IsMemory() || r.overlap(d.ev, u.e) {
			continue
		}
		gone := slices.ContainsFunc(r.touching(d.ev), func(x int) bool {
			return d.ev < x && x < u.e && r.events[x].G == r.events[u.w].G && r.changed(d.ev, x)
		})
		if reg := a.region(d.ev, u.e); gone && reg != nil {
			u.shape, u.p, u.region = torn, d.ev, reg
			return
		}
	}
}

// complete adds to a unit that was chosen what it came from. It is asked of few: each
// looks through the run.
func (a *analysis) complete(u *unit) {
	a.foundBefore(u)
	u.timer = a.lateTimerCalls(u)
	if u.shape != early || len(u.extra) > 0 {
		return
	}
	if u.extra = a.toldBy(u); u.extra != nil {
		return
	}
	if u.extra = a.startedBy(u); u.extra != nil {
		return
	}
	if u.extra = a.letOn(u); u.extra != nil {
		return
	}
	if u.extra = a.announced(u); u.extra == nil && !a.in.Cause.Explains() {
		u.extra = a.halfRead(u)
	}
}

// differsFrom reports whether a passing run orders the accesses otherwise.
func (u *unit) differsFrom(m *matching) bool {
	if m.pass == nil || u.late >= 0 || u.shape == misuse || u.shape == race || u.shape == choice {
		return true
	}
	p, w, e := -1, m.toPass[u.w], m.toPass[u.e]
	if u.p >= 0 {
		if p = m.toPass[u.p]; p < 0 {
			return true
		}
	}
	if w < 0 || e < 0 {
		return true
	}
	switch u.shape {
	case early:
		return w < e
	case woken:
		return !sameSource(m.fail, m.pass, m, u.e, e) || m.fail.events[u.e].Value != m.pass.events[e].Value
	}
	return !(p < w && w < e)
}

// wakeUps are the wake-ups before e: the goroutine slept there, and what it had
// checked before was no longer true.
func (a *analysis) wakeUps(u *unit) []int {
	r := a.fail
	from := u.p
	if from < 0 {
		from = u.w
	}
	var out []int
	for _, x := range r.byG[r.events[u.e].G] {
		if x > from && x < u.e && r.events[x].Op == trace.OpCondWake && a.region(x, u.e) != nil {
			out = append(out, x)
		}
	}
	return out[max(0, len(out)-1):]
}

// handover is the last thing that e's goroutine did that let the other go on to
// w: it signalled that it was done before it was.
func (a *analysis) handover(u *unit) []int {
	// Messages only: releasing a lock signals nothing.
	r := a.fail
	g := r.events[u.e].G
	locks := r.locksAt(u.w)
	limit, ok := r.before(u.w, func(o trace.ObjID) bool { return locks[o] })[g]
	if !ok {
		return nil
	}
	var out []int
	list := r.byG[g]
	for p := r.pos[u.e] - 1; p >= 0 && list[p] > u.p; p-- {
		x := list[p]
		e := &r.events[x]
		if (isMessage(e) && (x <= limit || u.shape != torn) || x <= limit && (r.isSeen(x, u.w) || isRecv(e))) && len(out) < 2 {
			out = append(out, x)
			if x <= limit {
				break
			}
		}
		if x < limit {
			break
		}
	}
	return out
}
