package search

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// inputsTried is how many inputs are tried of a program with one schedule: orders of
// the elements of maps, random numbers.
const inputsTried = 50

// single are the runs of a program with one schedule.
type single struct {
	last   *run.Result     // one that passed
	runs   int             // that passed
	seeds  map[uint64]bool // of their inputs
	maps   bool            // the order of their elements is an input, which Schedule.InputSeed draws
	random bool            // and so are random numbers
}

// oneSchedule is true of a run that passed and left nothing to choose: no goroutine
// could run beside another, no select had several cases that were ready, no timer was
// set, and nothing was made that could tell when the collector ran. Most tests of most
// modules are so.
func oneSchedule(spec run.Spec, r *run.Result) bool {
	return r.Outcome.Kind == trace.Passed && r.Alone && !r.Awaits && len(r.Races) == 0 && spec.Schedule.Memory == ""
}

func (s *single) add(spec run.Spec, r *run.Result) {
	if s.seeds == nil {
		s.seeds = map[uint64]bool{}
	}
	s.seeds[spec.Schedule.InputSeed] = true
	s.last = r
	s.runs++
	s.maps, s.random = s.maps || r.Inputs > 0, s.random || r.Random
}

// drawn counts the runs that the strategy knows of, so that what is proposed does not
// depend on how fast runs are.
type drawn struct{ runs, single int }

func (d *drawn) observe(spec run.Spec, r *run.Result) {
	d.runs++
	if oneSchedule(spec, r) {
		d.single++
	}
}

// input reports whether all that differs between the runs is the program's input.
func (d *drawn) input() bool { return d.single > 0 && d.single == d.runs }

// allTried reports whether a program with one schedule was run often enough.
func (c *Campaign) allTried() bool {
	s := &c.ledger.single
	return s.runs > 0 && s.runs == c.ledger.verdicts && c.opt.Aim == nil && (len(s.seeds) >= inputsTried || !s.maps && !c.random())
}

// random reports whether the program draws random numbers. Of those of package math/rand
// no run tells.
func (c *Campaign) random() bool {
	return c.ledger.single.random || slices.ContainsFunc(c.opt.Blind, func(call string) bool {
		for _, pkg := range []string{"math/rand", "hash/maphash"} {
			if strings.HasPrefix(call, pkg) {
				return true
			}
		}
		return false
	})
}

// proofOfOne says whether the one schedule of a program shows all that it can do, and
// that it is one.
func (c *Campaign) proofOfOne() (bool, string) {
	const one = "no goroutine runs beside another, so there is one schedule"
	s := &c.ledger.single
	switch {
	case s.maps:
		return false, fmt.Sprintf("%s; %d orders of the elements of maps were tried", one, len(s.seeds))
	case c.random():
		return false, fmt.Sprintf("%s; the program can draw random numbers, %d sequences were tried", one, len(s.seeds))
	case s.last.ReadClock:
		return false, one + "; the program reads the clock"
	case s.last.Collects:
		return false, one + "; when memory is collected was not varied"
	case s.last.External > 0:
		return false, one + "; what comes from outside the program may differ"
	}
	return true, one
}
