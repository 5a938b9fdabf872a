package search_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

func named(t *testing.T, name string, seed uint64) search.Strategy {
	t.Helper()
	s, err := search.Make(name, search.Config{Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestKnownBugsAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		kind    trace.OutcomeKind
		within  int
	}{
		"atomicity":   {sim.LostUpdate(2, 2), trace.Panicked, 100},
		"order":       {sim.UseBeforeInit, trace.Panicked, 50},
		"deadlock":    {sim.LockOrder, trace.Deadlocked, 400},
		"lost signal": {sim.LostSignal, trace.Deadlocked, 400},
		"leak":        {sim.LeakOnTimeout(false), trace.Leaked, 100},
	} {
		for _, strategy := range []string{"auto", "pos", "random", "pct", "reads-from"} {
			for seed := range uint64(3) {
				opt := search.Options{Schedules: tc.within, Strategy: named(t, strategy, seed)}
				o := search.Run(ctx, sim.New(tc.program), 0, opt, nil)
				if o.Status != search.Failing || len(o.Findings) != 1 {
					t.Errorf("%s, %s, seed %d: %s %s, %d findings", name, strategy, seed, o.Status, o.Reason, len(o.Findings))
					continue
				}
				f := o.Findings[0]
				if f.Signature.Kind != tc.kind || !f.Replayed || !f.Same(f.Result) || f.Attempt == 0 {
					t.Errorf("%s, %s, seed %d: %+v", name, strategy, seed, f)
				}
				if len(o.Passing) == 0 {
					t.Errorf("%s, %s, seed %d: no passing run kept", name, strategy, seed)
				}
			}
		}
	}
}

func TestCorrectProgramIsSearched(t *testing.T) {
	o := search.Run(ctx, sim.New(sim.Correct), 0, search.Options{Strategy: search.NewMix(0), Schedules: 60}, nil)
	if o.Status != search.Searched || o.Schedules != 60 || o.Passed != 60 || len(o.Findings) != 0 {
		t.Errorf("%+v", o)
	}
}

// A race is a finding of its own, and its places become switch points: only
// then the lost update can show.
func TestRacesLeadFurther(t *testing.T) {
	for seed := range uint64(5) {
		o := search.Run(ctx, sim.New(sim.Racy), 0, search.Options{Schedules: 300, Seed: seed}, nil)
		var kinds []string
		for _, f := range o.Findings {
			kinds = append(kinds, string(f.Signature.Kind))
			if !f.Same(f.Result) || !f.Replayed {
				t.Errorf("%+v", f)
			}
		}
		got := strings.Join(kinds, " ")
		if o.Status != search.Failing || !strings.HasPrefix(got, "panic data-race") {
			t.Errorf("seed %d: %s: %s", seed, o.Status, got)
		}
		if len(o.Findings[0].Result.Schedule.Hot) == 0 {
			t.Error("found without hot places?")
		}
	}
}

// Races that the user's code has no part in are no findings.
func TestRaceInsideStdIsIgnored(t *testing.T) {
	runner := runnerFunc(func(context.Context, run.Spec) (*run.Result, error) {
		return &run.Result{Outcome: trace.Outcome{Kind: trace.Passed}, Races: []run.RacePair{{FirstSite: "1", SecondSite: "2"}}}, nil
	})
	o := search.Run(ctx, runner, 0, search.Options{Schedules: 20}, nil)
	if o.Status != search.Searched {
		t.Errorf("%+v", o)
	}
}

func TestFailsAlways(t *testing.T) {
	o := search.Run(ctx, sim.New(sim.Broken), 0, search.Options{Strategy: search.NewMix(0)}, nil)
	if o.Status != search.FailsAlways || o.Schedules != 30 || len(o.Findings) != 0 || !strings.Contains(o.Reason, "of 3") {
		t.Errorf("%+v", o)
	}
	stuck := func(t *sim.Thread) { t.Recv(t.Chan(0)) }
	o = search.Run(ctx, sim.New(stuck), 0, search.Options{Strategy: search.NewMix(0)}, nil)
	if o.Status != search.FailsAlways || o.Schedules != 120 {
		t.Errorf("%+v", o)
	}
}

// What every run leaves behind is noise; what only some do is a finding, with
// its own places alone.
func TestLeakBaseline(t *testing.T) {
	noise := func(t *sim.Thread) {
		c := t.Chan(0)
		t.Go(func(t *sim.Thread) { t.Recv(c) })
		t.Yield()
	}
	o := search.Run(ctx, sim.New(noise), 0, search.Options{Strategy: search.NewMix(0), Schedules: 50}, nil)
	if o.Status != search.Searched || len(o.AlwaysLeaks) != 1 || o.Passed != 50 {
		t.Errorf("%+v", o)
	}
	for seed := range uint64(5) {
		o = search.Run(ctx, sim.New(sim.LeakOnTimeout(true)), 0, search.Options{Schedules: 100, Seed: seed}, nil)
		if o.Status != search.Failing || len(o.Findings) != 1 || len(o.AlwaysLeaks) != 1 {
			t.Fatalf("%+v", o)
		}
		f := o.Findings[0]
		if strings.Contains(f.Signature.Places, o.AlwaysLeaks[0]) || strings.Contains(f.Signature.Places, ";") {
			t.Errorf("places %q hold the noise %q", f.Signature.Places, o.AlwaysLeaks)
		}
		for _, r := range o.Passing {
			if f.Same(r) || !f.Passes(r) || f.Passes(f.Result) {
				t.Error("a passing run shows the finding")
			}
		}
	}
}

// A deadlock is found beside goroutines that every run leaves behind: these wait in it, too.
func TestDeadlockBesideLeak(t *testing.T) {
	program := func(t *sim.Thread) {
		c := t.Chan(0)
		t.Go(func(t *sim.Thread) { t.Recv(c) })
		sim.LockOrder(t)
	}
	o := search.Run(ctx, sim.New(program), 0, search.Options{Strategy: search.NewMix(0), Schedules: 200}, nil)
	if o.Status != search.Failing || len(o.Findings) != 1 || o.Findings[0].Signature.Kind != trace.Deadlocked || !o.Findings[0].Replayed {
		t.Errorf("%+v", o)
	}
}

// The outcome depends on the seed alone, not on workers or slices.
func TestOutcomeIsDeterministic(t *testing.T) {
	describe := func(o *search.Outcome) string {
		s := fmt.Sprint(o.Status, o.Schedules, o.Passed, o.Failed)
		for _, f := range o.Findings {
			s += fmt.Sprint(f.Signature, f.Attempt, f.Result.Hash)
		}
		return s
	}
	for _, p := range []func(*sim.Thread){sim.LockOrder, sim.Racy, sim.LeakOnTimeout(true), sim.Correct} {
		var want string
		for _, workers := range []int{1, 2, 7} {
			c := search.New(jittery(p), search.Options{Schedules: 60, Workers: workers, Seed: 5})
			for !c.Done() {
				c.Step(ctx, search.Slice{Attempts: 9 * workers}, nil)
			}
			got := describe(c.Finish(ctx, time.Second))
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%d workers: %s\nwant %s", workers, got, want)
			}
		}
	}
}

