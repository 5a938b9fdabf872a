package debug

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Stop is a place of a run.
type Stop struct {
	File      string    `json:"file"` // absolute
	Line      int       `json:"line"`
	Func      string    `json:"func"`
	Goroutine string    `json:"goroutine"` // for people: "worker#2"
	G         trace.GID `json:"g"`
	What      string    `json:"what"` // a sentence without its full stop
	Failure   bool      `json:"failure,omitempty"`
	// Entry is set if the stop is where Func begins, at Address: a deferred
	// call has no line of its own where it is made, and debuggers do not find
	// the function that makes it by name.
	Entry   bool   `json:"entry,omitempty"`
	Address uint64 `json:"address,omitempty"`
	// The goroutine has passed First to Last switch points when it comes to
	// the line in the visit that is meant.
	First uint32 `json:"first"`
	Last  uint32 `json:"last"`

	at int // when it is reached: twice the index of the first event on the line, less 1 if just before
}

// Condition is true where the stop is reached, and at no other visit of its line
// by any goroutine, unless the goroutine comes to the line several times
// between two switch points.
func (s Stop) Condition() string {
	counts := fmt.Sprintf("runtime.curg.hk.cnt == %d", s.First)
	if s.Last != s.First {
		counts = fmt.Sprintf("runtime.curg.hk.cnt >= %d && runtime.curg.hk.cnt <= %d", s.First, s.Last)
	}
	return fmt.Sprintf("runtime.curg.hk.id == %d && %s", s.G, counts)
}

// Matches reports whether the goroutine with number g that has passed count
// switch points stands at the stop.
func (s Stop) Matches(g, count uint64) bool {
	return g == uint64(s.G) && uint64(s.First) <= count && count <= uint64(s.Last)
}

// Stops lists the switches of a fully recorded run between goroutines that run
// code of the user's, and its failure. switches is keyed by the segment of
// the run's schedule that ends. race is the pair that is the failure, nil if
// it is the run's outcome.
func Stops(r *run.Result, switches map[int]trace.Switch, race *run.RacePair) []Stop {
	f := finder{t: r.Trace, hot: map[string]bool{}}
	for _, site := range r.Trace.Schedule.Hot {
		f.hot[site] = true
	}
	for _, i := range slices.Sorted(maps.Keys(switches)) {
		why := run.Preempted
		if i < len(r.Ends) {
			why = r.Ends[i]
		}
		f.handOver(switches[i], why, r.Trace.Schedule.Segments[i].Until)
	}
	return order(f.stops, f.failure(r, race))
}

// From is stops without those before an event, and with one at the event itself, of
// which what is said; false if the event is at no line of the user's.
func From(stops []Stop, r *run.Result, event int, what string) ([]Stop, bool) {
	f := finder{t: r.Trace, hot: map[string]bool{}}
	for _, site := range r.Trace.Schedule.Hot {
		f.hot[site] = true
	}
	first, ok := f.before(event)
	if !ok {
		return stops, false
	}
	first.What = what
	out := []Stop{first}
	for _, s := range stops {
		switch {
		case s.same(first):
			out[0].What += "; " + s.What
			out[0].Failure = out[0].Failure || s.Failure
		case s.at > first.at:
			out = append(out, s)
		}
	}
	return out, true
}

// order sorts the stops, leaves out what follows the failure, and makes one
// of stops at the same visit of a line.
func order(stops []Stop, failed []Stop) []Stop {
	end := math.MaxInt
	for i := range failed {
		end = failed[i].at
	}
	stops = append(stops, failed...)
	slices.SortStableFunc(stops, func(a, b Stop) int { return cmp.Compare(a.at, b.at) })
	var out []Stop
	for _, s := range stops {
		if s.at > end {
			break
		}
		i := slices.IndexFunc(out, s.same)
		if i < 0 {
			out = append(out, s)
			continue
		}
		switch {
		case strings.Contains(out[i].What, s.What):
		case i == len(out)-1:
			out[i].What += "; " + s.What
		default: // it is still there
			out[i].What += "; later " + s.What
		}
		out[i].Failure = out[i].Failure || s.Failure
	}
	return out
}

