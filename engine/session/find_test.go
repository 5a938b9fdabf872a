package session

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
)

// played are stages whose programs are interpreted: TestX of the module runs
// programs["TestX"].
type played struct {
	programs map[string]func(*sim.Thread)
	cost     time.Duration
	rates    [2]int // failures that native and pinned report, of the runs asked for, in percent
	nativeIs error  // what ends the native runs
	before   int    // native runs that were made until then
	builds   atomic.Int32
}

func (p *played) Build(_ context.Context, t target.Target, _ target.Flags) (run.Runner, error) {
	p.builds.Add(1)
	program, ok := p.programs[t.Entry]
	if !ok {
		return nil, errors.New("does not compile: x.go:1:1:\n\tno such program")
	}
	r := sim.New(program)
	r.Cost = p.cost
	return r, nil
}

func (p *played) Native(_ context.Context, _ ladder.Evidence, n int) (*ladder.Trial, error) {
	if p.nativeIs != nil {
		n = p.before
	}
	if n == 0 {
		return nil, p.nativeIs
	}
	return &ladder.Trial{Count: report.Count{Runs: n, Failed: n * p.rates[0] / 100}, Played: n}, p.nativeIs
}

func (p *played) Pinned(_ context.Context, _ ladder.Evidence, n int) (*ladder.Trial, error) {
	return &ladder.Trial{Count: report.Count{Runs: n, Failed: n * p.rates[1] / 100}}, nil
}

func (p *played) Close() {}

// module makes a module with the given tests and moves the store's stand-in
// away from the user's.
func module(t *testing.T, tests ...string) string {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache))) // compiling the standard library takes long
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	src := "package m\n\nimport \"testing\"\n"
	for _, name := range tests {
		src += "\nfunc " + name + "(t *testing.T) {}\n"
	}
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "m_test.go": src} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func findWith(t *testing.T, ctx context.Context, p ladder.Stages, opt Options) *report.Report {
	t.Helper()
	rep, err := find(ctx, opt, nil, func(*target.Env) (ladder.Stages, error) { return p, nil })
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

func statuses(rep *report.Report) map[string]report.Status {
	out := map[string]report.Status{}
	for _, t := range rep.Targets {
		out[t.Entry] = t.Status
	}
	return out
}

func TestTargetsGetTheirStatus(t *testing.T) {
	dir := module(t, "TestBug", "TestGood", "TestAlways", "TestNoBuild", "TestWild")
	var flip atomic.Int64
	p := &played{rates: [2]int{100, 100}, programs: map[string]func(*sim.Thread){
		"TestBug":    sim.LostUpdate(2, 1),
		"TestGood":   sim.Correct,
		"TestAlways": sim.Broken,
		"TestWild": func(t *sim.Thread) {
			n := t.Int()
			t.Store(n, 1)
			for range flip.Add(1) % 3 {
				t.Load(n)
			}
		},
	}}
	rep := findWith(t, t.Context(), p, Options{Dir: dir, Schedules: 100})
	want := map[string]report.Status{
		"TestBug": report.Failing, "TestGood": report.Clean, "TestAlways": report.FailsAlways,
		"TestNoBuild": report.Error, "TestWild": report.NotControllable,
	}
	got := statuses(rep)
	for name, status := range want {
		if got[name] != status {
			t.Errorf("%s is %s, want %s", name, got[name], status)
		}
	}
	for _, line := range rep.Targets {
		if strings.Contains(line.Error, "\n") {
			t.Errorf("%s: more than a line: %q", line.Entry, line.Error)
		}
		if line.Status == report.NotControllable && line.Error == "" {
			t.Error("not controllable without a cause")
		}
	}
	if len(rep.Findings) != 1 {
		t.Fatalf("%d findings", len(rep.Findings))
	}
	f := rep.Findings[0]
	if f.Entry != "TestBug" || f.Replay != (report.Count{Runs: 100, Failed: 100}) || f.Schedule.Preemptions < 1 || f.Schedule.Preemptions > 2 || f.Confirmed != report.Native {
		t.Errorf("finding: %+v", f)
	}
	r, err := store.OpenRead(dir).Get(f.ID)
	if err != nil {
		t.Fatal(err)
	}
	if r.Finding.Confirmed != report.Native || r.Traces[stored.Failing] == "" || r.Traces[stored.Passing] == "" {
		t.Errorf("stored: %+v", r)
	}
}

func TestTheLadder(t *testing.T) {
	for name, c := range map[string]struct {
		rates [2]int
		err   error
		want  report.Level
	}{
		"native":          {[2]int{100, 0}, nil, report.Native},
		"native enough":   {[2]int{95, 0}, nil, report.Native},
		"not enough":      {[2]int{94, 100}, nil, report.Pinned},
		"nor pinned":      {[2]int{94, 95}, nil, report.Controlled},
		"native breaks":   {[2]int{100, 100}, errors.New("no place\nfor a point"), report.Pinned},
		"only controlled": {[2]int{0, 0}, nil, report.Controlled},
	} {
		t.Run(name, func(t *testing.T) {
			p := &played{rates: c.rates, nativeIs: c.err, programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(2, 1)}}
			rep := findWith(t, t.Context(), p, Options{Dir: module(t, "TestBug")})
			if len(rep.Findings) != 1 {
				t.Fatalf("%d findings", len(rep.Findings))
			}
			f := rep.Findings[0]
			if f.Confirmed != c.want {
				t.Errorf("%s, want %s", f.Confirmed, c.want)
			}
			if c.err != nil && (f.NativeNote != "native: no place for a point" || f.Native != nil) {
				t.Errorf("note %q, native %v", f.NativeNote, f.Native)
			}
			// What the ordinary build showed, however seldom, is not said to need the hooks.
			doubted := strings.Contains(f.Evidence(), "may not happen in production")
			if doubted != (c.want == report.Controlled && c.rates[0] == 0) {
				t.Errorf("Evidence: %s", f.Evidence())
			}
		})
	}
}

