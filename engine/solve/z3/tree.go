package z3

import "github.com/hocket-dev/hocket/engine/constraint"

// tree is what the encoder looks up about threads and objects.
type tree struct {
	sys    *constraint.System
	roots  [][]eventID // per thread
	next   [][]eventID // per event
	spawns [][]eventID // per child thread
	on     [][]eventID // per object: the operations on it; a Default is none
	// Numbers of a walk down and up the tree: a is before b in a thread if
	// down[a] < down[b] and up[b] < up[a].
	down, up []int
}

func newTree(sys *constraint.System) *tree {
	t := &tree{
		sys:    sys,
		roots:  make([][]eventID, len(sys.Threads)),
		next:   make([][]eventID, len(sys.Events)),
		spawns: make([][]eventID, len(sys.Threads)),
		on:     make([][]eventID, len(sys.Objects)+1),
		down:   make([]int, len(sys.Events)),
		up:     make([]int, len(sys.Events)),
	}
	for i := range sys.Events {
		e, ev := eventID(i), &sys.Events[i]
		if ev.Prev == constraint.NoEvent {
			t.roots[ev.Thread] = append(t.roots[ev.Thread], e)
		} else {
			t.next[ev.Prev] = append(t.next[ev.Prev], e)
		}
		if ev.Op == constraint.Spawn {
			t.spawns[ev.Child] = append(t.spawns[ev.Child], e)
		}
		if ev.Obj > 0 && ev.Op != constraint.Default {
			t.on[ev.Obj] = append(t.on[ev.Obj], e)
		}
	}
	n := 0
	for _, roots := range t.roots {
		for _, e := range roots {
			t.walk(e, &n)
		}
	}
	return t
}

func (t *tree) walk(e eventID, n *int) {
	*n++
	t.down[e] = *n
	for _, k := range t.next[e] {
		t.walk(k, n)
	}
	*n++
	t.up[e] = *n
}

func (t *tree) before(a, b eventID) bool {
	return t.sys.Events[a].Thread == t.sys.Events[b].Thread && t.down[a] < t.down[b] && t.up[b] < t.up[a]
}

// siblings are e and its alternatives.
func (t *tree) siblings(e eventID) []eventID {
	ev := &t.sys.Events[e]
	if ev.Prev == constraint.NoEvent {
		return t.roots[ev.Thread]
	}
	return t.next[ev.Prev]
}

// branches are all sets of alternatives.
func (t *tree) branches() [][]eventID {
	var all [][]eventID
	for _, lists := range [][][]eventID{t.roots, t.next} {
		for _, l := range lists {
			if len(l) > 1 {
				all = append(all, l)
			}
		}
	}
	return all
}