// jittery makes runs end in a random order.
func jittery(p func(*sim.Thread)) run.Runner {
	inner := sim.New(p)
	var n atomic.Int64
	return runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
		time.Sleep(time.Duration(n.Add(7)%5) * 100 * time.Microsecond)
		return inner.Run(ctx, s)
	})
}

type runnerFunc func(context.Context, run.Spec) (*run.Result, error)

func (f runnerFunc) Run(ctx context.Context, s run.Spec) (*run.Result, error) { return f(ctx, s) }

func TestNotControllable(t *testing.T) {
	var runs atomic.Int64
	loose := func(t *sim.Thread) {
		t.External()
		n := t.Int()
		for range runs.Add(1) {
			t.Add(n, 1)
		}
	}
	o := search.Run(ctx, sim.New(loose), 0, search.Options{}, nil)
	if o.Status != search.NotControllable || !strings.Contains(o.Reason, "external events") {
		t.Errorf("%+v", o)
	}
}

// A failure that its schedule does not bring back is not reported.
func TestUnreplayableFailureIsDropped(t *testing.T) {
	var runs atomic.Int64
	flaky := func(t *sim.Thread) {
		if runs.Add(1)%10 == 0 {
			t.Panic("once in a while")
		}
	}
	o := search.Run(ctx, sim.New(flaky), 0, search.Options{Workers: 1, Schedules: 200}, nil)
	if len(o.Findings) != 0 || o.Status == search.Failing {
		t.Errorf("%+v", o)
	}
	if len(o.Withheld) != 1 || o.Withheld[0].Kind != "panic" || !strings.Contains(o.Withheld[0].Message, "once in a while") ||
		!strings.Contains(o.Withheld[0].Why, "replayed") {
		t.Errorf("withheld: %+v", o.Withheld)
	}
}