// What was counted before an error is shown, beside the error, and reaches no level.
func TestErrorsKeepTheCount(t *testing.T) {
	p := &played{rates: [2]int{100, 0}, nativeIs: errors.New("the disk is full"), before: 40,
		programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(2, 1)}}
	rep := findWith(t, t.Context(), p, Options{Dir: module(t, "TestBug")})
	if len(rep.Findings) != 1 {
		t.Fatalf("%d findings", len(rep.Findings))
	}
	f := rep.Findings[0]
	if f.Native == nil || *f.Native != (report.Count{Runs: 40, Failed: 40}) || f.Confirmed != report.Controlled || f.NativeNote != "native: the disk is full" {
		t.Errorf("native %v, confirmed %s, note %q", f.Native, f.Confirmed, f.NativeNote)
	}
}

// An error after all runs takes nothing away from them.
func TestAllRunsCountDespiteALaterError(t *testing.T) {
	p := &played{rates: [2]int{100, 0}, nativeIs: errors.New("a run without an order can't be made"), before: 100,
		programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(2, 1)}}
	rep := findWith(t, t.Context(), p, Options{Dir: module(t, "TestBug")})
	if len(rep.Findings) != 1 || rep.Findings[0].Confirmed != report.Native {
		t.Errorf("%+v", rep.Findings)
	}
}

// cutting is interrupted in the middle of the native runs.
type cutting struct {
	*played
	cancel func()
}

func (c cutting) Native(ctx context.Context, e ladder.Evidence, n int) (*ladder.Trial, error) {
	c.cancel()
	trial, err := c.played.Native(ctx, e, n)
	return trial, errors.Join(err, ctx.Err())
}

// A note does not say that nothing was tried beside a count of what was, and that the
// budget ended where somebody interrupted.
func TestTheNoteFitsTheCount(t *testing.T) {
	for _, c := range []struct {
		made int
		note string
	}{{0, "native: not tried, it was interrupted"}, {30, "native: it was interrupted after 30 of 100 runs"}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := &played{nativeIs: context.Canceled, before: c.made, programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(2, 1)}}
		rep, err := find(ctx, Options{Dir: module(t, "TestBug")}, nil,
			func(*target.Env) (ladder.Stages, error) { return cutting{p, cancel}, nil })
		if err != nil || len(rep.Findings) != 1 {
			t.Fatalf("%+v, %v", rep, err)
		}
		if f := rep.Findings[0]; f.NativeNote != c.note || (f.Native != nil) != (c.made > 0) {
			t.Errorf("native %v, note %q, want %q", f.Native, f.NativeNote, c.note)
		}
	}
}

// stubborn is a build that goes on after its context has ended.
type stubborn struct {
	*played
	begun, end chan struct{}
	closed     chan bool // whether the build had ended
}

func (s *stubborn) Build(context.Context, target.Target, target.Flags) (run.Runner, error) {
	close(s.begun)
	<-s.end
	return nil, errors.New("too late")
}

func (s *stubborn) Close() {
	select {
	case <-s.end:
		s.closed <- true
	default:
		s.closed <- false
	}
}

