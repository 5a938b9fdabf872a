package recordings

import (
	"cmp"
	"context"
	"path"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// The control build does not count operations as a recording build does: it has
// hooks at other operations of the standard library. What both have are the
// statements of the program. So the operations of a controlled run are matched with
// the steps of the recorded one, goroutine by goroutine, by statement and kind; the
// recorded orders, which hold for matched operations, then direct the next controlled
// run, which shows more operations. An order of an operation that has no match is
// asked of the nearest ones that have: it is weaker then, never wrong.

const (
	mostDirected = 12               // controlled runs that are directed
	directDelay  = 10 * time.Second // virtual time that may pass while somebody could run: it did in the recorded run
	lookAhead    = 400              // direct steps that may have no match in between
)

// director directs controlled runs along a recorded one.
type director struct {
	run      *record.Run
	steps    [][]play.Step // by thread
	tried    int
	observed bool           // counts are those of the last run, and not foreseen
	known    map[place]bool // of the program's own statements
}

// schedules returns the schedule of a controlled run that failed as the recorded one,
// or none.
func (d *director) schedules(ctx context.Context, r run.Runner) []trace.Schedule {
	res, found := d.lead(ctx, r, run.Full, func(res *run.Result) bool {
		return res.Failed() && report.SameFailure(string(res.Outcome.Kind), res.Outcome.Message, d.run.Failure)
	})
	if !found {
		return nil
	}
	return []trace.Schedule{res.Schedule}
}

// along returns a controlled run in which the orders and choices hold that the recorded
// one has of its program's own statements, or one that failed on the way there; nil if
// there is none.
func (d *director) along(ctx context.Context, r run.Runner) *run.Result {
	res, found := d.lead(ctx, r, run.Every, func(res *run.Result) bool { return res.Failed() || d.holds(res.Trace) })
	if !found {
		return nil
	}
	return res
}

// lead directs controlled runs until one is as wanted, or nothing more can be asked for.
func (d *director) lead(ctx context.Context, r run.Runner, rec run.Record, wanted func(*run.Result) bool) (res *run.Result, found bool) {
	spec := run.Spec{Strategy: run.Ordered, Record: rec, Schedule: trace.Schedule{Delay: int64(directDelay), InputSeed: d.run.Seed}}
	matched := -1
	for range mostDirected {
		res, err := r.Run(ctx, spec)
		if err != nil || res.Trace == nil {
			return nil, false
		}
		d.tried++
		if wanted(res) {
			return res, true
		}
		orders, choices, n := d.direct(res.Trace)
		if n <= matched { // it came no further: the other way of counting may
			d.observed = !d.observed
			orders, choices, n = d.direct(res.Trace)
			if slices.Equal(orders, spec.Orders) {
				return nil, false
			}
		}
		matched, spec.Orders, spec.Schedule.Choices = n, orders, choices
	}
	return nil, false
}

// match is an operation of a controlled run that is a step of the recorded one.
type match struct {
	step  int
	count uint32 // trace.Event.Count
	begun int    // its first event, which says that it waits if it has to
	done  int    // and its last
	more  uint32 // where it is only foreseen: how far its count is from that of the match before
	gap   bool   // an operation of a recorded statement, that had no match, came before it
}

// direct returns the orders and choices that the recorded run has of the operations of
// a controlled one, and how many of its steps have a match.
func (d *director) direct(t *trace.Trace) (orders []run.Order, choices []trace.Choice, n int) {
	var keys []uint64
	for _, th := range d.run.Threads {
		key, _ := trace.KeyOfPath(th.Name) // what the runtime started otherwise has no order under control
		keys = append(keys, key)
	}
	all := d.matches(t)
	for _, ms := range all {
		n += len(ms)
	}
	orders, shifted := asRecorded(d.onces(t, all))
	orders = append(orders, d.unfinished(t, all, keys, shifted)...)
	if !d.observed {
		all = d.foreseen(all)
	}
	count := func(thread int, m match) uint32 { return shifted(keys[thread], m.count) + m.more }
	for i := range d.run.Threads {
		for _, m := range all[i] {
			if s := d.steps[i][m.step]; s.Kind == rt.KindSelect && s.Case >= 0 {
				choices = append(choices, trace.Choice{G: keys[i], Count: count(i, m), Case: s.Case})
			}
		}
		for _, r := range d.run.Threads[i].Records {
			if r.From < 0 {
				continue
			}
			to, ok := firstFrom(all[i], int(r.At))
			if !ok {
				continue
			}
			after := uint32(1) // it may not have begun, as one that a timer starts
			if from, ok := lastUpTo(all[r.From], int(r.FromOp)); ok {
				after = count(r.From, from)
			}
			to = d.beforeTimers(t, all[i], i, r, to)
			orders = append(orders, run.Order{G: keys[i], Count: count(i, to), After: keys[r.From], AfterCount: after})
		}
	}
	slices.SortFunc(orders, func(a, b run.Order) int {
		return cmp.Or(cmp.Compare(a.G, b.G), cmp.Compare(a.Count, b.Count), cmp.Compare(a.After, b.After), cmp.Compare(a.AfterCount, b.AfterCount))
	})
	return orders, choices, n
}

// matches are those of all threads.
func (d *director) matches(t *trace.Trace) [][]match {
	events := map[string][]trace.Event{}
	for _, e := range t.Events {
		g := t.Goroutine(e.G).Path
		events[g] = append(events[g], e)
	}
	all := make([][]match, len(d.run.Threads))
	for i := range d.run.Threads {
		all[i] = d.match(t, i, events[d.run.Threads[i].Name])
	}
	return all
}

// holds reports whether each order and choice of the recorded run whose statements are
// the program's is one of a controlled run, too.
func (d *director) holds(t *trace.Trace) bool {
	all := d.matches(t)
	for i := range d.run.Threads {
		for _, m := range all[i] {
			if c := d.steps[i][m.step].Case; c >= 0 && t.Events[m.done].Op == trace.OpSelect && int64(t.Events[m.done].Value) != int64(c) {
				return false
			}
		}
		for _, r := range d.run.Threads[i].Records {
			if r.From < 0 || !matchable(d.steps[i][r.At]) || !matchable(d.steps[r.From][r.FromOp]) {
				continue
			}
			to, ok := firstFrom(all[i], int(r.At))
			from, ok2 := firstFrom(all[r.From], int(r.FromOp))
			if !ok || !ok2 || to.step != int(r.At) || from.step != int(r.FromOp) {
				return false
			}
			before := from.done
			switch classOf(r.Kind) {
			case rt.KindSelect, rt.KindGroup: // who waits has come first, though it goes on later
				before = from.begun
			}
			if before > to.done {
				return false
			}
		}
	}
	return true
}

// matchable reports whether a step is of the program's own statements, and a kind of
// operation that a controlled run has.
func matchable(s play.Step) bool {
	return kinds[classOf(s.Kind)] && s.File != ""
}

// firstFrom is the first match of a step with at least that number.
func firstFrom(ms []match, step int) (match, bool) {
	i, _ := slices.BinarySearchFunc(ms, step, func(m match, s int) int { return m.step - s })
	if i == len(ms) {
		return match{}, false
	}
	return ms[i], true
}

// lastUpTo is the last match of a step with at most that number.
func lastUpTo(ms []match, step int) (match, bool) {
	i, found := slices.BinarySearchFunc(ms, step, func(m match, s int) int { return m.step - s })
	if !found {
		i--
	}
	if i < 0 {
		return match{}, false
	}
	return ms[i], true
}

// match pairs a goroutine's events with its thread's steps, in order.
func (d *director) match(t *trace.Trace, thread int, events []trace.Event) (out []match) {
	steps, next := d.steps[thread], 0
	last, before, gap := uint32(0), uint32(0), false
	for _, e := range events {
		again := e.Count == before // the second look of a Once.Do is that of its lock
		before = e.Count
		op := e.Op
		if op == trace.OpBlock {
			op = trace.Op(e.Aux)
		}
		if e.Count == last && len(out) > 0 {
			out[len(out)-1].done = e.Seq
		}
		kind, ok := kindOf[op]
		if !ok || e.Count == last || e.Op == trace.OpOnceLoad && again {
			continue
		}
		f, ok := t.UserFrame(e.Stack)
		if !ok {
			continue
		}
		ahead := 0
		for i := next; i < min(next+20*lookAhead, len(steps)) && ahead < lookAhead; i++ {
			s := &steps[i]
			if s.Direct {
				ahead++
			}
			if s.File != "" && classOf(s.Kind) == kind && s.Line == f.Line && path.Base(s.File) == path.Base(f.File) {
				out = append(out, match{step: i, count: e.Count, begun: e.Seq, done: e.Seq, gap: gap})
				next, last, gap = i+1, e.Count, false
				break
			}
		}
		gap = gap || e.Count != last && d.places()[place{kind, path.Base(f.File), f.Line}]
	}
	return out
}

// kindOf are the kinds of the operations of a trace that a recording build has, too.
// Operations on channels are one kind: a select of one case is compiled as another.
var kindOf = map[trace.Op]record.Kind{
	trace.OpLock: rt.KindLock, trace.OpTryLock: rt.KindLock, trace.OpRLock: rt.KindRLock, trace.OpTryRLock: rt.KindRLock,
	trace.OpWGAdd: rt.KindGroup, trace.OpWGDone: rt.KindGroup, trace.OpWGWait: rt.KindGroup,
	trace.OpCondWait: rt.KindCond, trace.OpSignal: rt.KindCond, trace.OpBroadcast: rt.KindCond,
	trace.OpOnceLoad: rt.KindOnce, trace.OpMapRead: rt.KindMap, trace.OpMapWrite: rt.KindMap,
	trace.OpPoolGet: rt.KindPool, trace.OpPoolPut: rt.KindPool,
	trace.OpSend: rt.KindSelect, trace.OpRecv: rt.KindSelect, trace.OpSelect: rt.KindSelect, trace.OpClose: rt.KindClose,
	trace.OpChanLen:    rt.KindLen,
	trace.OpAtomicLoad: rt.KindAtomic, trace.OpAtomicStore: rt.KindAtomic, trace.OpAtomicRMW: rt.KindAtomic, trace.OpAtomicCAS: rt.KindAtomic,
}

// kinds are those of kindOf.
var kinds = func() map[record.Kind]bool {
	all := map[record.Kind]bool{}
	for _, k := range kindOf {
		all[k] = true
	}
	return all
}()

func classOf(k record.Kind) record.Kind {
	switch k {
	case rt.KindSend, rt.KindRecv:
		return rt.KindSelect
	case rt.KindValue:
		return rt.KindAtomic
	}
	return k
}
