package cause

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Options say what the failure is and bound the work.
type Options struct {
	Base   run.Spec                 // arguments, folder, environment and limits of each run
	Same   func(*run.Result) bool   // it fails in the same way
	Passes func(*run.Result) bool   // it has no failure at all
	Known  []*trace.Trace           // passing runs on the same input, recorded in full, the nearest first
	Costs  func(events int) float64 // how much less an event explains than others: 0 to MostCost; nil: all alike
	Budget time.Duration            // real time; 0 = no limit. A core that too few runs had to explain anything gets as much again
	Runs   int                      // of the program; 0 = 240
	Held   int                      // runs in which a candidate holds that settle it; 0 = 30
	Seed   uint64
}

// Cause is what the runs made say of a failing run.
type Cause struct {
	Core    []Literal      // in the order of the failing run
	Without []*trace.Trace // by literal of Core: the nearest passing run in which it alone does not hold
	Held    int            // runs made in which all of Core held; each failed in the same way
	Why     string         // the core is not settled; "" if it is
	Refuted bool           // a run passed that has all orders of the failing run which were compared
	Runs    int            // made
	Passed  int            // different passing runs seen, the known ones among them
	Proved  string         // what shows that every schedule that has all of Core fails; "" if that is not proved
	Late    *trace.Trace   // the passing run that late literals are about; nil before one is known

	t          *trace.Trace
	end        int
	all        []Literal
	cost       []float64
	seen       []*observed
	signer     *signer
	readLocked map[trace.ObjID]bool
	later      *signer // of Late
}

// Settled reports whether the core was tested as often as asked.
func (c *Cause) Settled() bool { return c.Why == "" && len(c.Core) > 0 }

// Compared is the number of literals among which the core was looked for.
func (c *Cause) Compared() int { return len(c.all) }

// fewHeld is how many runs must have had a core for it to explain the failure even
// though it is not settled.
const fewHeld = 5

// Explains reports whether the core can be told as what the failure comes from. A nil
// Cause has none.
func (c *Cause) Explains() bool {
	return c != nil && len(c.Core) > 0 && (c.Settled() || c.Held >= fewHeld && !c.Refuted)
}

// observed is a run that is matched with the failing one.
type observed struct {
	to     []int          // by event of the failing run: its event there, -1 if it has none
	late   []int          // the same by event of Cause.Late
	effect []int          // by event of the run: where it took effect
	common int            // events that it has
	t      *trace.Trace   // of passing runs
	came   map[int]status // by event of a literal without Before
	passed bool
	same   bool
	odd    bool // it breaks no candidate, so that what it lacks counts
}

const (
	maxEvents = 20_000 // of the failing run
	maxRuns   = 240
	heldRuns  = 30
	keepRuns  = 60 // passing runs whose traces are kept while the core is looked for, whatever they show
)

// Find computes the core of failing, a run recorded in full. When the budget or ctx
// ends, the best so far is returned. An error is that of a run.
func Find(ctx context.Context, runner run.Runner, failing *run.Result, opt Options) (*Cause, error) {
	c := &Cause{t: failing.Trace, end: FailureIn(failing.Trace), signer: newSigner(failing.Trace, Counts), readLocked: readLocked(failing.Trace)}
	if opt.Runs == 0 {
		opt.Runs = maxRuns
	}
	if opt.Held == 0 {
		opt.Held = heldRuns
	}
	if opt.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 2*opt.Budget)
		defer cancel()
	}
	if len(c.t.Events) > maxEvents || c.t.Truncated {
		c.Why = "the failing run is too long"
		return c, nil
	}
	f := &finder{Cause: c, ctx: ctx, start: time.Now(), runner: runner, opt: opt, failing: failing,
		rng: rand.New(rand.NewPCG(opt.Seed, 0xca05e)), walk: newWalk(c.t, c.end), hashes: map[uint64]bool{}, inverted: map[Literal]bool{}}
	c.all = candidates(c.t, c.end)
	f.cost = f.costs(f.all)
	for _, t := range opt.Known {
		if !t.Truncated { // what it lacks may have happened
			f.observe(t, true, false)
		}
	}
	err := f.work()
	f.forget()
	return c, err
}

type finder struct {
	*Cause
	ctx      context.Context
	start    time.Time
	runner   run.Runner
	opt      Options
	failing  *run.Result
	walk     *walk
	rng      *rand.Rand
	hashes   map[uint64]bool  // of passing runs
	inverted map[Literal]bool // runs were made in which it comes the other way round
	rivals   []Literal        // candidates beside the core that are still to be inverted
}

// observe takes in a run.
func (f *finder) observe(t *trace.Trace, passed, same bool) *observed {
	o, m := f.observation(t)
	o.passed, o.same = passed, same
	if f.Late == nil && passed {
		f.compare(t, m)
		for _, old := range f.seen { // they failed in the same way
			old.late = filled(len(t.Events))
		}
		o.late = f.later.match(f.later).To
	}
	if passed {
		if f.hashes[t.Hash] {
			return nil
		}
		f.hashes[t.Hash] = true
		f.Passed++
		f.walk.extend(t, len(t.Events))
	}
	o.odd = f.isOdd(o)
	if passed && (f.Passed <= keepRuns || len(f.broken(o)) == 1) {
		o.t = t
	}
	f.seen = append(f.seen, o)
	return o
}

