package reproduce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/breakpoints"
)

// insideVariable is set for all that a test of this package starts.
const insideVariable = "HOCKET_REPRODUCING"

// controlled is set in programs whose schedule Hocket controls.
const controlled = "HOCKET_RUN"

const (
	attempts   = 3               // with an order that comes out as planned nearly always
	limit      = 8 * time.Minute // of a whole test, builds included
	reserve    = 2 * time.Second // for saying so before the test binary's own deadline
	tailOfTest = 40              // lines of the failing run's output that are shown
)

// Run makes the finding happen, and fails if it does. It is skipped where that
// can't be tried, with the reason.
func Run(t testing.TB, f Finding) {
	t.Helper()
	if os.Getenv(insideVariable) != "" || os.Getenv(controlled) != "" {
		t.Skip("a test that reproduces a finding runs by go test only, and not within another one")
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeFor(t))
	defer cancel()
	p, err := prepared(ctx, t, f)
	if err == nil {
		err = p.tries(ctx, t)
	}
	var lost *lostError
	var untried *untriedError
	switch {
	case err == nil:
	case errors.As(err, &lost):
		t.Skipf("can't be tried on this version, since a statement is not there any more: %v", err)
	case ctx.Err() != nil:
		t.Fatalf("no answer in the time that the test has: %v", err)
	case errors.Is(err, exec.ErrNotFound), errors.As(err, &untried):
		t.Skipf("can't be tried here: %v", err)
	default:
		t.Fatalf("build or run with points: %v", err)
	}
}

func timeFor(t testing.TB) time.Duration {
	d, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return limit
	}
	end, ok := d.Deadline()
	if left := time.Until(end) - reserve; ok && left < limit {
		return left
	}
	return limit
}

// program is the package, built with points.
type program struct {
	*builder
	binary []byte
	plan   breakpoints.Plan
	err    error
}

// programs are those built by this process: a test may run more than once.
var programs = struct {
	sync.Mutex
	byID map[string]*program
}{byID: map[string]*program{}}

// prepared builds the program, once.
func prepared(ctx context.Context, t testing.TB, f Finding) (*program, error) {
	programs.Lock()
	defer programs.Unlock()
	if p := programs.byID[f.ID]; p != nil {
		return p, p.err
	}
	p := &program{builder: &builder{f: f, dir: t.TempDir()}}
	if p.pkgDir, p.err = os.Getwd(); p.err == nil {
		p.plan, p.err = breakpoints.Parse(f.Plan)
	}
	if p.err == nil {
		var bin string
		if bin, p.err = p.build(ctx); p.err == nil {
			p.binary, p.err = os.ReadFile(bin)
		}
	}
	if ctx.Err() != nil {
		return p, p.err // not for good
	}
	programs.byID[f.ID] = p
	return p, p.err
}

// tries plays the order until the failure is seen.
func (p *program) tries(ctx context.Context, t testing.TB) error {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "reproduce.exe")
	if err := os.WriteFile(bin, p.binary, 0o755); err != nil {
		return err
	}
	w := &words{plan: p.plan, f: p.f, at: func(i int) string { return p.where[i].String() }}
	var last *played
	for range attempts {
		r, err := play(ctx, p.command(bin, p.f.args()...), p.f.Plan, filepath.Join(dir, "report"))
		if err != nil {
			return err
		}
		if last = r; p.f.Judge.Same(r.Ended, p.blocked) {
			t.Fatalf("reproduced: %s\n\nthe order:\n  %s\n\nthe end of its output:\n%s",
				p.f.Message, strings.Join(w.order(), "\n  "), lastLines(r.Output, tailOfTest))
		}
	}
	t.Log(p.why(w, last))
	return nil
}

// why says why the failure was not seen.
func (p *program) why(w *words, r *played) string {
	switch {
	case r.report.Bad != "":
		return "not tried: " + r.report.Bad
	case !r.report.Played:
		return "not reproduced: " + w.impossible(r.report)
	case r.Exit != 0 || r.Quit:
		return fmt.Sprintf("not reproduced: the order was possible, but it ended in another way (exit status %d):\n%s", r.Exit, lastLines(r.Output, tailOfTest))
	}
	return "not reproduced: the order is possible, but it does no harm any more"
}

// args are those that make the program run just the entry.
func (f *Finding) args() []string {
	if !f.test() {
		return f.Args
	}
	parts := strings.Split(f.Entry, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return append([]string{"-test.run=" + strings.Join(parts, "/"), "-test.timeout=0", "-test.count=1", "-test.paniconexit0=true"}, f.Args...)
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > n {
		lines = append([]string{"[...]"}, lines[len(lines)-n:]...)
	}
	return "  " + strings.Join(lines, "\n  ")
}

// Tried says what came of the runs that Count made.
type Tried struct {
	Runs, Failed int
	Output       string // of the last run that failed
	Why          string // of the last run that did not, one paragraph
	Order        []string
}

// Count does what a test with the finding would do in the package folder dir,
// and counts. It is how Hocket sees that a test will work before it prints it.
// What it writes goes to the folder tmp.
func Count(ctx context.Context, dir, tmp string, f Finding, runs int) (_ Tried, err error) {
	p := &program{builder: &builder{f: f, dir: tmp, pkgDir: dir}}
	if p.plan, err = breakpoints.Parse(f.Plan); err != nil {
		return Tried{}, err
	}
	bin, err := p.build(ctx)
	if err != nil {
		return Tried{}, err
	}
	w := &words{plan: p.plan, f: f, at: func(i int) string { return p.where[i].String() }}
	t := Tried{Order: w.order()}
	for t.Runs < runs {
		r, err := play(ctx, p.command(bin, f.args()...), f.Plan, filepath.Join(tmp, "report"))
		if err != nil {
			return t, err
		}
		t.Runs++
		if f.Judge.Same(r.Ended, p.blocked) {
			t.Failed++
			t.Output = r.Output
		} else {
			t.Why = p.why(w, r)
		}
	}
	return t, nil
}
