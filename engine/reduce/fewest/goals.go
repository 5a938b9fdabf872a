package fewest

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// end is how a run in the forest failed.
type end struct {
	run     int
	kind    trace.OutcomeKind
	key     uint64 // the goroutine that failed
	seq     int    // where it did
	closed  bool   // on a closed channel: not its own history alone decides it
	blocked []uint64
	length  int
}

// endOf reads a run; false: it is not known what to ask for.
func endOf(r *run.Result, run int) (end, bool) {
	t := r.Trace
	e := end{run: run, kind: r.Outcome.Kind, length: len(t.Events)}
	switch e.kind {
	case trace.Deadlocked, trace.Leaked:
		for _, b := range t.Outcome.Blocked {
			e.blocked = append(e.blocked, t.Goroutines[b.G].Key)
		}
		return e, len(e.blocked) > 0
	case trace.Raced:
		return e, false
	}
	e.closed = strings.Contains(r.Outcome.Message, "closed channel")
	for i, ev := range t.Events {
		if ends(ev.Op) && (t.Outcome.Goroutine == 0 || ev.G == t.Outcome.Goroutine) && ev.G != 0 {
			e.key, e.seq = t.Goroutines[ev.G].Key, i
			return e, true
		}
	}
	return e, false
}

func ends(op trace.Op) bool {
	switch op {
	case trace.OpPanicStart, trace.OpPanic, trace.OpFatal, trace.OpExit, trace.OpTestFail:
		return true
	}
	return false
}

// goals are what to ask for so that the program fails as in a run: that the
// goroutine gets to where it failed with the same history, which decides what it
// does next; that the same goroutines come to wait after the same histories.
func (f *finder) goals(sys *constraint.System, e end) []constraint.Goal {
	var g constraint.Goal
	include := func(key uint64, seq int) constraint.EventID {
		at := f.forest.Reached(e.run, key, seq)
		if at != constraint.NoEvent && !slices.Contains(g.Include, at) {
			g.Include = append(g.Include, at)
		}
		return at
	}
	if e.blocked == nil {
		include(e.key, e.seq)
		if e.closed {
			return withClose(sys, g)
		}
		return []constraint.Goal{g}
	}
	for _, key := range e.blocked {
		at := include(key, e.length)
		for i := range sys.Events {
			if at != constraint.NoEvent && sys.Events[i].Prev == at {
				g.Blocked = append(g.Blocked, constraint.EventID(i))
			}
		}
	}
	return []constraint.Goal{g}
}

// withClose asks for some close besides.
func withClose(sys *constraint.System, g constraint.Goal) (all []constraint.Goal) {
	for i := range sys.Events {
		if sys.Events[i].Op == constraint.Close {
			all = append(all, constraint.Goal{Include: append(slices.Clone(g.Include), constraint.EventID(i))})
		}
	}
	return all
}

// proofGoals are such that each schedule that fails in the same way, by what is
// known, reaches one of them.
func (f *finder) proofGoals(sys *constraint.System) (all []constraint.Goal) {
	for _, e := range f.ends {
		if e.blocked != nil {
			return f.stuckGoals()
		}
		for _, g := range f.goals(sys, e) {
			if !slices.ContainsFunc(all, func(h constraint.Goal) bool { return slices.Equal(g.Include, h.Include) }) {
				all = append(all, g)
			}
		}
	}
	return all
}

// maxStuck bounds the ways in which goroutines can wait at the places.
const maxStuck = 64

// stuckGoals are all ways in which everybody waits for ever, somebody at each of
// the places.
func (f *finder) stuckGoals() []constraint.Goal {
	all := []constraint.Goal{{Stuck: true}}
	for _, p := range f.opt.Places {
		sites := f.sites[p]
		if sites == nil {
			return all // nothing is known there
		}
		var more []constraint.Goal
		for _, s := range f.forest.Stands(func(site string) bool { return sites[site] }) {
			for _, g := range all {
				h := constraint.Goal{Stuck: true, Include: slices.Clone(g.Include), Blocked: append(slices.Clone(g.Blocked), s.Next...)}
				if s.After != constraint.NoEvent {
					h.Include = append(h.Include, s.After)
				}
				more = append(more, h)
			}
		}
		if len(more) > maxStuck {
			return []constraint.Goal{{Stuck: true}}
		}
		all = more
	}
	return all
}