// observation matches the failing run with another one.
func (c *Cause) observation(t *trace.Trace) (*observed, *Matching) {
	sig := newSigner(t, Counts)
	m := c.signer.match(sig)
	o := &observed{to: m.To, common: m.Common, came: map[int]status{}, effect: Effects(t)}
	if c.end < len(o.to) && o.to[c.end] < 0 {
		o.to[c.end] = c.instead(m, sig)
	}
	c.entered(o, m, sig)
	for _, l := range c.all {
		if l.Before == None {
			o.came[l.After] = c.outcome(m, sig, l.After)
		}
	}
	if c.Late != nil {
		o.late = c.later.match(sig).To
	}
	return o, m
}

func (c *Cause) isOdd(o *observed) bool {
	return !o.same && !slices.ContainsFunc(c.all, func(l Literal) bool { return l.compare(o) == broken })
}

// work makes runs until the candidate is settled.
func (f *finder) work() error {
	f.Core = f.candidate()
	f.count()
	for n := 0; f.Runs < f.opt.Runs && f.ctx.Err() == nil && !f.over(); n++ {
		if f.Passed > 0 && len(f.Core) > 0 && !f.Refuted && f.Held >= f.opt.Held && n >= explorations && (f.Passed >= fewPassing || f.Runs >= f.opt.Runs/2) {
			f.Why = ""
			return nil
		}
		var specs []run.Spec
		if n >= explorations/2 {
			specs = f.inversions(f.Core)
			if len(specs) == 0 {
				specs = f.challenge()
			}
		}
		for len(specs) < run.Workers(0) {
			specs = append(specs, f.spec(n))
		}
		results, err := run.RunEach(f.ctx, f.runner, specs)
		if err != nil {
			if f.ctx.Err() != nil {
				break
			}
			return err
		}
		f.Runs += len(specs)
		f.learn(results)
	}
	f.Why = f.open()
	return nil
}

// over reports whether the budget has ended, and more of it would not make an
// explanation of a core that no run has refuted.
func (f *finder) over() bool {
	if f.opt.Budget == 0 || time.Since(f.start) < f.opt.Budget {
		return false
	}
	return len(f.Core) == 0 || f.Refuted || f.Held >= fewHeld
}

// explorations is how many batches are made at least: the first ones show what the
// program does otherwise.
const explorations = 8

// fewPassing is how many different passing runs are looked for longer.
const fewPassing = 5

func (f *finder) learn(results []*run.Result) {
	again := false
	for _, r := range results {
		if r.Trace == nil || r.Trace.Truncated {
			continue
		}
		same := f.opt.Same(r)
		passed := !same && f.opt.Passes(r)
		if !same && !passed {
			continue
		}
		if o := f.observe(r.Trace, passed, same); o != nil && passed {
			again = again || f.holds(f.Core, o) || len(f.Core) == 0 || f.Passed < 2*explorations
		}
	}
	if again {
		f.Core = f.candidate()
	}
	f.count()
}

func (f *finder) count() {
	f.Held = 0
	for _, o := range f.seen {
		if o.same && !slices.ContainsFunc(f.Core, func(l Literal) bool { return l.in(o) != held }) {
			f.Held++
		}
	}
}

// holds reports whether a run breaks no literal of a set.
func (c *Cause) holds(core []Literal, o *observed) bool {
	return !slices.ContainsFunc(core, func(l Literal) bool { return l.in(o) == broken })
}

// open says why the core is not settled.
func (f *finder) open() string {
	switch {
	case f.Passed == 0:
		return "no run passed"
	case f.Refuted:
		return "a run passed in which every order that was compared is the same"
	case len(f.Core) == 0:
		return "no order was found that decides it"
	case f.Held < f.opt.Held:
		return "too few runs had these orders"
	}
	return ""
}

// candidate is a cheapest set of literals of which each passing run lacks one.
func (f *finder) candidate() []Literal {
	literals, costs, sets := f.gather()
	if len(sets) == 0 {
		return nil
	}
	best, ok := choose(costs, sets)
	if f.Refuted = !ok; !ok {
		full := slices.DeleteFunc(sets, func(s []int) bool { return len(s) == 0 })
		if best, ok = choose(costs, full); !ok || len(full) == 0 {
			return nil
		}
	}
	core := make([]Literal, len(best))
	for i, b := range best {
		core[i] = literals[b]
	}
	slices.SortFunc(core, func(x, y Literal) int { return f.place(x) - f.place(y) })
	return core
}

func (c *Cause) place(l Literal) int {
	if l.Before == None {
		return 2*l.After + 1
	}
	return 2 * l.Before
}

// spec is the n-th run to make.
func (f *finder) spec(n int) run.Spec {
	s := f.opt.Base
	s.Record, s.Seed = run.Full, f.rng.Uint64()
	s.Schedule = f.failing.Schedule
	switch {
	case n%4 == 3:
		s.Strategy, s.Schedule.Segments = disturbed(f.failing.Schedule.Segments, f.rng)
		return s
	case n%4 == 1 && n < 2*explorations:
		s.Strategy, s.Schedule.Segments = run.Random, f.walk.order(f.walk.births, f.rng)
	default:
		s.Strategy, s.Schedule.Segments = run.Replay, f.walk.order(f.walk.gates(f.Core, f.Late), f.rng)
	}
	s.Schedule.Delay = 0
	s.Schedule.SelectSeed = f.rng.Uint64() % 8
	s.Schedule.Choices = f.choices()
	return s
}

// choices are those of the failing run that the core is about; the others are drawn.
func (f *finder) choices() (out []trace.Choice) {
	for _, l := range f.Core {
		if l.Before != None || l.Late || l.After >= len(f.t.Events) {
			continue
		}
		if e := &f.t.Events[l.After]; e.Op == trace.OpSelect && int64(e.Value) >= 0 {
			out = append(out, trace.Choice{G: f.t.Goroutines[e.G].Key, Count: e.Count, Case: int(e.Value)})
		}
	}
	return out
}
