package cause

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// What makes a literal dearer than another. Two that say something cost less than one
// that says nothing: that something happened which no passing run does at all.
const (
	literalCost    = 10
	neverBroken    = 11
	lockCost       = 1.5
	happensCost    = 2
	lateCost       = 20  // two orders of what did happen say more
	preferenceCost = 0.4 // of each point of Options.Costs
	awaitedCost    = -1  // what a wait that never ends is about
	handedCost     = 4   // who waited for a message says less than whose it was
)

// MostCost is the most that Options.Costs may say of an event.
const MostCost = 30

func (f *finder) costs(all []Literal) []float64 {
	cost := make([]float64, len(all))
	effect := Effects(f.t)
	for i, l := range all {
		cost[i] = literalCost
		switch {
		case l.Late && !f.awaited(l.After):
			cost[i] += lateCost
			l.After = None
		case l.Late:
			cost[i] += awaitedCost - lockCost // of Before
			l.After = None
		case f.handedOver(l, effect):
			cost[i] += handedCost
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
				cost[i] += preferenceCost * min(max(f.opt.Costs(ev), 0), MostCost)
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

// awaited reports whether a late event is what a goroutine of the failing run waits for
// ever to do: then what came before it is the failure itself.
func (f *finder) awaited(late int) bool {
	e := &f.Late.Events[late]
	return slices.ContainsFunc(f.t.Outcome.Blocked, func(b trace.Blocked) bool {
		return b.Op == e.Op && b.Obj != 0 && f.t.Goroutine(b.G).Path == f.Late.Goroutine(e.G).Path &&
			f.t.Object(b.Obj).Name == f.Late.Object(e.Obj).Name && slices.Equal(f.t.Stack(b.Stack), f.Late.Stack(e.Stack))
	})
}

// handedOver reports whether an order is that of the two sides of one channel operation,
// of which the first one waited for the other.
func (f *finder) handedOver(l Literal, effect []int) bool {
	if l.Before == None || l.After >= len(f.t.Events) || effect[l.Before] == l.Before {
		return false
	}
	woke, by := &f.t.Events[effect[l.Before]], f.t.Events[l.After].G
	if woke.G != by {
		return false
	}
	for i := effect[l.Before] + 1; i < l.After; i++ {
		if e := &f.t.Events[i]; e.G == by && Counts(e.Op) {
			return false
		}
	}
	return true
}
