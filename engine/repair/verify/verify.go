package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Request says what is to be fixed.
type Request struct {
	Env     *target.Env
	Target  target.Target // as it was searched, with the texts that the edits are of
	Flags   target.Flags
	Others  []target.Target // the package's other tests and programs
	Finding *report.Finding
	// Schedule fails without a fix: it is played first.
	Schedule trace.Schedule
	Fail     *trace.Trace // the failing run; nil: its order is not played on the ordinary build
	// Signature is the finding's; Known are those of other findings of the target, which a
	// fix need not take away.
	Signature string
	Known     []string
	Strategy  string
	Delay     time.Duration
	Code      *repair.Code
	Roots     site.Roots
	// Least is how many schedules a fix is searched with at least, Most at most; 0 are
	// the defaults.
	Least, Most int
}

// Defaults of Request.
const (
	Least = 300
	Most  = 3000
)

// Seeds is how many seeds must find the failure without the fix.
const Seeds = 3

// Verifier checks edits for one finding. Check may be called by several goroutines.
type Verifier struct {
	Request
	before *version // the program without a fix

	measured sync.Once
	plain    []plainRun // before
	vetted   map[string]int
	worked   *work
	always   []string // places where every run leaves goroutines behind without the fix
}

// New returns a verifier. Close it.
func New(r Request) (*Verifier, error) {
	r.Least, r.Most = cmp.Or(r.Least, Least), cmp.Or(r.Most, Most)
	v := &Verifier{Request: r}
	var err error
	v.before, err = v.version(nil)
	return v, err
}

// Close removes what was built.
func (v *Verifier) Close() { v.before.close() }

