package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/cover"

	"github.com/hocket-dev/hocket/engine/native"
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
	// Signature is the finding's; Known are those of other findings of the target, which a
	// fix need not take away.
	Signature string
	Known     []string
	Strategy  string
	Delay     time.Duration
	Code      *repair.Code
	Roots     site.Roots
	// Fail is the failing run, with this machine's folders, and Core its orders that
	// suffice: they are played on the ordinary build of the fix. nil if it is not kept.
	Fail *trace.Trace
	Core []native.Edge
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

	measured   sync.Once
	timed      sync.Once     // guards limit
	limit      time.Duration // of ordinary runs
	measureErr error
	worked     *work
	base       *search.Outcome // of a short search
	always     []string        // places where every run leaves goroutines behind

	covered sync.Once // guards blocks
	blocks  map[string][]cover.ProfileBlock

	faulted   sync.Once // guards what else fails without a fix: see earlier
	faults    []run.Signature
	faultsErr error
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
		c.fix.Reason = cutOff(ctx)
		c.fix.Reason += c.soFar()
		return c.fix, nil
	}
	return c.fix, err
}

// soFar says how far the check of an edit came, once it was searched.
func (c *check) soFar() string {
	switch {
	case c.planned == 0:
		return ""
	case c.verdict == "":
		return fmt.Sprintf(": %d of %d schedules were searched", c.fix.Schedules, c.planned)
	}
	return fmt.Sprintf(": %d schedules showed no new failure, the checks after that were not all made", c.fix.Schedules)
}

// Reasons of edits whose rules were not all gone through.
const (
	outOfTime  = "the time ended before it was verified"
	unfinished = "it was interrupted before it was verified"
)

// cutOff is the reason of an edit whose check a context ended.
func cutOff(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return outOfTime
	}
	return unfinished
}

// Unfinished reports whether the call ended before there was a verdict.
func Unfinished(f *report.Fix) bool {
	return strings.HasPrefix(f.Reason, outOfTime) || strings.HasPrefix(f.Reason, unfinished)
}

// check is the work on one edit.
type check struct {
	*Verifier
	before, files map[string][]byte
	hunks         map[string][]hunk
	fix           *report.Fix
	verdict       string   // of the searches so far; the fix's once all rules were gone through
	staying       []string // signatures, without the edit, of other failures that stay
	with          *version
	planned       int // schedules of the first search
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
	err = c.rules(ctx, []rule{c.builds, c.passes, c.searched, atOnce(c.vets, c.played, inTurn(c.executes, c.others, c.sensitive))})
	if c.fix.Verified != "" {
		c.untaken(ctx)
	}
	return err
}

// rule says why it rejects an edit, "" if it does not.
type rule func(context.Context) (string, error)

// inTurn is a rule of several, each after the other.
func inTurn(list ...rule) rule {
	return func(ctx context.Context) (why string, err error) {
		for _, r := range list {
			if why, err = r(ctx); why != "" || err != nil {
				break
			}
		}
		return why, err
	}
}

// atOnce is a rule of several that have nothing to do with each other. One that rejects
// ends the others.
func atOnce(list ...rule) rule {
	return func(outer context.Context) (string, error) {
		ctx, cancel := context.WithCancel(outer)
		defer cancel()
		var mu sync.Mutex
		var wg sync.WaitGroup
		var why string
		var failed error
		for _, r := range list {
			wg.Go(func() {
				w, err := r(ctx)
				mu.Lock()
				defer mu.Unlock()
				if ctx.Err() == nil { // else another one has rejected it, or the time has ended
					why, failed = w, err
				}
				if w != "" || err != nil {
					cancel()
				}
			})
		}
		wg.Wait()
		if why == "" && failed == nil {
			failed = outer.Err() // nobody had the time to reject it
		}
		return why, failed
	}
}

// rules are applied in turn. An edit is verified once none rejected it.
func (c *check) rules(ctx context.Context, list []rule) error {
	for _, r := range list {
		why, err := r(ctx)
		if err != nil {
			return err
		}
		if why != "" {
			return c.reject(why)
		}
	}
	c.fix.Verified = c.verdict
	return nil
}

func (c *check) reject(why string) error {
	c.fix.Reason = why
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
	if why := cmp.Or(weakens(c.before, c.files), c.unwritten(), c.bounds()); why != "" {
		return why
	}
	for _, t := range slices.Concat(givesUp(c.before, c.files), c.retries()) {
		c.tell(t)
	}
	if c.Finding.Kind != string(trace.Raced) { // a race may be in what is checked
		if why := cmp.Or(changesAsserts(c.before, c.files), changesGuards(c.before, c.files)); why != "" {
			return why
		}
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

// builds compiles the controlled and the ordinary program, while the program without the
// fix is looked at.
func (c *check) builds(ctx context.Context) (string, error) {
	var wg sync.WaitGroup
	var plain, measure error
	wg.Go(func() { plain = c.with.compile(ctx) })
	wg.Go(func() { measure = c.measure(ctx) })
	_, err := c.with.control(ctx, c.Target)
	wg.Wait()
	if err := cmp.Or(ctx.Err(), measure); err != nil {
		return "", err
	}
	if err = cmp.Or(err, plain); err != nil {
		return "it does not compile: " + strings.TrimPrefix(compileError(err), "does not compile: "), nil
	}
	return "", nil
}

// measure runs the program without the fix, once for all edits.
func (v *Verifier) measure(ctx context.Context) error {
	v.measured.Do(func() {
		if v.worked, v.measureErr = v.workOf(ctx, v.before); v.measureErr != nil {
			return
		}
		if v.base, v.measureErr = v.search(ctx, v.before, v.Target, 1, baseSchedules, false); v.measureErr == nil {
			v.always = v.base.AlwaysLeaks
		}
	})
	if v.measureErr != nil && ctx.Err() == nil {
		return fmt.Errorf("the program as it is: %w", v.measureErr)
	}
	return v.measureErr
}

// baseSchedules is how many schedules show what every run leaves behind.
const baseSchedules = 40

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

func (c *check) tell(s string) {
	if !slices.Contains(c.fix.Tells, s) {
		c.fix.Tells = append(c.fix.Tells, s)
	}
}

// vets compares what go vet says of the packages that are changed, and of the target's.
func (c *check) vets(ctx context.Context) (string, error) {
	dirs := []string{c.Target.Dir}
	for name := range c.files {
		if dir := filepath.Dir(name); site.InMain(c.Roots.Name(name)) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	is := c.with.vet(ctx, dirs)
	if len(is) == 0 || ctx.Err() != nil {
		return "", ctx.Err()
	}
	was := c.Verifier.before.vet(ctx, dirs)
	for _, text := range slices.Sorted(maps.Keys(is)) {
		if is[text] > was[text] && ctx.Err() == nil {
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
	if fewer := seldom(c.worked, after); fewer != "" {
		c.tell(fewer)
	}
	if why := cmp.Or(c.prints(after), c.lost(after)); why != "" {
		return why, nil
	}
	return c.unseen(after), nil
}