func TestEndlessTarget(t *testing.T) {
	hang := runnerFunc(func(context.Context, run.Spec) (*run.Result, error) {
		return &run.Result{Outcome: trace.Outcome{Kind: trace.StepLimit}, Hang: true}, nil
	})
	o := search.Run(ctx, hang, 0, search.Options{}, nil)
	if o.Status != search.NotControllable || o.Hangs != 4 || !strings.Contains(o.Reason, "came to an end") {
		t.Errorf("%+v", o)
	}
}

func TestRunnerErrors(t *testing.T) {
	bad := errors.New("exec: no such file")
	always := runnerFunc(func(context.Context, run.Spec) (*run.Result, error) { return nil, bad })
	if o := search.Run(ctx, always, 0, search.Options{}, nil); o.Status != search.Error || !strings.Contains(o.Reason, "no such file") {
		t.Errorf("%+v", o)
	}
	var n atomic.Int64
	inner := sim.New(sim.Correct)
	sometimes := runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
		if n.Add(1)%5 == 0 {
			return nil, bad
		}
		return inner.Run(ctx, s)
	})
	if o := search.Run(ctx, sometimes, 0, search.Options{Strategy: search.NewMix(0), Schedules: 50}, nil); o.Status != search.Searched || o.Errors != 10 || o.Schedules != 40 {
		t.Errorf("%+v", o)
	}
}

func TestCancelReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &sim.Runner{Program: sim.Correct, Cost: time.Second}
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(5500*time.Millisecond, cancel)
		start := time.Now()
		o := search.Run(ctx, runner, 0, search.Options{Strategy: search.NewMix(0), Workers: 2}, nil)
		if d := time.Since(start); d != 5500*time.Millisecond {
			t.Errorf("took %v", d)
		}
		if o.Status != search.CutShort || o.Schedules == 0 || o.Schedules > 9 || o.Errors != 0 {
			t.Errorf("%+v", o)
		}
	})
}

// A finding seen just before the budget ends is still replayed.
func TestBudgetEndsWithVerifiedFinding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &sim.Runner{Program: sim.LostUpdate(3, 3), Cost: 10 * time.Millisecond}
		start := time.Now()
		o := search.Run(ctx, runner, 500*time.Millisecond, search.Options{StopAfter: 100}, nil)
		if d := time.Since(start); d > 600*time.Millisecond {
			t.Errorf("took %v", d)
		}
		if o.Status != search.Failing || len(o.Findings) == 0 || !o.Findings[0].Replayed {
			t.Errorf("%+v", o)
		}
	})
}

func TestStrategies(t *testing.T) {
	if _, err := search.Make("chess", search.Config{}); err == nil {
		t.Error("unknown strategy taken")
	}
	s := search.NewMix(1)
	s.Observe(run.Spec{}, &run.Result{Steps: 77, Races: []run.RacePair{{First: trace.Frame{Line: 1}, FirstSite: "9", SecondSite: "3"}}})
	count := map[run.Strategy]int{}
	clock := map[int64]int{}
	input, hot, depth := 0, 0, map[int]int{}
	for n := range 1001 {
		spec, ok := s.Next(ctx, n)
		if again, _ := s.Next(ctx, n); !ok || !reflect.DeepEqual(spec, again) {
			t.Fatal("not a function of the attempt")
		}
		count[spec.Strategy]++
		if n == 0 {
			continue
		}
		clock[spec.Schedule.ClockStep]++
		if spec.Schedule.InputSeed != 0 {
			input++
		}
		if reflect.DeepEqual(spec.Schedule.Hot, []string{"3", "9"}) {
			hot++
		}
		if spec.Strategy == run.PCT {
			depth[spec.Depth]++
			if spec.Length != 77 {
				t.Fatalf("length %d", spec.Length)
			}
		}
	}
	want := map[run.Strategy]int{run.Replay: 1, run.POS: 500, run.Random: 300, run.PCT: 200}
	if !reflect.DeepEqual(count, want) {
		t.Errorf("%v", count)
	}
	between := func(what string, n, low, high int) {
		if n < low || n > high {
			t.Errorf("%s: %d", what, n)
		}
	}
	for _, step := range []int64{0, 200, 2000} {
		between("clock step", clock[step], 260, 410)
	}
	between("input seeds", input, 190, 310)
	between("hot", hot, 420, 580)
	for d := range 4 {
		between("change points", depth[d], 25, 75)
	}
}