// Check tells whether an edit, as new texts of files by absolute name, fixes the finding.
// The verdict's Title and Kind are the caller's. The error is only for what is not the
// edit's fault.
func (v *Verifier) Check(ctx context.Context, files map[string][]byte) (*report.Fix, error) {
	before := map[string][]byte{}
	for name := range files {
		before[name] = v.Code.Text(name)
	}
	c := &check{Verifier: v, before: before, files: files, fix: &report.Fix{Edits: []report.FixEdit{}}, hunks: map[string][]hunk{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		c.fix.Edits = append(c.fix.Edits, Edits(v.Roots.Name(name), before[name], files[name])...)
		c.hunks[name] = hunks(before[name], files[name])
	}
	err := c.run(ctx)
	if err != nil && ctx.Err() != nil {
		c.fix.Reason = "the time ended before it was verified"
		return c.fix, nil
	}
	return c.fix, err
}

// check is the work on one edit.
type check struct {
	*Verifier
	before, files map[string][]byte
	hunks         map[string][]hunk
	fix           *report.Fix
	with          *version
}

// run goes through the rules until one rejects the edit.
func (c *check) run(ctx context.Context) error {
	if len(c.fix.Edits) == 0 {
		return c.reject("it changes nothing")
	}
	if why := c.text(); why != "" {
		return c.reject(why)
	}
	var err error
	if c.with, err = c.version(c.files); err != nil {
		return err
	}
	defer c.with.close()
	for _, step := range []func(context.Context) (string, error){c.builds, c.passes, c.searched, c.vets, c.executes, c.others, c.sensitive, c.ordered} {
		why, err := step(ctx)
		if err != nil {
			return err
		}
		if why != "" {
			return c.reject(why)
		}
	}
	return nil
}

func (c *check) reject(why string) error {
	c.fix.Verified, c.fix.Reason = "", why
	return nil
}

// text applies the rules about the texts alone.
func (c *check) text() string {
	for name := range c.files {
		if !strings.HasSuffix(name, ".go") {
			return "it changes a file that is not Go"
		}
		if strings.HasSuffix(name, "_test.go") && !repair.InTests(&repair.Problem{Finding: c.Finding, Roots: c.Roots, Code: c.Code}) {
			return "it changes a test, and the cause lies in what is tested"
		}
	}
	if why := weakens(c.before, c.files); why != "" {
		return why
	}
	at := c.Roots.Abs(c.Finding.Failure.File)
	for name := range c.files {
		if name != at {
			continue
		}
		if why := changesCheck(name, c.Finding.Failure.Line, c.before[name], c.files[name]); why != "" {
			return why
		}
		if strings.HasSuffix(name, "_test.go") {
			if why := leavesEarlier(name, c.Finding.Failure.Line, c.before[name], c.files[name], c.hunks[name]); why != "" {
				return why
			}
		}
	}
	return ""
}

// builds compiles the controlled and the ordinary program.
func (c *check) builds(ctx context.Context) (string, error) {
	var wg sync.WaitGroup
	var plain error
	wg.Go(func() { plain = c.with.compile(ctx) })
	_, err := c.with.control(ctx, c.Target)
	wg.Wait()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err = cmp.Or(err, plain); err != nil {
		return "it does not compile: " + compileError(err), nil
	}
	return "", nil
}

// plainRuns is how often the ordinary build is run, before and after.
const plainRuns = 3

// measure runs the program without the fix, once for all edits.
func (v *Verifier) measure(ctx context.Context) error {
	var err error
	v.measured.Do(func() {
		for range plainRuns {
			var r *plainRun
			if r, err = v.before.plain(ctx, v.Target); err != nil {
				return
			}
			v.plain = append(v.plain, *r)
		}
		v.vetted = v.before.vet(ctx)
		if v.worked, err = v.workOf(ctx, v.before); err != nil {
			return
		}
		var out *search.Outcome
		if out, err = v.search(ctx, v.before, v.Target, 1, baseSchedules, false); err == nil {
			v.always = out.AlwaysLeaks
		}
	})
	if err == nil && v.worked == nil {
		err = errors.New("the program could not be run without the fix")
	}
	return err
}

// baseSchedules is how many schedules show what every run leaves behind.
const baseSchedules = 40

// passes runs the ordinary build.
func (c *check) passes(ctx context.Context) (string, error) {
	if err := c.measure(ctx); err != nil {
		return "", err
	}
	for range plainRuns {
		r, err := c.with.plain(ctx, c.Target)
		if err != nil {
			return "", err
		}
		if r.failed {
			return "it fails plainly: " + r.why(), nil
		}
		c.with.runs = append(c.with.runs, *r)
	}
	c.fix.Before, c.fix.After = ms(medianOf(c.plain)), ms(medianOf(c.with.runs))
	return "", nil
}

// prints compares what a program prints, where that was always the same, in ordinary
// runs and in random ones under control.
func (c *check) prints(after *work) string {
	if !c.Target.Main || len(c.worked.outputs) != 1 {
		return ""
	}
	for out := range after.outputs {
		if !c.worked.outputs[out] {
			return "the program prints something else than before"
		}
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// searched searches the program with the fix.
func (c *check) searched(ctx context.Context) (string, error) {
	out, err := c.search(ctx, c.with, c.Target, 1, max(c.Least, 3*c.Finding.Search.Attempts), true)
	if err != nil {
		return "", err
	}
	return c.judge(out)
}

// judge is what a search says of the fix.
func (c *check) judge(out *search.Outcome) (string, error) {
	c.fix.Schedules += out.Schedules
	if why := c.leftBehind(out); why != "" {
		return why, nil
	}
	for _, f := range out.Findings {
		if slices.Contains(c.Known, f.Signature.String()) {
			c.tell("another finding of this test stays: " + describe(&f))
			continue
		}
		if f.Signature.String() == c.Signature {
			return "it still fails: " + describe(&f), nil
		}
		return "it fails in another way: " + describe(&f), nil
	}
	switch out.Status {
	case search.Clean:
		c.fix.Verified, c.fix.Reason = report.FixProved, ""
	case search.Searched, search.Failing: // failing: of known ones
		if c.fix.Verified == "" {
			c.fix.Verified = report.FixSearched
		}
	case search.FailsAlways:
		return "it fails in every schedule: " + out.Reason, nil
	case search.NotControllable:
		return "its runs can't be repeated: " + out.Reason, nil
	case search.Error:
		return "", errors.New(out.Reason)
	default:
		return "the time ended before it was searched", nil
	}
	return "", nil
}

// leftBehind is for goroutines that every run leaves behind, which a search counts as no
// failure: with the fix there must be none that were not there before, and none of those
// that the finding is about.
func (c *check) leftBehind(out *search.Outcome) string {
	for _, place := range out.AlwaysLeaks {
		if strings.Contains(c.Signature, place) {
			return "every run still leaves a goroutine behind at " + place
		}
	}
	if out.Leak != nil && out.Leak.Signature.String() != c.Signature && !slices.Contains(c.Known, out.Leak.Signature.String()) && len(c.always) == 0 {
		return "every run leaves goroutines behind: " + describe(out.Leak)
	}
	return ""
}

// describe names a failure of a search, in a line.
func describe(f *search.Finding) string {
	words := strings.Trim(f.Words(), "; ")
	switch f.Signature.Kind {
	case trace.Raced:
		return "a data race at " + words
	case trace.Deadlocked:
		return "a deadlock at " + words
	case trace.Leaked:
		return "goroutines that are left behind at " + words
	case trace.Livelock:
		return "a livelock at " + words
	}
	return words
}

func (c *check) tell(s string) {
	if !slices.Contains(c.fix.Tells, s) {
		c.fix.Tells = append(c.fix.Tells, s)
	}
}

// search searches a version of the program. With first, the failing schedule is tried
// before others.
func (v *Verifier) search(ctx context.Context, p *version, t target.Target, seed uint64, n int, first bool) (*search.Outcome, error) {
	runner, err := p.control(ctx, t)
	if err != nil {
		return nil, err
	}
	conf := search.Config{Seed: seed, Predict: true}
	replays := 0
	if first {
		conf.First, replays = []run.Spec{{Strategy: run.Replay, Schedule: v.Schedule}}, 1
	}
	strategy, err := search.Make(v.Strategy, conf)
	if err != nil {
		return nil, err
	}
	return search.Run(ctx, runner, 0, search.Options{Schedules: min(n, v.Most), Seed: seed, Strategy: strategy, Replays: replays,
		Delay: v.Delay, Blind: run.BlindOf(runner)}, nil), ctx.Err()
}

// vets compares what go vet says.
func (c *check) vets(ctx context.Context) (string, error) {
	for text, n := range c.with.vet(ctx) {
		if n > c.vetted[text] {
			return "go vet: " + text, nil
		}
	}
	return "", ctx.Err()
}

// executes compares what is executed, and how much is done.
func (c *check) executes(ctx context.Context) (string, error) {
	after, err := c.workOf(ctx, c.with)
	if err != nil {
		return "", err
	}
	if why := c.less(c.worked, after); why != "" {
		return why, nil
	}
	if why := cmp.Or(c.prints(after), c.lost(after)); why != "" {
		return why, nil
	}
	return c.unseen(after), nil
}

// otherSchedules is how many schedules other tests are searched with.
const otherSchedules = 100

// others runs and searches the other tests that can come to what is changed.
func (c *check) others(ctx context.Context) (string, error) {
	for _, t := range c.Others {
		if !c.Code.Reaches(t.Entry, c.files) {
			continue
		}
		was, err := c.Verifier.before.plain(ctx, t)
		if err != nil {
			return "", err
		}
		is, err := c.with.plain(ctx, t)
		if err != nil {
			return "", err
		}
		if is.failed && !was.failed {
			return t.Entry + " fails: " + is.why(), nil
		}
		if was.failed {
			continue
		}
		out, err := c.search(ctx, c.with, t, 1, otherSchedules, false)
		if err != nil {
			return "", err
		}
		if len(out.Findings) == 0 {
			continue
		}
		old, err := c.search(ctx, c.Verifier.before, t, 1, otherSchedules, false)
		if err != nil {
			return "", err
		}
		if len(old.Findings) == 0 {
			return t.Entry + " fails in some schedules: " + describe(&out.Findings[0]), nil
		}
	}
	return "", nil
}

// sensitive asks whether the search of the fix would have found the failure: without the
// fix, with statements that change nothing in its place, it must be found by each seed
// within a third of the schedules. If that takes more than was searched, the fix is
// searched with more. A proof needs none of it.
func (c *check) sensitive(ctx context.Context) (string, error) {
	if c.fix.Verified == report.FixProved {
		return "", nil
	}
	texts, err := withNoops(c.before, c.files)
	if err != nil {
		return "", err
	}
	p, err := c.version(texts)
	if err != nil {
		return "", err
	}
	defer p.close()
	if _, err := p.control(ctx, c.Target); err != nil { // where a statement can't stand
		p.close()
		if p, err = c.version(nil); err != nil {
			return "", err
		}
	}
	most := 0
	for seed := range uint64(Seeds) {
		out, err := c.search(ctx, p, c.Target, seed+2, c.Most/3, false)
		if err != nil {
			return "", err
		}
		at := foundAfter(out, c.Signature)
		if at == 0 {
			c.fix.Verified = ""
			return fmt.Sprintf("the search says nothing: without the fix %d schedules did not fail either", out.Schedules), nil
		}
		most = max(most, at)
	}
	if need := 3 * most; need > c.fix.Schedules {
		out, err := c.search(ctx, c.with, c.Target, 5, need, false)
		if err != nil {
			return "", err
		}
		return c.judge(out)
	}
	return "", nil
}

// foundAfter is how many schedules a search took to find a failure, 0 if it did not. One
// that it finds first in another form of the same cause counts, too: which comes first
// is chance.
func foundAfter(out *search.Outcome, signature string) int {
	if out.Leak != nil || out.Status == search.FailsAlways {
		return 1 // every run shows it
	}
	best := 0
	for _, f := range out.Findings {
		if best == 0 || f.Attempt+1 < best {
			best = f.Attempt + 1
		}
	}
	return best
}
