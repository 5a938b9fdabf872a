package breaks

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/breaks/inject"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
	"github.com/hocket-dev/hocket/internal/words"
)

// RunOptions says what to run with the breakpoints of the module, and
// how often.
type RunOptions struct {
	Dir      string   // "" is the current folder
	Patterns []string // one package; none is "."
	Run      string   // as go test -run; "" is the whole test binary, as go test
	Args     []string // of the program
	Flags    target.Flags
	Race     bool          // build with the race detector
	N        int           // runs with breakpoints; 0 = 100
	Plain    int           // runs without, between the others; negative = min(N, 20)
	IDs      []string      // breakpoints to use; none is all that are not off
	Timeout  time.Duration // of one run; 0 = a minute
	// Overlay is as session.Options.Overlay.
	Overlay map[string]string
}

// Ran is the result of the runs.
type Ran struct {
	Package     string    `json:"package"`
	Entry       string    `json:"entry"` // "main", "TestX", "" for all tests
	Runs        int       `json:"runs"`
	Hits        int       `json:"hits"` // runs in which some breakpoint was hit
	Failed      int       `json:"failed"`
	Failures    []Failure `json:"failures"` // most frequent first
	Plain       PlainRuns `json:"plain"`
	MS          float64   `json:"ms"` // median wall time of a run
	Times       []RunTime `json:"-"`  // of each run; the i-th plain one was made next to it if there were as many
	Breakpoints []Stat    `json:"breakpoints"`
	Output      string    `json:"output"` // of one failing run
	Notes       []string  `json:"notes"`
	Cut         bool      `json:"cut"` // ended by the caller before all runs
	// Other is set if no run failed although the sides of the one breakpoint met.
	Other *OtherOrder `json:"other_order,omitempty"`
}

// Failure is one way in which runs failed.
type Failure struct {
	Message string `json:"message"`
	Count   int    `json:"count"`
}

// PlainRuns is the result of runs of the same program without breakpoints.
type PlainRuns struct {
	Runs     int       `json:"runs"`
	Failed   int       `json:"failed"`
	MS       float64   `json:"ms"` // median wall time of a run
	Times    []RunTime `json:"-"`  // of each run
	Failures []Failure `json:"failures"`
}

// RunTime is the wall-clock time and the processor time of a run.
type RunTime struct{ Wall, CPU time.Duration }

// Stat is the result of one breakpoint over all runs.
type Stat struct {
	ID    string     `json:"id"`
	Hit   int        `json:"hit"` // runs in which it was hit
	Sides []SideStat `json:"sides"`
	Notes []string   `json:"notes"`
	Lost  string     `json:"lost,omitempty"` // why it was left out
	// Outside is set if Lost means that the program is built without a file of
	// the breakpoint: which file, and why.
	Outside string `json:"outside,omitempty"`
	// Schedule: it plays an order, and Hit counts the runs in which that was
	// played; no side has a timeout, and of Sides only Reached is set.
	Schedule bool `json:"schedule,omitempty"`
}

// SideStat counts arrivals in all runs.
type SideStat struct {
	Place string `json:"place"` // "store/pool.go:41", the file as in findings
	// Reached is a lower bound: a side that is reached very often does not
	// count each visit, and a program may end before its last visits are
	// recorded.
	Reached   int `json:"reached"`
	Postponed int `json:"postponed"`
	TimedOut  int `json:"timed_out"`
	Released  int `json:"released"` // released early, since no other goroutine could run
}

// Limits of a run that gives none.
const (
	defaultBreakRuns  = 100
	defaultPlainRuns  = 20
	defaultRunTimeout = time.Minute
	quietTimeout      = 5 * time.Second // of a program that takes hardly any time itself
)

