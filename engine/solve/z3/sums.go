package z3

import (
	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/z3/libz3"
)

// sum is a number that events before a point add up to.
type sum struct {
	open  []libz3.Weighted
	known int64
}

// sumAt adds the weights of the events on an object that come before at.
func (n *encoder) sumAt(o constraint.ObjID, at eventID, weight func(*constraint.Event) int64) sum {
	var s sum
	for _, a := range n.tree.on[o] {
		w := weight(&n.sys.Events[a])
		if w == 0 || a == at || n.stop() {
			continue
		}
		switch t := n.seen(a, at); t {
		case n.yes:
			s.known += w
		case n.no:
		default:
			s.open = append(s.open, libz3.Weighted{Term: t, Weight: n.weight(w)})
		}
	}
	return s
}

// weight is what Z3 takes as one.
func (n *encoder) weight(w int64) int32 {
	if int64(int32(w)) != w && n.err == nil {
		n.err = errTooLarge
	}
	return int32(w)
}

// atMost is: the sum is at most limit.
func (n *encoder) atMost(s sum, limit int64) term {
	if len(s.open) == 0 {
		return n.decided(s.known <= limit)
	}
	return n.SumLe(s.open, n.weight(limit-s.known))
}

// atLeast is: the sum is at least limit.
func (n *encoder) atLeast(s sum, limit int64) term { return n.not(n.atMost(s, limit-1)) }

func (n *encoder) decided(b bool) term {
	if b {
		return n.yes
	}
	return n.no
}
