package analysis

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// doubt says why a candidate is likely no bug, so that it is shown only if
// all are asked for; "" if it likely is one. Everything here is a whole kind of
// evidence that turned out to be weak in published modules.
func (f *finder) doubt(c *candidate) string {
	if c.kind == Contention {
		return "nothing is wrong by itself"
	}
	if f.fixture(c) {
		return "only the tests' own code"
	}
	if f.p.warns(c.x) || f.p.warns(c.y) {
		return "the documentation says that callers must not do this at once"
	}
	if f.dispatched(c.x) || f.dispatched(c.y) {
		return "perhaps the methods of another type are called"
	}
	switch c.kind {
	case Race:
		return f.doubtRace(c)
	case Order:
		return f.doubtOrder(c)
	case Atomicity:
		return f.doubtAtomicity(c)
	case Deadlock:
		if c.x.op != opLock && c.x.op != opRLock && f.startsAnswer(c.x, c.y) {
			return "waits only for who has had the lock"
		}
	case Notify:
		if c.y.op == opWait && f.testedAfter(c.y) || c.x.op == opWait && f.testedAfter(c.x) {
			return "what was waited for is looked at afterwards"
		}
	case Channel:
		if c.y.op == opReceive { // a select that may take the end
			if c.x.sel != nil || len(f.flags(c.x)) > 0 {
				return "the sender has something else to do, or knows of the end"
			}
			return ""
		}
		if f.perhapsTwo(c.x, c.y) || hasElem(c.x.path) {
			return "perhaps two channels"
		}
		if f.owned(c.x, c.y) {
			return "a flag says who may use it"
		}
	}
	return ""
}

func (f *finder) doubtRace(c *candidate) string {
	x, y := c.x, c.y
	if f.perhapsTwo(x, y) || x.path.base.kind == outside && x.path.base.index > 0 {
		return "perhaps two objects"
	}
	if f.owned(x, y) {
		return "a flag says who may use it"
	}
	if f.detached(x, y) || f.detached(y, x) {
		return "taken out under the lock before"
	}
	if f.lazily(x, y) {
		return "set once, and looked at under the lock before"
	}
	if f.follow(x, y) || f.follow(y, x) {
		return "a channel seems to keep them in order"
	}
	hx, hy := locksOf(x), locksOf(y)
	switch {
	case len(hx) > 0 && len(hy) > 0:
		if f.perhapsOneLock(x, y, hx, hy) {
			return "perhaps one lock"
		}
	case f.en.callers && !f.writtenLocked(x) && !f.startsItself(x, y) && !(x.chain.last() == y.chain.last() && f.locksSomewhere(x)),
		f.en.callers && len(hx) == 0 && f.setsUp(x):
		return "nothing says that callers may do this at once"
	case f.en.callers && f.closes(x):
		return "done when nobody uses it any more"
	case f.en.callers && x.path.base.kind == global && len(hx) == 0 && !x.op.atomic():
		return "set up before it is used"
	case f.en.callers && (fluent(x.chain.instr.Parent()) || fluent(y.chain.instr.Parent())):
		return "set up before it is shared"
	case f.flagged(x, y):
		return "an atomic seems to keep them in order"
	}
	if n := len(x.path.steps); n > 0 && x.path.steps[n-1].kind == toElem && isSlice(x) {
		return "the elements are usually different ones"
	}
	return ""
}

func (f *finder) doubtOrder(c *candidate) string {
	x, y := c.x, c.y
	if f.perhapsTwo(x, y) || strings.HasSuffix(x.path.bucket(), "[]") {
		return "perhaps two objects"
	}
	if f.owned(x, y) {
		return "a flag says who may use it"
	}
	if x.value != nilValue || c.ready != nil {
		if c.ready != nil && !beside(c.ready.path, x.path) {
			return "perhaps they have nothing to do with each other"
		}
		return ""
	}
	if !f.p.usedAsPointer(y) {
		return "only looked at"
	}
	if f.en.callers && (f.common(x, y) == nil && (f.closes(x) || len(locksOf(x))+len(locksOf(y)) == 0) || len(f.flags(y)) > 0) {
		return "done when nobody uses it any more"
	}
	return ""
}

// beside reports whether two paths are fields of one object, or variables of a package.
func beside(p, q *path) bool {
	n := len(p.steps)
	if p.base.kind == global && q.base.kind == global && n == 0 && len(q.steps) == 0 {
		return true
	}
	i := 0
	for i < n && i < len(q.steps) && p.steps[i] == q.steps[i] {
		i++
	}
	return p.base == q.base && i >= n-1 && !slices.ContainsFunc(q.steps[i:], func(s step) bool { return s.kind == toDeref })
}