// Run builds the program with the module's breakpoints and runs it. If it is
// cancelled after the first run, it returns the result so far, with Cut set.
func Run(ctx context.Context, opt RunOptions, tell progress.Func) (*Ran, error) {
	switch {
	case opt.N < 0:
		return nil, fmt.Errorf("-n %d: must be positive", opt.N)
	case opt.Timeout < 0:
		return nil, fmt.Errorf("-timeout %v: must be positive", opt.Timeout)
	case opt.N == 0:
		opt.N = defaultBreakRuns
	}
	if opt.Plain < 0 {
		opt.Plain = min(opt.N, defaultPlainRuns)
	}
	if tell == nil {
		tell = func(progress.Update) {}
	}
	if err := target.CheckRun(opt.Run); err != nil {
		return nil, err
	}
	ctx, done := process.Guard(ctx)
	defer done()
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	meet, schedules, err := choose(ctx, env.Module, opt)
	if err != nil {
		return nil, err
	}
	if len(meet) == 0 {
		return playSchedule(ctx, env, schedules, opt, tell)
	}
	tell(progress.Update{Phase: progress.Building, Target: strings.Join(opt.Patterns, " "), Left: -1})
	p, err := newProgram(ctx, env, meet, opt, nil, opt.Plain > 0)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	r := &runner{opt: opt, prog: p, tell: tell, started: time.Now()}
	if err := r.all(ctx); err != nil {
		return nil, err
	}
	res := r.result()
	tryOther(ctx, env, meet, opt, res, tell)
	for _, s := range schedules {
		res.Notes = append(res.Notes, fmt.Sprintf("%s plays a schedule, and is left out; run it by itself: -id %s", s.ID, s.ID))
	}
	if err := keepLastBreaks(env.Module, r.last()); err != nil {
		res.Notes = append(res.Notes, "the result is not kept: "+words.OneLine(err.Error()))
	}
	return res, nil
}

// playSchedule runs the one schedule that is selected.
func playSchedule(ctx context.Context, env *target.Env, schedules []*Break, opt RunOptions, tell progress.Func) (*Ran, error) {
	if len(schedules) > 1 {
		var ids []string
		for _, s := range schedules {
			ids = append(ids, s.ID)
		}
		return nil, fmt.Errorf("%s play a schedule each, and only one can be played at a time; choose it with -id", strings.Join(ids, ", "))
	}
	b := schedules[0]
	res, err := runSchedule(ctx, env, b.Breakpoint, opt, tell)
	if err != nil {
		return nil, err
	}
	last := &Last{When: time.Now(), Runs: res.Runs, Hits: res.Hits, Failed: res.Failed}
	if err := keepLastBreaks(env.Module, map[string]*Last{b.ID: last}); err != nil {
		res.Notes = append(res.Notes, "the result is not kept: "+words.OneLine(err.Error()))
	}
	return res, nil
}

// runner runs a program, one process at a time, since timing matters.
type runner struct {
	opt     RunOptions
	prog    *program
	tell    progress.Func
	started time.Time

	runs, plain []*inject.Result // plain without Output
	cut         bool
}

