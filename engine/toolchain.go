package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/target"
)

// toolchain is the real stages. Tests of one package share a binary.
type toolchain struct {
	env     *target.Env
	builder *instrument.Builder

	mu       sync.Mutex
	binaries map[string]*built // by package and kind
	runners  []*process.Runner
	links    []string // of binaries, this process's own
}

// built is the result of one build, good or bad: a package that does not
// compile is compiled once, not once for each of its tests.
type built struct {
	bin *instrument.Binary
	err error
}

// newBuilds prepares builds for the environment.
func newBuilds(env *target.Env) (*toolchain, error) {
	dir, err := cacheDir()
	if err != nil {
		return nil, err
	}
	// Where a downloaded toolchain is built through a link (instrument).
	env.Link = filepath.Join(dir, "toolchain", env.GoVersion)
	prune(filepath.Join(dir, "bin"))
	process.Sweep()
	return &toolchain{env: env, builder: instrument.NewBuilder(dir), binaries: map[string]*built{}}, nil
}

func newToolchain(env *target.Env) (stages, error) {
	tc, err := newBuilds(env)
	if err != nil {
		return nil, err
	}
	return tc, nil
}

// unused is how old a built program must be to be removed: each change of the
// user's sources or flags leaves one behind.
const unused = 3 * 24 * time.Hour

// unusedText is the same for those of texts that were not saved: nobody builds
// them again, and an editor's day makes hundreds.
const unusedText = 12 * time.Hour

func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is nothing yet
	}
	for _, e := range entries {
		limit := unused
		if strings.Contains(e.Name(), instrument.Unsaved+"-") {
			limit = unusedText
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > limit {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func (tc *toolchain) build(ctx context.Context, t target.Target, flags target.Flags) (run.Runner, error) {
	return tc.runner(ctx, t, flags, "control", tc.builder.Control)
}

func (tc *toolchain) runner(ctx context.Context, t target.Target, flags target.Flags, kind string,
	build func(context.Context, instrument.Target) (*instrument.Binary, error)) (*process.Runner, error) {
	it := tc.target(t, flags)
	key := fmt.Sprint(kind, " ", t.Package, " ", t.Main)
	tc.mu.Lock()
	defer tc.mu.Unlock()
	b := tc.binaries[key]
	if b == nil {
		bin, err := build(ctx, it)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			tc.own(bin)
		}
		b = &built{bin, tc.explain(err, t.Dir)}
		tc.binaries[key] = b
	}
	if b.err != nil {
		return nil, b.err
	}
	own := *b.bin
	own.Target = it
	p, err := process.New(&own)
	if err == nil {
		tc.runners = append(tc.runners, p)
	}
	return p, err
}

// own gives a built program a name of this process's: the go command replaces
// the one that it built, when another hocket builds the target from sources
// that were changed meanwhile. Where links can't be made the name stays; those
// of a process that was killed are pruned like the programs.
func (tc *toolchain) own(bin *instrument.Binary) {
	link := bin.Path + "~" + rand.Text()[:12] // each as long: programs see it
	if os.Link(bin.Path, link) == nil {
		bin.Path = link
		tc.links = append(tc.links, link)
	}
}

// target is t as the builders want it.
func (tc *toolchain) target(t target.Target, flags target.Flags) instrument.Target {
	it := instrument.Target{Dir: t.Dir, ImportPath: t.Package, Test: !t.Main, Entry: t.Entry, Env: tc.env.Extra, Args: t.Args, Overlay: t.Overlay}
	if flags.Tags != "" {
		it.Flags = append(it.Flags, "-tags="+flags.Tags)
	}
	if flags.Ldflags != "" {
		it.Flags = append(it.Flags, "-ldflags="+flags.Ldflags)
	}
	if flags.Mod != "" {
		it.Flags = append(it.Flags, "-mod="+flags.Mod)
	}
	if it.Test {
		// The last -test.run counts: this one keeps expressions for subtests.
		first := []string{"-test.run=" + t.TestRun}
		if flags.Short {
			first = append(first, "-test.short")
		}
		it.Args = append(first, t.Args...)
	}
	return it
}

var compilerLine = regexp.MustCompile(`(?m)^(\S+\.go)(:\d+(?::\d+)?: .*)$`)

// explain makes one line of a failed build in dir: the first place that the
// compiler names.
func (tc *toolchain) explain(err error, dir string) error {
	var be *instrument.BuildError
	if !errors.As(err, &be) {
		return err
	}
	text := oneLine(be.Output)
	if m := compilerLine.FindStringSubmatch(be.Output); m != nil {
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		text = tc.env.Roots().Name(be.Target.Overlay.Original(file)) + m[2]
	}
	if strings.Contains(be.Output, "no space left on device") {
		text = "no space left on device; free some, or set GOCACHE and XDG_CACHE_HOME to another disk"
	}
	return fmt.Errorf("does not compile: %s", text)
}

func (tc *toolchain) native(ctx context.Context, e evidence, n int) (*trial, error) {
	rep, err := native.Confirm(ctx, native.Request{
		Target: tc.target(e.Target, e.Flags), Trace: e.Fail, Runs: n, Baseline: n / 10})
	if rep == nil || err != nil && rep.Runs == 0 {
		if errors.Is(err, native.ErrNoFailure) {
			return &trial{Note: oneLine(err.Error())}, nil
		}
		return nil, err
	}
	t := &trial{Count: report.Count{Runs: rep.Runs, Failed: rep.Failed}, Output: rep.Output}
	if rep.Baseline.Runs > 0 {
		t.Baseline = &report.Count{Runs: rep.Baseline.Runs, Failed: rep.Baseline.Failed}
	}
	if rep.Failed < rep.Runs {
		t.Note = fmt.Sprintf("the order was played in %d of %d runs", rep.Played, rep.Runs)
		if t.Output == "" {
			t.Output = rep.Sample
		}
	}
	return t, nil
}

// pinned replays the schedule on a build without hooks at plain accesses.
func (tc *toolchain) pinned(ctx context.Context, e evidence, n int) (*trial, error) {
	runner, err := tc.runner(ctx, e.Target, e.Flags, "pinned", tc.builder.Pinned)
	if err != nil {
		return nil, err
	}
	var last string
	same := func(r *run.Result) bool {
		if e.Same(r) {
			last = r.Outcome.Output
			return true
		}
		return false
	}
	spec := run.Spec{Strategy: run.Replay, Schedule: e.Schedule}
	spec.Schedule.HotPCs = nil // program counters of another build
	tally, err := run.Times(ctx, runner, spec, same, n)
	if err != nil {
		return nil, err
	}
	return &trial{Count: report.Count{Runs: tally.Runs, Failed: tally.Failed}, Output: last}, nil
}

func (tc *toolchain) close() {
	tc.mu.Lock()
	defer tc.mu.Unlock()
	for _, p := range tc.runners {
		p.Close()
	}
	for _, link := range tc.links {
		os.Remove(link)
	}
}
