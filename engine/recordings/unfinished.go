package recordings

import (
	"math"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// unfinished are the orders by which goroutines that had more to do when the recorded run
// ended do no more: what a controlled run has of them beyond comes once nobody else can go
// on.
func (d *director) unfinished(t *trace.Trace, all [][]match, keys []uint64, shifted func(uint64, uint32) uint32) (orders []run.Order) {
	last := map[string]match{} // of threads that did all that the recorded run has of them
	for i := 1; i < len(all); i++ {
		if own := d.lastOwn(i); own >= 0 && len(all[i]) > 0 && all[i][len(all[i])-1].step >= own {
			last[d.run.Threads[i].Name] = all[i][len(all[i])-1]
		}
	}
	for _, e := range t.Events {
		g := t.Goroutine(e.G)
		m, ok := last[g.Path]
		if !ok || e.Count <= m.count {
			continue
		}
		op := e.Op
		if op == trace.OpBlock {
			op = trace.Op(e.Aux)
		}
		if _, counts := kindOf[op]; !counts {
			continue
		}
		if _, users := t.UserFrame(e.Stack); users {
			orders = append(orders, run.Order{G: g.Key, Count: shifted(g.Key, e.Count), After: keys[0], AfterCount: math.MaxUint32})
			delete(last, g.Path)
		}
	}
	return orders
}

// lastOwn is the last step of a thread that a controlled run is sure to have; -1: none.
func (d *director) lastOwn(thread int) int {
	for i := len(d.steps[thread]) - 1; i >= 0; i-- {
		if s := d.steps[thread][i]; s.Direct && matchable(s) {
			return i
		}
	}
	return -1
}