// same is true of stops at one visit of a line.
func (s Stop) same(o Stop) bool {
	return s.G == o.G && s.File == o.File && s.Line == o.Line && s.First <= o.Last && o.First <= s.Last
}

// finder collects the stops of one run.
type finder struct {
	t     *trace.Trace
	hot   map[string]bool
	stops []Stop
}

// handOver adds the stop of one switch: where the goroutine that stops running
// is about to, or, if it has ended, where the next one goes on. It stops having
// passed a number of switch points.
func (f *finder) handOver(sw trace.Switch, why run.EndReason, passed uint32) {
	from, to := f.t.Goroutine(sw.From).Display, f.t.Goroutine(sw.To).Display
	switch why {
	case run.Ended:
		if s, ok := f.goesOn(sw); ok {
			f.add(s, fmt.Sprintf("%s has ended, %s goes on", from, to))
		}
	case run.Blocked:
		// The last thing that it did is the block, at an operation.
		if i := f.last(sw.From, sw.At); i >= 0 {
			if s, ok := f.before(i); ok {
				f.add(s, fmt.Sprintf("%s has to wait here, %s goes on", from, to))
			}
		}
	default:
		if s, where, ok := f.resumeStop(sw, passed); ok {
			s.at = min(s.at, 2*sw.At-1)
			f.add(s, fmt.Sprintf("%s is stopped %s this line, %s goes on", from, where, to))
		}
	}
}

// resumeStop is the stop at the line at which a preempted goroutine will go on.
func (f *finder) resumeStop(sw trace.Switch, passed uint32) (s Stop, where string, ok bool) {
	// A go statement is recorded, then it is a switch point.
	if i := f.last(sw.From, sw.At); i >= 0 && f.t.Events[i].Op == trace.OpSpawn && f.t.Events[i].Count == passed {
		s, ok = f.before(i)
		return s, "after", ok
	}
	if i := f.next(sw.From, sw.At); i >= 0 {
		s, ok = f.before(i)
		return s, "before", ok
	}
	s, ok = f.pending(sw.From)
	return s, "before", ok
}

func (f *finder) add(s Stop, what string) {
	s.What = what
	f.stops = append(f.stops, s)
}

// again reports whether the goroutine comes to the place of event i several
// times between two switch points: a breakpoint can't distinguish these visits.
func (f *finder) again(i int) bool {
	e := f.t.Events[i]
	for j, o := range f.t.Events {
		if j != i && o.G == e.G && o.Count == e.Count && o.Stack == e.Stack && o.Op == e.Op {
			return true
		}
	}
	return false
}

// goesOn is the first line that the next goroutine reaches, not the one at
// which it already was.
func (f *finder) goesOn(sw trace.Switch) (Stop, bool) {
	for i := sw.At; i < len(f.t.Events); i++ {
		e := f.t.Events[i]
		if e.G != sw.To && e.G != 0 {
			break
		}
		s, ok := f.before(i)
		if e.G == 0 || !ok || s.at < 2*sw.At || f.again(i) {
			continue
		}
		if !slices.ContainsFunc(f.stops, s.same) {
			return s, true
		}
	}
	return Stop{}, false
}

// last is the last event of g before index at, -1 if there is none.
func (f *finder) last(g trace.GID, at int) int {
	for i := min(at, len(f.t.Events)) - 1; i >= 0; i-- {
		if f.t.Events[i].G == g {
			return i
		}
	}
	return -1
}

// next is the first event of g from index at on that has a place.
func (f *finder) next(g trace.GID, at int) int {
	for i := at; i < len(f.t.Events); i++ {
		if e := f.t.Events[i]; e.G == g && e.Op != trace.OpStart && e.Op != trace.OpUnblock {
			return i
		}
	}
	return -1
}

// pending is the stop before the operation that g did not get to perform.
func (f *finder) pending(g trace.GID) (Stop, bool) {
	for _, e := range f.t.Pending {
		if fr, ok := f.t.UserFrame(e.Stack); e.G == g && ok {
			s := f.stop(e, fr)
			s.at = 2 * len(f.t.Events)
			s.First, s.Last = e.Count, e.Count
			return s, true
		}
	}
	return Stop{}, false
}
