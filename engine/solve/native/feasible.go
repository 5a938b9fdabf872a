package native

import (
	"cmp"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve/native/order"
)

// feasible knows which sources of reads the order that holds for good rules
// out, so that no round is spent on each. With the recorded order of the
// synchronisation most are.
type feasible struct {
	t      *theory
	hidden map[int32]map[int32]bool // by read: writes, or -1, that others hide
	queues map[constraint.ObjID]queueRanks
}

// queueRanks is where in its channel a send or receive stands: the number of
// sends, or of receives, that are before it, if a chain of edges says it. Events
// that no run has shown may come in between: extra of them.
type queueRanks struct {
	rank                 map[int32]int
	extraSend, extraRecv int
}

func newFeasible(t *theory) *feasible {
	return &feasible{t: t, hidden: map[int32]map[int32]bool{}, queues: map[constraint.ObjID]queueRanks{}}
}

// more forgets what was found, since more edges may rule out more.
func (f *feasible) more() {
	clear(f.hidden)
	clear(f.queues)
}

// ruledOut says that r can't take its value from w.
func (f *feasible) ruledOut(w, r int32) bool {
	if f.t.sys.Events[r].Op == constraint.Recv {
		return f.outOfTurn(w, r)
	}
	hidden, ok := f.hidden[r]
	if !ok {
		hidden = f.hide(r)
		f.hidden[r] = hidden
	}
	return hidden[w]
}

// hide finds the writes that come before others that come before r.
func (f *feasible) hide(r int32) map[int32]bool {
	obj := f.t.sys.Events[r].Obj
	writes := func(e int32) bool {
		if int(e) == len(f.t.sys.Events) {
			return false
		}
		ev := &f.t.sys.Events[e]
		return ev.Obj == obj && (ev.Op == constraint.Write || ev.Op == constraint.RMW)
	}
	hidden := map[int32]bool{}
	f.t.g.Cover(r, writes, func(w int32, covered bool) {
		if writes(w) {
			hidden[-1] = true
			if covered {
				hidden[w] = true
			}
		}
	})
	return hidden
}

// outOfTurn says that a send and a receive have different numbers.
func (f *feasible) outOfTurn(s, r int32) bool {
	obj := f.t.sys.Events[r].Obj
	q, ok := f.queues[obj]
	if !ok {
		q = f.number(obj)
		f.queues[obj] = q
	}
	i, knowS := q.rank[s]
	j, knowR := q.rank[r]
	return knowS && knowR && (i+q.extraSend < j || j+q.extraRecv < i)
}

func (f *feasible) number(obj constraint.ObjID) queueRanks {
	q := queueRanks{rank: map[int32]int{}}
	q.extraSend = f.chain(obj, constraint.Send, q.rank)
	q.extraRecv = f.chain(obj, constraint.Recv, q.rank)
	return q
}

// chain numbers the recorded sends or receives if edges chain them. It returns
// how many others there are.
func (f *feasible) chain(obj constraint.ObjID, op constraint.Op, rank map[int32]int) (extra int) {
	var list []int32
	for _, e := range f.t.moving[obj] {
		switch ev := &f.t.sys.Events[e]; {
		case ev.Op != op:
		case ev.At < 0:
			extra++
		default:
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(f.t.sys.Events[a].At, f.t.sys.Events[b].At) })
	for i := 1; i < len(list); i++ {
		if f.t.g.ReachesForGood(list[i-1], list[i], known) != order.Yes {
			return extra
		}
	}
	for i, e := range list {
		rank[e] = i
	}
	return extra
}
