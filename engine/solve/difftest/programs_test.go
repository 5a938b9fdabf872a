package difftest_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/native"
	"github.com/hocket-dev/hocket/engine/solve/z3"
)

// Exploration reaches all that random programs can do, and says so only then.
func TestPrograms(t *testing.T) {
	t.Run("walk", func(t *testing.T) { programs(t, nil, 2000**times, 0) })
	t.Run("native", func(t *testing.T) { programs(t, native.New(), 1000**times, 0) })
	t.Run("z3", func(t *testing.T) {
		s, err := z3.New(z3.Options{})
		if err != nil {
			t.Logf("not compared: %v", err)
			return
		}
		programs(t, s, 60**times, 0)
	})
}

func programs(t *testing.T, solver solve.Solver, n int, from uint64) {
	const parts = 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			var tally tally
			for seed := *seed0 + from + part; tally.programs < n/parts && !t.Failed(); seed += parts {
				if s := draw(seed, 1500, minigo.Size{Threads: 2, Steps: 3, Racy: seed%8 < 4}); s != nil {
					tally.add(t, s, explore(t, s, solver), solver)
				}
			}
			t.Log(tally)
			if tally.proved < tally.programs*3/4 {
				t.Errorf("few programs are covered: %v", tally)
			}
		})
	}
}

// tally counts what was compared.
type tally struct {
	programs, proved, clean, runs int
	doubts                        map[string]int
}

func (c tally) String() string {
	s := fmt.Sprintf("%d programs, %d covered, %d of them clean, %d runs", c.programs, c.proved, c.clean, c.runs)
	for _, d := range slices.Sorted(maps.Keys(c.doubts)) {
		s += fmt.Sprintf("\n%4d: %s", c.doubts[d], d)
	}
	return s
}

// explored is what exploration made of a program.
type explored struct {
	saw    seen
	proved bool
	why    string
	runs   int
}

// explore runs all that a solver finds to run, asked for one goal after the
// other; nil: all that is found by walks.
func explore(t *testing.T, s *sample, solver solve.Solver) *explored {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	x := &explored{saw: newSeen(len(s.program.Threads))}
	runner := &minigo.Runner{Program: s.program, Saw: func(_ run.Spec, one *minigo.Seen) { x.saw.add(one) }}
	strategy := search.NewExplore(cmp.Or(solver, native.New()))
	if solver != nil {
		strategy.WithoutWalks()
	}
	for {
		spec, ok := strategy.Next(ctx, x.runs)
		if !ok && !strategy.Waits() || ctx.Err() != nil || x.runs > 200 {
			break
		}
		if !ok {
			continue
		}
		res, err := runner.Run(ctx, spec)
		if err != nil {
			break
		}
		x.runs++
		strategy.Observe(spec, res)
	}
	x.proved, x.why = strategy.Proved()
	return x
}

// seen is the union of runs.
type seen struct {
	histories []map[uint64]bool
	failures  map[string]bool
}

func newSeen(threads int) seen {
	s := seen{failures: map[string]bool{}}
	for range threads {
		s.histories = append(s.histories, map[uint64]bool{})
	}
	return s
}

func (s *seen) add(one *minigo.Seen) {
	for n, hs := range one.Histories {
		maps.Copy(s.histories[n], hs)
	}
	if f := failureOf(one.Outcome); f != "" {
		s.failures[f] = true
	}
}

// add compares what was explored of a program with all that it can do.
func (c *tally) add(t *testing.T, s *sample, x *explored, solver solve.Solver) {
	t.Helper()
	c.programs++
	c.runs += x.runs
	if !x.proved {
		if c.doubts == nil {
			c.doubts = map[string]int{}
		}
		c.doubts[x.why]++
		return
	}
	c.proved++
	if len(x.saw.failures) == 0 {
		c.clean++
	}
	if missing(s.all, &x.saw) != "" {
		s, x = shrink(t, s, x, solver)
		t.Errorf("seed %d: %s, but %s\n%v", s.seed, x.why, missing(s.all, &x.saw), s.program)
	}
}

// shrink leaves out what is not needed to be proved falsely.
func shrink(t *testing.T, s *sample, x *explored, solver solve.Solver) (*sample, *explored) {
	for again := true; again; {
		again = false
		for p := range s.program.Smaller() {
			all := minigo.Enumerate(p, 1500)
			if all == nil {
				continue
			}
			small := &sample{s.seed, p, all}
			if y := explore(t, small, solver); y.proved && missing(all, &y.saw) != "" {
				s, x, again = small, y, true
				break
			}
		}
	}
	return s, x
}

// missing says what of all that a program can do was not seen. A deadlock
// stands for leaks too: both are goroutines that wait for ever.
func missing(all *minigo.Behaviour, saw *seen) string {
	for n, hs := range all.Histories {
		for h := range hs {
			if !saw.histories[n][h] {
				return fmt.Sprintf("%d of %d histories of thread %d were seen", len(saw.histories[n]), len(hs), n)
			}
		}
	}
	stuck := func(fs map[string]bool) bool { return fs["deadlock"] || fs["leak"] }
	for f := range all.Failures {
		if f != "deadlock" && f != "leak" && !saw.failures[f] {
			return fmt.Sprintf("%q was not seen", f)
		}
	}
	if stuck(all.Failures) != stuck(saw.failures) {
		return "goroutines that wait for ever were not seen"
	}
	return ""
}