// usedAsPointer reports whether what a reading returns is used in a way in
// which nil fails: neither compared, kept nor returned only.
func (p *summarizer) usedAsPointer(y *event) bool {
	v, ok := y.chain.last().instr.(ssa.Value)
	if !ok || v.Referrers() == nil {
		return true
	}
	for _, r := range *v.Referrers() {
		switch r.(type) {
		case *ssa.BinOp, *ssa.Return, *ssa.Store, *ssa.MakeInterface, *ssa.DebugRef, *ssa.ChangeInterface:
		default:
			return true
		}
	}
	return false
}

// writtenLocked reports whether some write of the location holds a lock, or is atomic.
func (f *finder) writtenLocked(x *event) bool {
	return slices.ContainsFunc(f.buckets[x.path.bucket()], func(w *event) bool {
		return w.op.writes() && (len(locksOf(w)) > 0 || w.op.atomic())
	})
}

func (f *finder) doubtAtomicity(c *candidate) string {
	x, y, then := c.x, c.y, c.then
	if f.perhapsTwo(x, y) || f.perhapsTwo(x, then) {
		return "perhaps two objects"
	}
	if strings.HasSuffix(x.path.bucket(), "[]") && x.op.writes() && then.op.writes() {
		return "the elements are usually different ones"
	}
	ra, rb, ok := f.follows(x, then)
	if !ok || !f.p.Before(ra.instr, rb.instr) {
		return "only in another round of a loop"
	}
	if !x.op.writes() && f.actedUpon(x) {
		return "what was seen was acted upon there and then"
	}
	if x.op.atomic() && (f.en.callers || !then.op.writes() && !x.op.writes()) {
		return "several atomics of a library"
	}
	if !x.op.writes() && !then.op.writes() && (f.en.callers || f.p.depends(ra, rb) == byBranch) {
		return "looked at again"
	}
	if f.owned(x, y) {
		return "a flag says who may use it"
	}
	return ""
}

// testedAfter reports whether what decides about a wait decides about something after it as well.
func (f *finder) testedAfter(w *event) bool {
	guards := f.guards(w)
	return slices.ContainsFunc(guards, func(g *event) bool {
		return slices.ContainsFunc(f.buckets[g.path.bucket()], func(r *event) bool {
			rw, rr, ok := f.follows(w, r)
			return ok && !r.op.writes() && r.path.key == g.path.key && f.p.Before(rw.instr, rr.instr) && f.p.decides(rr)
		})
	})
}

// actedUpon reports whether what was read decides about a write in the same lock region.
func (f *finder) actedUpon(r *event) bool {
	for _, name := range f.names {
		for _, w := range f.buckets[name] {
			if w.op != opWrite || !region(r, w) {
				continue
			}
			if rr, rw, ok := f.follows(r, w); ok && f.p.depends(rr, rw) == byBranch {
				return true
			}
		}
	}
	return false
}

// fixture reports whether all places, or what is written in a race, are in the
// tests of a package that has other code as well.
func (f *finder) fixture(c *candidate) bool {
	for _, e := range []*event{c.x, c.y, c.then} {
		if e == nil || c.kind == Race && !e.op.writes() {
			continue
		}
		file := f.p.Fset.Position(f.p.pos(e.chain.last().instr)).Filename
		if !strings.HasSuffix(file, "_test.go") {
			return false
		}
	}
	return f.p.hasCode
}

// locksSomewhere reports whether the method that callers run takes a lock
// somewhere: then it is made to be called by several goroutines.
func (f *finder) locksSomewhere(e *event) bool {
	return slices.ContainsFunc(f.byOp[opLock], func(l *event) bool {
		return l.chain.instr == e.chain.instr && l.path.base == e.path.base
	})
}

// setsUp reports whether the method that callers run prepares the object for its use.
func (f *finder) setsUp(e *event) bool {
	if e.chain.next.spawns() {
		return false
	}
	name := e.chain.instr.Parent().Name()
	if strings.HasPrefix(name, "Set") {
		return len(name) > len("Set")
	}
	return slices.ContainsFunc([]string{"With", "Register", "Init", "Start", "Restart", "Reboot", "Open", "Reopen",
		"Connect", "Dial", "Listen", "Enable", "Disable", "Unmarshal"}, func(word string) bool { return strings.HasPrefix(name, word) })
}

// startsItself reports whether one of the two is in a goroutine that the
// library starts.
func (f *finder) startsItself(x, y *event) bool {
	return x.chain.next.spawns() != y.chain.next.spawns()
}

// closes reports whether the method that callers run ends the object's life.
func (f *finder) closes(e *event) bool {
	if e.chain.next.spawns() {
		return false
	}
	name := strings.ToLower(e.chain.instr.Parent().Name())
	for _, word := range []string{"close", "stop", "shutdown", "release", "destroy"} {
		if strings.HasPrefix(name, word) {
			return true
		}
	}
	return false
}
