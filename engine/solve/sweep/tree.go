package sweep

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// node is where a thread can stand: behind an event, or (from len(Events) on)
// before the first of a thread's.
type node int32

// tree is what is known of all threads' nodes before a walk.
type tree struct {
	sys   *constraint.System
	asked *asked
	order []constraint.EventID   // all events, each before those that follow it
	kids  [][]constraint.EventID // by node: what may be next
	// class is by node equal for those of a thread that leave the same to be
	// done, nothing of which is asked about. It is of no use if not mergeable.
	class     []uint64
	mergeable bool
	own       []access // by event
	// Of each node's subtree, without regard to what keeps the thread from it:
	full   []access
	reads  []bits    // locations read
	spawns []bits    // threads started
	gives  []bits    // channels sent to, as 2*object; closed, as 2*object+1
	spends [][]int64 // by WaitGroup: the most that its counter is lowered by
	// held by the thread that stands at a node, of locks that nobody releases for
	// another: for writing, for reading.
	heldW, heldR []bits
	lent         []bool // by object: locks that somebody may release for another
	groups       []constraint.ObjID
	wide, thin   int // words of sets of 2*objects, of objects and threads
}

func newTree(sys *constraint.System, a *asked) *tree {
	n := len(sys.Events) + len(sys.Threads)
	t := &tree{
		sys: sys, asked: a, kids: make([][]constraint.EventID, n), lent: make([]bool, len(sys.Objects)+1),
		wide: (2*len(sys.Objects))/64 + 1, thin: (len(sys.Objects)+len(sys.Threads))/64 + 1,
	}
	for i := range sys.Events {
		at := t.before(constraint.EventID(i))
		t.kids[at] = append(t.kids[at], constraint.EventID(i))
	}
	for i, o := range sys.Objects {
		if o.Kind == constraint.WaitGroup {
			t.groups = append(t.groups, constraint.ObjID(i))
		}
	}
	t.preorder()
	t.locks()
	t.below()
	t.merge()
	return t
}

// before is the node at which e's thread stands before e.
func (t *tree) before(e constraint.EventID) node {
	if ev := &t.sys.Events[e]; ev.Prev == constraint.NoEvent {
		return t.root(ev.Thread)
	} else {
		return node(ev.Prev)
	}
}

func (t *tree) root(th constraint.ThreadID) node { return node(len(t.sys.Events) + int(th)) }

func (t *tree) preorder() {
	for th := range t.sys.Threads {
		stack := slices.Clone(t.kids[t.root(constraint.ThreadID(th))])
		for len(stack) > 0 {
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			t.order = append(t.order, e)
			stack = append(stack, t.kids[e]...)
		}
	}
}

// locks finds who holds what where. A lock that somebody releases who need not
// hold it is lent: of those nothing is known.
func (t *tree) locks() {
	n := len(t.kids)
	t.heldW, t.heldR = make([]bits, n), make([]bits, n)
	for th := range t.sys.Threads {
		r := t.root(constraint.ThreadID(th))
		t.heldW[r], t.heldR[r] = make(bits, t.thin), make(bits, t.thin)
	}
	depth := make([]map[constraint.ObjID]int, len(t.sys.Events)) // read locks held, by event
	for _, e := range t.order {
		at, o := t.before(e), t.sys.Events[e].Obj
		t.heldW[e], t.heldR[e] = t.heldW[at], t.heldR[at]
		var had map[constraint.ObjID]int
		if int(at) < len(depth) {
			had = depth[at]
		}
		depth[e] = had
		readers := func(d int) {
			has := map[constraint.ObjID]int{o: had[o] + d}
			for k, v := range had {
				if k != o {
					has[k] = v
				}
			}
			depth[e] = has
			t.heldR[e] = with(t.heldR[at], int(o), has[o] > 0)
		}
		switch ev := &t.sys.Events[e]; {
		case ev.Op == constraint.Lock, ev.Op == constraint.TryLock && ev.Outcome == 1:
			t.heldW[e] = with(t.heldW[at], int(o), true)
		case ev.Op == constraint.RLock, ev.Op == constraint.TryRLock && ev.Outcome == 1:
			readers(1)
		case ev.Op == constraint.Unlock:
			t.lent[o] = t.lent[o] || !t.heldW[at].has(int(o))
			t.heldW[e] = with(t.heldW[at], int(o), false)
		case ev.Op == constraint.RUnlock:
			t.lent[o] = t.lent[o] || had[o] < 1
			readers(-1)
		}
	}
	for o, lent := range t.lent {
		for i := range t.heldW {
			if lent && (t.heldW[i].has(o) || t.heldR[i].has(o)) {
				t.heldW[i], t.heldR[i] = with(t.heldW[i], o, false), with(t.heldR[i], o, false)
			}
		}
	}
}

