package sim

import (
	"fmt"
	"hash/fnv"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// writer is the thread that wrote or synchronised, and where.
type writer struct {
	id trace.GID // 0: nobody
	at place
}

// paired is a reads-from pair of a run.
type paired struct {
	times   int
	segment int
	count   uint32
}

// pair records whose write t's operation sees, and that it is the last if it
// writes. A select counts for the channel that it chose.
func (m *machine) pair(t *Thread, o *op) {
	obj := o.obj
	if !m.spec.Pairs || obj == nil {
		return
	}
	me := writer{t.id, o.at}
	reads := o.kind != trace.OpWrite
	if reads && obj.by.id != 0 && obj.by.id != t.id {
		k := [2]writer{obj.by, me}
		if m.pairs[k] == nil {
			m.pairs[k] = &paired{segment: len(m.segments), count: t.count}
		}
		m.pairs[k].times++
	}
	if o.write {
		obj.by = me
	}
}

// pairsSeen are the run's pairs; threads are named by their paths.
func (m *machine) pairsSeen() (out []run.ReadsFrom) {
	for k, p := range m.pairs {
		h := fnv.New64a()
		for _, w := range k {
			fmt.Fprintln(h, m.threads[w.id-1].path, w.at.pc)
		}
		out = append(out, run.ReadsFrom{ID: h.Sum64(), Times: run.PairTimesOf(p.times), Segment: p.segment, Count: p.count})
	}
	run.SortPairs(out)
	return out
}
