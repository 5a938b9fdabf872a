package postmortem

import (
	"github.com/hocket-dev/hocket/engine/trace"
)

// Bounds of a slice.
const (
	readsBefore = 12 // reads of a goroutine on which what it writes may depend
	mostSliced  = 20_000
)

// distances are how many dependences lie between the aligned point and each event before
// it that it may depend on (§4): a read on the write whose value it got; a write, and the
// aligned point, on the last reads of the same goroutine, as which of these decided is
// not seen.
func distances(t *trace.Trace, aligned int) map[int]int {
	wrote := map[int]int{}
	for _, f := range t.DataFlow() {
		wrote[f.Read] = f.Write
	}
	before := make([]int, len(t.Events)) // the event of the same goroutine before one
	last := map[trace.GID]int{}
	for i, e := range t.Events {
		if before[i] = -1; last[e.G] > 0 {
			before[i] = last[e.G] - 1
		}
		last[e.G] = i + 1
	}
	dist := map[int]int{aligned: 0}
	todo := []int{aligned}
	reach := func(i, d int) {
		if _, ok := dist[i]; !ok && i >= 0 && i <= aligned && len(dist) < mostSliced {
			dist[i] = d
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		if w, ok := wrote[i]; ok {
			reach(w, dist[i]+1)
		}
		if i != aligned && !writes(t.Events[i].Op) {
			continue
		}
		n := 0
		for j := before[i]; j >= 0 && n < readsBefore; j = before[j] {
			if reads(t.Events[j].Op) {
				n++
				reach(j, dist[i]+n)
			}
		}
	}
	return dist
}

func reads(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpReadRange, trace.OpAtomicLoad, trace.OpAtomicRMW, trace.OpAtomicCAS, trace.OpMapRead, trace.OpRecv, trace.OpSelect:
		return true
	}
	return false
}

func writes(op trace.Op) bool {
	switch op {
	case trace.OpWrite, trace.OpWriteRange, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpAtomicCAS, trace.OpMapWrite, trace.OpSend, trace.OpClose:
		return true
	}
	return false
}