// The caller does not wait for work that does not end, and nothing is closed
// under its feet.
func TestStagesAreClosedAfterTheirWork(t *testing.T) {
	s := &stubborn{played: &played{}, begun: make(chan struct{}), end: make(chan struct{}), closed: make(chan bool, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.begun
		cancel()
	}()
	rep, err := find(ctx, Options{Dir: module(t, "TestX")}, nil, func(*target.Env) (ladder.Stages, error) { return s, nil })
	if err != nil || statuses(rep)["TestX"] != report.NotReached {
		t.Errorf("%+v, %v", rep, err)
	}
	close(s.end)
	if !<-s.closed {
		t.Error("closed while the build was going on")
	}
}

func TestRacesAreProvedOnTheExecution(t *testing.T) {
	p := &played{programs: map[string]func(*sim.Thread){"TestRacy": sim.Racy}}
	rep := findWith(t, t.Context(), p, Options{Dir: module(t, "TestRacy"), Schedules: 300})
	for _, f := range rep.Findings {
		if f.Kind == "data-race" {
			if f.Confirmed != report.RaceProved || f.Native != nil {
				t.Errorf("race: %+v", f)
			}
			return
		}
		for _, a := range f.Also { // of the failure that it leads to
			if a.Kind == "data-race" {
				if f.Confirmed == report.Controlled {
					t.Errorf("failure with a race: %+v", f)
				}
				return
			}
		}
	}
	t.Fatal("no race among the findings")
}

// Cut short, every target is still listed, with what was covered.
func TestBudgetIsKept(t *testing.T) {
	dir := module(t, "TestA", "TestB", "TestC")
	p := &played{cost: 2 * time.Millisecond, programs: map[string]func(*sim.Thread){
		"TestA": sim.Correct, "TestB": sim.Correct, "TestC": sim.Correct}}
	start := time.Now()
	rep := findWith(t, t.Context(), p, Options{Dir: dir, Strategy: "mix", Schedules: 1e6, Budget: 3 * time.Second})
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v of 3s", d)
	}
	for _, line := range rep.Targets {
		if line.Status != report.CutShort || line.Runs == 0 {
			t.Errorf("%s: %s after %d runs", line.Entry, line.Status, line.Runs)
		}
	}
}

func TestCancelReturnsWhatThereIs(t *testing.T) {
	dir := module(t, "TestA", "TestB")
	p := &played{cost: 2 * time.Millisecond, programs: map[string]func(*sim.Thread){"TestA": sim.LostUpdate(2, 1), "TestB": sim.Correct}}
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	var cancelled time.Time
	progress := func(u progress.Update) {
		if u.Findings > 0 {
			once.Do(func() { cancelled = time.Now(); cancel() })
		}
	}
	rep, err := find(ctx, Options{Dir: dir, Strategy: "mix", Schedules: 1e6, Budget: time.Minute}, progress,
		func(*target.Env) (ladder.Stages, error) { return p, nil })
	if err != nil {
		t.Fatal(err)
	}
	if d := time.Since(cancelled); d > time.Second {
		t.Errorf("went on for %v", d)
	}
	if b := statuses(rep)["TestB"]; len(rep.Findings) != 1 || b != report.CutShort && b != report.NotReached {
		t.Errorf("%d findings, %v", len(rep.Findings), statuses(rep))
	}
}

// What was replayed is told, however little time was left to look into it.
func TestTheEndOfTheTimeLosesNoFinding(t *testing.T) {
	for _, phase := range []progress.Phase{progress.Simplifying, progress.Explaining, progress.Confirming} {
		t.Run(string(phase), func(t *testing.T) {
			dir := module(t, "TestA")
			p := &played{cost: time.Millisecond, programs: map[string]func(*sim.Thread){"TestA": sim.LostUpdate(2, 1)}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			rep, err := find(ctx, Options{Dir: dir, Budget: time.Minute}, func(u progress.Update) {
				if u.Phase == phase {
					cancel()
				}
			}, func(*target.Env) (ladder.Stages, error) { return p, nil })
			if err != nil {
				t.Fatal(err)
			}
			if len(rep.Findings) != 1 || rep.Findings[0].ID == "" || statuses(rep)["TestA"] != report.Failing {
				t.Errorf("%d findings, %v", len(rep.Findings), statuses(rep))
			}
		})
	}
}

func TestTheSameBugKeepsItsID(t *testing.T) {
	dir := module(t, "TestBug")
	p := &played{programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(2, 3)}}
	first := findWith(t, t.Context(), p, Options{Dir: dir, Seed: 1})
	again := findWith(t, t.Context(), p, Options{Dir: dir, Seed: 2})
	if len(first.Findings) != 1 || len(again.Findings) != 1 || first.Findings[0].ID != again.Findings[0].ID {
		t.Errorf("%+v, then %+v", first.Findings, again.Findings)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for want, opt := range map[string]Options{
		"-strategy chess is not built yet": {Strategy: "chess"},
		`-strategy "x" is unknown`:         {Strategy: "x"},
		"needs -memory sc: it computes":    {Memory: "pso", Strategy: "explore"},
		"-schedules -1: must not be":       {Schedules: -1, Depth: 3},
		"-depth -2: must not be":           {Depth: -2},
		"-n -3: must not be":               {Runs: -3},
		"-budget -1s: must not be":         {Budget: -time.Second},
	} {
		if _, err := Find(t.Context(), opt, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}
