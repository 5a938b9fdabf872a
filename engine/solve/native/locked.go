package native

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/sat"
)

// fewWrites is up to how many writes of a location all that a From says of them
// is said at once. With more it is said of those that an order has in between.
const fewWrites = 64

// locked knows the lock regions in which accesses lie. Two regions of a lock
// exclude each other, so what is said of the order of two accesses can be said
// of the regions, and that is shared by all accesses in them.
type locked struct {
	t      *theory
	held   [][]int32     // by event: starts of the regions in which the thread is then; nil until asked for
	paired map[pair]bool // regions of which it was said that they exclude each other
}

func newLocked(t *theory) *locked { return &locked{t: t, paired: map[pair]bool{}} }

// fill walks the trees of the threads.
func (k *locked) fill() {
	k.held = make([][]int32, len(k.t.sys.Events))
	check, kids := k.t.check.base(), k.t.player.kids
	var stack []constraint.EventID
	for e := range k.t.sys.Events {
		if k.t.sys.Events[e].Prev == constraint.NoEvent {
			stack = append(stack, constraint.EventID(e))
		}
	}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], kids[e]...)
		var held []int32
		if p := k.t.sys.Events[e].Prev; p != constraint.NoEvent {
			held = k.held[p]
		}
		if start, ends := check.Region(e); start == e {
			held = append(slices.Clone(held), int32(e))
		} else if start != constraint.NoEvent && slices.Contains(ends, e) {
			held = slices.DeleteFunc(slices.Clone(held), func(s int32) bool { return s == int32(start) })
		}
		k.held[e] = held
	}
}

// common finds regions of one lock that exclude each other, in which two
// accesses lie.
func (k *locked) common(a, b int32) (ra, rb int32, ok bool) {
	if k.held == nil {
		k.fill()
	}
	for _, ra := range k.held[a] {
		for _, rb := range k.held[b] {
			if k.t.sys.Events[ra].Obj == k.t.sys.Events[rb].Obj && (k.writer(ra) || k.writer(rb)) {
				return ra, rb, ra != rb
			}
		}
	}
	return 0, 0, false
}

func (k *locked) writer(start int32) bool {
	op := k.t.sys.Events[start].Op
	return op == constraint.Lock || op == constraint.TryLock
}

// ends are the releases that may end a region after one of its events.
func (k *locked) ends(start, after int32) []int32 {
	check := k.t.check.base()
	_, all := check.Region(constraint.EventID(start))
	var out []int32
	for _, u := range all {
		if check.ProgramOrder(constraint.EventID(after), u) {
			out = append(out, int32(u))
		}
	}
	return out
}

// ruledOut says that r can't take its value from w of another region: in one of
// the two there is a write between the access and the other region.
func (k *locked) ruledOut(w, r int32) bool {
	if w < 0 || k.t.sys.Events[r].Op == constraint.Recv {
		return false
	}
	rw, rr, ok := k.common(w, r)
	if !ok {
		return false
	}
	ends := k.ends(rw, w)
	return len(ends) == 0 || len(ends) == 1 && k.writes(w, ends[0]) || k.writes(rr, r)
}

// writes says that a path has a write of the location of its end that is an
// access, or of its start, in between.
func (k *locked) writes(from, to int32) bool {
	obj := k.t.sys.Events[from].Obj
	if op := k.t.sys.Events[from].Op; op != constraint.Write && op != constraint.RMW {
		obj = k.t.sys.Events[to].Obj
	}
	for e := k.t.sys.Events[to].Prev; e != constraint.EventID(from) && e != constraint.NoEvent; e = k.t.sys.Events[e].Prev {
		if ev := &k.t.sys.Events[e]; ev.Obj == obj && (ev.Op == constraint.Write || ev.Op == constraint.RMW) {
			return true
		}
	}
	return false
}

// follows are the literals of "a is before b": with regions of a lock around
// them, that a's ends before b's begins.
func (k *locked) follows(v sat.Var, a, b int32) []sat.Lit {
	ra, rb, ok := k.common(a, b)
	if !ok {
		return []sat.Lit{k.t.before(a, b, k.t.near(a, b))}
	}
	k.exclude(v, ra, rb)
	var any []sat.Lit
	for _, u := range k.ends(ra, a) {
		any = append(any, k.t.before(u, rb, k.t.near(u, rb)))
	}
	return any
}

// exclude says that two regions don't overlap. It is decided which one comes
// first only where v is true.
func (k *locked) exclude(v sat.Var, a, b int32) {
	if a > b {
		a, b = b, a
	}
	if k.paired[pair{a, b}] {
		return
	}
	k.paired[pair{a, b}] = true
	lits := []sat.Lit{not(k.t.happens(a, 0)), not(k.t.happens(b, 0))}
	for _, p := range [...]pair{{a, b}, {b, a}} {
		for _, u := range k.ends(p.a, p.a) {
			lits = append(lits, k.t.before(u, p.b, k.t.near(u, p.b)))
		}
	}
	k.t.say(v.Neg(), lits)
}

// source says of a From that w's region ends before r's begins, and of few other
// writes that they are not in between.
func (k *locked) source(v sat.Var) {
	w, r := k.t.a[v], k.t.b[v]
	if k.t.sys.Events[r].Op == constraint.Recv {
		return
	}
	if w >= 0 {
		k.t.means(v, k.follows(v, w, r)...)
	}
	writes := k.t.giving[k.t.sys.Events[r].Obj]
	if len(writes) > fewWrites {
		return
	}
	for _, o := range writes {
		if o != w && o != r {
			k.outside(v, o)
		}
	}
}

// outside says of a From that a write is not between the two.
func (k *locked) outside(v sat.Var, o int32) {
	w, r := k.t.a[v], k.t.b[v]
	any := k.follows(v, r, o)
	if w >= 0 {
		any = append(any, k.follows(v, o, w)...)
	}
	// What is said of regions is said of writes that happen.
	k.t.means(v, append(any, not(k.t.happens(o, 0)))...)
}