// with is a changed copy.
func with(b bits, i int, in bool) bits {
	c := slices.Clone(b)
	if c.drop(i); in {
		c.set(i)
	}
	return c
}

// below sums up what is in each node's subtree.
func (t *tree) below() {
	n := len(t.kids)
	t.own = make([]access, len(t.sys.Events))
	t.full, t.reads, t.spawns, t.gives, t.spends = make([]access, n), make([]bits, n), make([]bits, n), make([]bits, n), make([][]int64, n)
	fold := func(at node) {
		t.full[at] = t.none()
		t.reads[at], t.spawns[at], t.gives[at] = make(bits, t.thin), make(bits, t.thin), make(bits, t.wide)
		t.spends[at] = make([]int64, len(t.groups))
		for _, k := range t.kids[at] {
			t.include(at, k)
		}
	}
	for _, e := range slices.Backward(t.order) {
		t.own[e] = t.accesses(e)
		fold(node(e))
	}
	for th := range t.sys.Threads {
		fold(t.root(constraint.ThreadID(th)))
	}
}

// include adds an event and what follows it to what can follow a node.
func (t *tree) include(at node, k constraint.EventID) {
	ev := &t.sys.Events[k]
	t.full[at].add(t.own[k])
	t.full[at].add(t.full[k])
	t.reads[at].add(t.reads[k])
	t.spawns[at].add(t.spawns[k])
	t.gives[at].add(t.gives[k])
	switch ev.Op {
	case constraint.Read, constraint.RMW:
		t.reads[at].set(int(ev.Obj))
	case constraint.Spawn:
		t.spawns[at].set(int(ev.Child))
	case constraint.Send:
		t.gives[at].set(2 * int(ev.Obj))
	case constraint.Close:
		t.gives[at].set(2*int(ev.Obj) + 1)
	}
	for i, g := range t.groups {
		spent := t.spends[k][i]
		if ev.Op == constraint.Add && ev.Obj == g && ev.Delta < 0 {
			spent -= ev.Delta
		}
		t.spends[at][i] = max(t.spends[at][i], spent)
	}
}

func (t *tree) none() access { return access{make(bits, t.thin), make(bits, t.thin)} }

// accesses is what an event looks at and changes. Additions to a WaitGroup
// change it, and may commute all the same: see commuting.
func (t *tree) accesses(e constraint.EventID) access {
	a, ev := t.none(), &t.sys.Events[e]
	switch ev.Op {
	case constraint.Nop, constraint.Spawn, constraint.Start, constraint.End:
	case constraint.Default:
		for _, c := range ev.Cases {
			a.reads.set(int(c.Obj))
		}
	case constraint.Read, constraint.Wait, constraint.CondWake:
		a.reads.set(int(ev.Obj))
	case constraint.RLock, constraint.RUnlock, constraint.TryRLock:
		// Readers don't mind each other.
		if t.lent[ev.Obj] {
			a.changes.set(int(ev.Obj))
		} else {
			a.reads.set(int(ev.Obj))
		}
	default:
		a.changes.set(int(ev.Obj))
	}
	return a
}

// idle is true of leaves that change no object: that they can be performed is
// all that matters of them.
func (t *tree) idle(e constraint.EventID) bool {
	if len(t.kids[e]) > 0 {
		return false
	}
	switch ev := &t.sys.Events[e]; ev.Op {
	case constraint.Nop, constraint.Read, constraint.Wait, constraint.CondWake, constraint.Default, constraint.Start, constraint.End:
		return true
	case constraint.TryLock, constraint.TryRLock:
		return ev.Outcome == 0
	case constraint.Recv:
		return ev.Outcome == constraint.Closed
	}
	return false
}
