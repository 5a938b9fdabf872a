package debug

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// failure returns the stops at which the run fails. Nothing after the last stop
// is of interest. That goroutines are blocked forever shows only after the last
// of them has begun to wait.
func (f *finder) failure(r *run.Result, race *run.RacePair) []Stop {
	if race != nil {
		return f.race(*race)
	}
	out := f.t.Outcome
	switch out.Kind {
	case trace.Deadlocked, trace.Leaked:
		return f.blocked(out)
	case trace.TestFailed:
		return f.first(out, trace.OpTestFail)
	case trace.ExitCode:
		return f.first(out, trace.OpExit)
	default:
		return f.died(out)
	}
}

// End is where a run stops whose failure shows only when nothing runs any more:
// a function of the controlled runtime, in which Condition holds ("" always).
type End struct {
	Func      string `json:"func"`
	Condition string `json:"condition,omitempty"`
	What      string `json:"what"`
}

// EndOf returns the end of a run, nil if the run fails before it.
func EndOf(r *run.Result, race *run.RacePair) *End {
	out := r.Outcome
	if race != nil || out.Kind != trace.Deadlocked && out.Kind != trace.Leaked {
		return nil
	}
	if out.Kind == trace.Deadlocked {
		return &End{"runtime.hkFinish", fmt.Sprintf("status == %d", rt.StatusDeadlock), "deadlock: " + out.Message}
	}
	n := 0
	for _, b := range out.Blocked {
		if b.Leaked {
			n++
		}
	}
	what := "the program ends, and a goroutine waits for ever"
	if n > 1 {
		what = fmt.Sprintf("the program ends, and %d goroutines wait for ever", n)
	}
	return &End{Func: "runtime.hkFinish", What: what}
}

// first is before the first event of a kind.
func (f *finder) first(out trace.Outcome, op trace.Op) []Stop {
	for i, e := range f.t.Events {
		if e.Op == op {
			if s, ok := f.before(i); ok {
				s.What, s.Failure = out.Message, true
				return []Stop{s}
			}
		}
	}
	return nil
}

// died is the stop before the panic that ends the program.
func (f *finder) died(out trace.Outcome) []Stop {
	for i := len(f.t.Events) - 1; i >= 0; i-- {
		e := f.t.Events[i]
		if e.G != out.Goroutine && out.Goroutine != 0 {
			continue
		}
		switch e.Op {
		case trace.OpPanicStart, trace.OpPanic, trace.OpFatal:
			if s, ok := f.before(i); ok {
				s.What, s.Failure = out.Message, true
				return []Stop{s}
			}
		}
	}
	return nil
}

// blocked returns the stops before the operations in which goroutines wait
// forever, in order.
func (f *finder) blocked(out trace.Outcome) []Stop {
	var stops []Stop
	for _, b := range out.Blocked {
		i := f.last(b.G, len(f.t.Events))
		for i >= 0 && f.t.Events[i].Op != trace.OpBlock {
			i = f.last(b.G, i)
		}
		if i < 0 || out.Kind == trace.Leaked && !b.Leaked {
			continue
		}
		if s, ok := f.before(i); ok {
			s.What = s.Goroutine + " will wait here for ever"
			stops = append(stops, s)
		}
	}
	slices.SortFunc(stops, func(a, b Stop) int { return cmp.Compare(a.at, b.at) })
	return stops
}

// race is before both accesses.
func (f *finder) race(pair run.RacePair) (stops []Stop) {
	want := run.RaceSignature(pair)
	for _, r := range f.t.Races {
		var p run.RacePair
		p.First, _ = f.t.UserFrame(r.First.Stack)
		p.Second, _ = f.t.UserFrame(r.Second.Stack)
		p.FirstWrite, p.SecondWrite = r.First.Write, r.Second.Write
		if run.RaceSignature(p) != want {
			continue
		}
		second := f.access(r.Second, len(f.t.Events))
		first := f.access(r.First, second)
		for i, what := range map[int]string{first: f.verb(r.First, "here first"),
			second: f.verb(r.Second, "here too, and nothing orders the two: a data race")} {
			if i < 0 {
				continue
			}
			if s, ok := f.before(i); ok {
				s.What, s.Failure = what, i == second
				stops = append(stops, s)
			}
		}
		slices.SortFunc(stops, func(a, b Stop) int { return cmp.Compare(a.at, b.at) })
		return stops
	}
	return nil
}

func (f *finder) verb(a trace.Access, rest string) string {
	does := " reads "
	if a.Write {
		does = " writes "
	}
	return f.t.Goroutine(a.G).Display + does + rest
}

// access is the index of the event that is a's, before index end.
func (f *finder) access(a trace.Access, end int) int {
	if a.Seq >= 0 && a.Seq < len(f.t.Events) {
		return a.Seq
	}
	// Of the first access only the place is known.
	fr, _ := f.t.UserFrame(a.Stack)
	ops := []trace.Op{trace.OpRead, trace.OpReadRange, trace.OpAtomicLoad}
	if a.Write {
		ops = []trace.Op{trace.OpWrite, trace.OpWriteRange, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpAtomicCAS}
	}
	for i := f.last(a.G, end); i >= 0; i = f.last(a.G, i) {
		e := f.t.Events[i]
		if at, ok := f.t.UserFrame(e.Stack); ok && at == fr && slices.Contains(ops, e.Op) {
			return i
		}
	}
	return -1
}
