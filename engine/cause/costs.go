package cause

import "github.com/hocket-dev/hocket/engine/trace"

// What makes a literal dearer than another. Two that say something cost less than one
// that says nothing: that something happened which no passing run does at all.
const (
	literalCost    = 10
	neverBroken    = 11
	lockCost       = 1.5
	happensCost    = 2
	lateCost       = 20  // two orders of what did happen say more
	preferenceCost = 0.4 // of each point of Options.Costs
)

func (f *finder) costs(all []Literal) []float64 {
	cost := make([]float64, len(all))
	for i, l := range all {
		cost[i] = literalCost
		if l.Late {
			cost[i] += lateCost
			l.After = None
		}
		for _, ev := range []int{l.Before, l.After} {
			if ev < 0 || ev >= len(f.t.Events) {
				continue
			}
			switch f.t.Events[ev].Op {
			case trace.OpLock, trace.OpRLock:
				cost[i] += lockCost
			}
			if f.opt.Costs != nil {
				cost[i] += preferenceCost * min(max(f.opt.Costs(ev), 0), 10)
			}
		}
		switch {
		case l.Before == None:
			cost[i] += happensCost
		case l.After >= 0 && l.After < len(f.t.Events):
			cost[i] += writesCost(&f.t.Events[l.Before], &f.t.Events[l.After])
		}
	}
	return cost
}

// writesCost is what it costs that the order of two writes is said to matter: what
// reads them says more, and two additions give the same in either order.
func writesCost(a, b *trace.Event) float64 {
	switch {
	case a.Op == trace.OpAtomicRMW && b.Op == trace.OpAtomicRMW:
		return 6
	case a.Op.IsMemory() && b.Op.IsMemory() && !a.Reads() && !b.Reads():
		return 1
	}
	return 0
}