// all makes all runs: the plain ones evenly between the others, and one of them
// first.
func (r *runner) all(ctx context.Context) error {
	dir, err := temp.Dir("breaks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	n := r.opt.N + r.opt.Plain
	for i := range n {
		plain := i*r.opt.Plain%n < r.opt.Plain
		r.tell(progress.Update{Phase: progress.RunningBreaks, Target: strings.TrimSpace(r.prog.pkg + " " + r.prog.entry), Targets: 1,
			Schedules: i, Planned: n, Elapsed: time.Since(r.started), Left: -1})
		res, err := r.prog.Run(ctx, r.prog.args, r.limits(), plain, filepath.Join(dir, fmt.Sprintf("report%d", i)))
		switch {
		case ctx.Err() != nil && len(r.runs) > 0:
			r.cut = true
			return nil
		case err != nil:
			return err
		case r.opt.Run != "" && strings.Contains(res.Output, "testing: warning: no tests to run"):
			return fmt.Errorf("no test of %s matches -run %q", r.prog.pkg, r.opt.Run)
		}
		if plain {
			res.Output = ""
			r.plain = append(r.plain, res)
		} else {
			r.runs = append(r.runs, res)
		}
	}
	return nil
}

// limits says how long a run may take: as long as the user says, or else a
// minute; and much longer than a plain run only while something happens at its
// breakpoints.
func (r *runner) limits() inject.Limits {
	if r.opt.Timeout > 0 {
		return inject.Limits{Hard: r.opt.Timeout}
	}
	l := inject.Limits{Hard: defaultRunTimeout}
	if ms := medianMS(r.plain); len(r.plain) > 0 && !r.plain[0].Hung {
		l.Quiet = min(quietTimeout+time.Duration(20*ms*float64(time.Millisecond)), l.Hard)
	}
	return l
}

func medianMS(runs []*inject.Result) float64 {
	if len(runs) == 0 {
		return 0
	}
	var ms []float64
	for _, r := range runs {
		ms = append(ms, float64(r.Took.Microseconds())/1000)
	}
	slices.Sort(ms)
	return (ms[len(ms)/2] + ms[(len(ms)-1)/2]) / 2
}

func timesOf(runs []*inject.Result) []RunTime {
	var all []RunTime
	for _, r := range runs {
		all = append(all, RunTime{r.Took, r.CPU})
	}
	return all
}

// failures counts failing runs by message; those that differ in numbers only
// are one.
func failures(runs []*inject.Result) (failed int, all []Failure) {
	index := map[string]int{}
	all = []Failure{}
	for _, r := range runs {
		if r.Failure == "" {
			continue
		}
		failed++
		key := inject.Alike(r.Failure)
		i, ok := index[key]
		if !ok {
			i = len(all)
			index[key] = i
			all = append(all, Failure{Message: r.Failure})
		}
		all[i].Count++
	}
	slices.SortStableFunc(all, func(a, b Failure) int { return b.Count - a.Count })
	return failed, all
}

func (r *runner) result() *Ran {
	res := &Ran{Package: r.prog.pkg, Entry: r.prog.entry, Runs: len(r.runs), MS: medianMS(r.runs), Times: timesOf(r.runs), Notes: []string{}, Cut: r.cut}
	res.Failed, res.Failures = failures(r.runs)
	res.Plain = PlainRuns{Runs: len(r.plain), MS: medianMS(r.plain), Times: timesOf(r.plain)}
	res.Plain.Failed, res.Plain.Failures = failures(r.plain)
	for _, run := range r.runs {
		if run.Failure != "" {
			res.Output = run.Output
		}
		if run.Report.Bad != "" && len(res.Notes) == 0 {
			res.Notes = append(res.Notes, "the program could not read its breakpoints: "+run.Report.Bad)
		}
		for _, s := range run.Report.Breaks {
			if s.Hit > 0 {
				res.Hits++
				break
			}
		}
	}
	if left := leftBehind(slices.Concat(r.plain, r.runs)); left != "" {
		res.Notes = append(res.Notes, left)
	}
	for _, b := range r.prog.chosen {
		res.Breakpoints = append(res.Breakpoints, r.stat(b))
	}
	return res
}

// last returns the result of each breakpoint that is in the program, with the
// failures of runs in which it was hit.
func (r *runner) last() map[string]*Last {
	all := map[string]*Last{}
	for _, n := range r.prog.Breakpoints {
		if n.Lost != "" {
			continue
		}
		l := &Last{When: r.started, Runs: len(r.runs), Hits: r.hits(n.Number)}
		for _, run := range r.runs {
			if s := run.Report.Breaks[n.Number]; run.Failure != "" && s != nil && s.Hit > 0 {
				l.Failed++
			}
		}
		all[n.ID] = l
	}
	return all
}

// hits counts the runs in which a breakpoint was hit.
func (r *runner) hits(number int) int {
	n := 0
	for _, run := range r.runs {
		if s := run.Report.Breaks[number]; s != nil && s.Hit > 0 {
			n++
		}
	}
	return n
}
