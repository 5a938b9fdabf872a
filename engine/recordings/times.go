package recordings

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Time passes under control when somebody has to be waited for. A goroutine that has
// made a timer and is then held until another one has slept would find the timer
// expired, which the recorded run did not: so it is held before it makes the timer, if
// what it does from there on is not needed by the other one.

// mostBack is how many steps a goroutine is held earlier, at most.
const mostBack = 100

// beforeTimers is the match at which a goroutine is held for a record's order, which asks
// for it at to.
func (d *director) beforeTimers(t *trace.Trace, ms []match, thread int, r record.Record, to match) match {
	needed := d.past(thread, r)
	at := int(r.At)
	for j := at - 1; j > needed && j > at-mostBack; j-- {
		if d.waits(thread, j) {
			break
		}
		if d.steps[thread][j].Kind == rt.KindClock {
			at = j
		}
	}
	if at == int(r.At) {
		return to
	}
	from, ok := firstFrom(ms, at)
	if !ok || from.step >= to.step || d.startsBetween(t, thread, from, to) {
		return to
	}
	return from
}

// waits reports whether a step may have waited: it comes after one of another goroutine,
// or is a select.
func (d *director) waits(thread, step int) bool {
	if classOf(d.steps[thread][step].Kind) == rt.KindSelect {
		return true
	}
	records := d.run.Threads[thread].Records
	i, _ := slices.BinarySearchFunc(records, uint64(step), func(r record.Record, at uint64) int { return int(r.At) - int(at) })
	for ; i < len(records) && records[i].At == uint64(step); i++ {
		if records[i].From >= 0 {
			return true
		}
	}
	return false
}

// past is the last step of a thread that comes, by the recorded orders, before the step
// that r names; -1: none.
func (d *director) past(thread int, r record.Record) int {
	last := -1
	seen := map[int]int64{} // by thread: steps up to there were looked at
	var visit func(th int, op uint64)
	visit = func(th int, op uint64) {
		if th == thread {
			last = max(last, int(op))
			return
		}
		from, ok := seen[th]
		if ok && from >= int64(op) {
			return
		}
		seen[th] = int64(op)
		for _, r := range d.run.Threads[th].Records {
			if r.At > op {
				break
			}
			if r.From >= 0 && (!ok || int64(r.At) > from) {
				visit(r.From, r.FromOp)
			}
		}
	}
	visit(r.From, r.FromOp)
	return last
}

// startsBetween reports whether a goroutine starts another one between two matches; where
// they are only foreseen, that is not known.
func (d *director) startsBetween(t *trace.Trace, thread int, from, to match) bool {
	return from.more > 0 || to.more > 0 || slices.ContainsFunc(t.Events, func(e trace.Event) bool {
		return e.Op == trace.OpSpawn && from.count <= e.Count && e.Count < to.count && t.Goroutine(e.G).Path == d.run.Threads[thread].Name
	})
}
