package trace

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/rt"
)

// Where stores wait in buffers, what another goroutine finds next is not what a write
// left: that is in its record if it waited, and else not known.
func TestValuesUnderAMemoryModel(t *testing.T) {
	run := func(memory uint64, flags uint8) *Trace {
		r := twoWorkers()
		r.sections[rt.WEventOff] = nil
		r.words[rt.WMemory], r.words[rt.WBufferSeed] = memory, 7
		r.event(1, OpWrite, addrVar, r.stack(pcMain), 5, 8)
		r.sections[rt.WEventOff][5] |= flags
		r.event(2, OpRead, addrVar, r.stack(pcMain), 0, 8)
		return decode(t, r)
	}
	if e := run(rt.MemorySC, 0).Events[0]; !e.HasValue || e.Value != 0 {
		t.Errorf("all at once: the write is said to have left %v %d", e.HasValue, e.Value)
	}
	tr := run(rt.MemoryTSO, 0)
	if e := tr.Events[0]; e.HasValue {
		t.Errorf("a store that is not known to have waited: left %d", e.Value)
	}
	if tr.Schedule.Memory != TSO || tr.Schedule.BufferSeed != 7 {
		t.Errorf("schedule %+v", tr.Schedule)
	}
	if e := run(rt.MemoryPSO, rt.EventStored).Events[0]; !e.HasValue || e.Value != 5 {
		t.Errorf("a store that waited: left %v %d, want 5", e.HasValue, e.Value)
	}
}

func TestMemoryModels(t *testing.T) {
	for _, c := range []struct {
		m, o Memory
		want bool
	}{{SC, SC, true}, {SC, TSO, false}, {TSO, TSO, true}, {TSO, PSO, false}, {PSO, TSO, true}, {PSO, SC, true}} {
		if c.m.Allows(c.o) != c.want {
			t.Errorf("%q allows %q: %v", c.m, c.o, !c.want)
		}
	}
	if PSO.Stronger() != TSO || TSO.Stronger() != SC || SC.Stronger() != SC {
		t.Error("not ordered by strength")
	}
}
