package sweep

import "github.com/hocket-dev/hocket/engine/constraint"

// gates are what threads can't pass without the others of a set: 2*object for
// Lock, Wait and a receive of a value, 2*object+1 for RLock and a receive of the
// end.
type gates = bits

// gate is what an event has to pass, or -1.
func gate(ev *constraint.Event) int {
	o := 2 * int(ev.Obj)
	switch {
	case ev.Op == constraint.Lock, ev.Op == constraint.TryLock && ev.Outcome == 1, ev.Op == constraint.Wait, ev.Op == constraint.Recv && ev.Outcome == constraint.Received:
		return o
	case ev.Op == constraint.RLock, ev.Op == constraint.TryRLock && ev.Outcome == 1, ev.Op == constraint.Recv && ev.Outcome == constraint.Closed:
		return o + 1
	}
	return -1
}

// futures says what threads can do from a node on as long as gates are shut.
type futures struct {
	*tree
	passes []bits // by node: gates in its subtree
	names  map[string]uint32
	known  map[behind]access
}

// behind is a node and the shut gates that are in its subtree.
type behind struct {
	at   node
	shut uint32
}

func newFutures(t *tree) *futures {
	f := &futures{tree: t, passes: make([]bits, len(t.kids)), names: map[string]uint32{}, known: map[behind]access{}}
	fold := func(at node) {
		f.passes[at] = make(bits, t.wide)
		for _, k := range t.kids[at] {
			f.passes[at].add(f.passes[k])
			if g := gate(&t.sys.Events[k]); g >= 0 {
				f.passes[at].set(g)
			}
		}
	}
	for i := range t.order {
		fold(node(t.order[len(t.order)-1-i]))
	}
	for th := range t.sys.Threads {
		fold(t.root(constraint.ThreadID(th)))
	}
	return f
}

// of is what a thread at a node may do to objects. The caller does not change
// it.
func (f *futures) of(at node, shut gates) access {
	k := behind{at, f.name(f.passes[at], shut)}
	if k.shut == 0 {
		return f.full[at]
	}
	if a, ok := f.known[k]; ok {
		return a
	}
	a := f.none()
	for _, e := range f.kids[at] {
		if g := gate(&f.sys.Events[e]); g >= 0 && shut.has(g) {
			continue
		}
		a.add(f.own[e])
		a.add(f.of(node(e), shut))
	}
	f.known[k] = a
	return a
}

// name numbers the sets of gates that are in both; 0 is none.
func (f *futures) name(passes, shut gates) uint32 {
	var room [128]byte
	buf := room[:0]
	some := false
	for i, w := range passes {
		w &= shut[i]
		some = some || w != 0
		buf = append(buf, byte(w), byte(w>>8), byte(w>>16), byte(w>>24), byte(w>>32), byte(w>>40), byte(w>>48), byte(w>>56))
	}
	if !some {
		return 0
	}
	n, ok := f.names[string(buf)]
	if !ok {
		n = uint32(len(f.names) + 1)
		f.names[string(buf)] = n
	}
	return n
}
