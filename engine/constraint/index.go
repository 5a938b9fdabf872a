package constraint

import "slices"

// index is what is looked up in a System again and again. It does not change
// once made, so that machines and checkers may share it.
type index struct {
	s      *System
	roots  [][]EventID // first events per thread
	kids   [][]EventID // events after each
	spawns [][]EventID // Spawn events per child thread
	// in and out number each thread's tree in preorder: a is before b in the
	// thread iff in[a] < in[b] && in[b] <= out[a].
	in, out []int32
	pre     []EventID   // all events, by thread and preorder
	ofObj   [][]EventID // events per object in that order; Default stands with each channel of its cases
	used    []bool      // some term is over the event's value
}

// newIndex needs a valid system.
func newIndex(s *System) *index {
	n, threads := len(s.Events), len(s.Threads)
	x := &index{
		s:      s,
		roots:  make([][]EventID, threads),
		spawns: make([][]EventID, threads),
		in:     make([]int32, n),
		out:    make([]int32, n),
		pre:    make([]EventID, 0, n),
		ofObj:  make([][]EventID, max(1, len(s.Objects))),
		used:   make([]bool, n),
	}
	x.link()
	x.number()
	for _, e := range x.pre {
		ev := &s.Events[e]
		x.file(e, ev)
		for _, c := range ev.Cond {
			x.use(c)
		}
		x.use(ev.Val)
	}
	return x
}

// link finds roots, successors and spawns, with one array for all successors.
func (x *index) link() {
	n := len(x.s.Events)
	count := make([]int32, n+1)
	for i := range x.s.Events {
		if p := x.s.Events[i].Prev; p != NoEvent {
			count[p]++
		}
	}
	flat := make([]EventID, n)
	x.kids = make([][]EventID, n)
	at := int32(0)
	for i := range x.kids {
		x.kids[i] = flat[at : at : at+count[i]]
		at += count[i]
	}
	for i := range x.s.Events {
		ev := &x.s.Events[i]
		if ev.Prev == NoEvent {
			x.roots[ev.Thread] = append(x.roots[ev.Thread], EventID(i))
		} else {
			x.kids[ev.Prev] = append(x.kids[ev.Prev], EventID(i))
		}
		if ev.Op == Spawn {
			x.spawns[ev.Child] = append(x.spawns[ev.Child], EventID(i))
		}
	}
}

// number walks every tree in preorder, without recursion: threads are deep.
func (x *index) number() {
	var stack []EventID
	for _, roots := range x.roots {
		stack = append(stack[:0], roots...)
		slices.Reverse(stack)
		for len(stack) > 0 {
			e := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			x.in[e] = int32(len(x.pre))
			x.pre = append(x.pre, e)
			for _, k := range slices.Backward(x.kids[e]) {
				stack = append(stack, k)
			}
		}
	}
	for _, e := range slices.Backward(x.pre) {
		x.out[e] = max(x.out[e], x.in[e])
		if p := x.s.Events[e].Prev; p != NoEvent {
			x.out[p] = max(x.out[p], x.out[e])
		}
	}
}

func (x *index) file(e EventID, ev *Event) {
	if ev.Op != Default {
		if ev.Op.hasObject() {
			x.ofObj[ev.Obj] = append(x.ofObj[ev.Obj], e)
		}
		return
	}
	for i, c := range ev.Cases {
		if !slices.ContainsFunc(ev.Cases[:i], func(d Case) bool { return d.Obj == c.Obj }) {
			x.ofObj[c.Obj] = append(x.ofObj[c.Obj], e)
		}
	}
}

func (x *index) use(t *Term) {
	if t == nil {
		return
	}
	if t.Op == Sym {
		x.used[t.Event] = true
	}
	for _, a := range t.Args {
		x.use(a)
	}
}

// before says that a stands before b on one path of a thread.
func (x *index) before(a, b EventID) bool { return x.in[a] < x.in[b] && x.in[b] <= x.out[a] }

// siblings of e, e among them.
func (x *index) siblings(e EventID) []EventID {
	ev := &x.s.Events[e]
	if ev.Prev == NoEvent {
		return x.roots[ev.Thread]
	}
	return x.kids[ev.Prev]
}

// unbuffered says that e is a send or a successful receive of a channel of
// capacity 0.
func (x *index) unbuffered(e EventID) bool {
	ev := &x.s.Events[e]
	return (ev.Op == Send || ev.Op == Recv && ev.Outcome == Received) && x.s.Objects[ev.Obj].Cap == 0
}
