package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
	"github.com/hocket-dev/hocket/internal/words"
)

// version is the program with one set of texts.
type version struct {
	v       *Verifier
	overlay *overlay.Files
	driver  *build.Driver
	flags   target.Flags
	dir     string // of the ordinary build, and of copies of dependencies

	once    sync.Once // guards the ordinary build
	failure error     // of it
}

// version of the program with more texts in place of the files that have them.
func (v *Verifier) version(files map[string][]byte) (*version, error) {
	texts, err := build.UnsavedDir()
	if err != nil {
		return nil, err
	}
	d, err := build.New(v.Env)
	if err != nil {
		return nil, err
	}
	dir, err := temp.Dir("fix")
	if err != nil {
		return nil, err
	}
	p := &version{v: v, overlay: v.Target.Overlay, driver: d, dir: dir, flags: v.Flags}
	rest, modFile, err := p.replaced(files)
	if err == nil && len(rest) > 0 {
		p.overlay, err = p.overlay.Including(texts, rest)
	}
	if modFile != "" {
		p.flags.Modfile, p.flags.Mod = modFile, "mod"
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *version) close() {
	p.driver.Close()
	os.RemoveAll(p.dir)
}

func (p *version) target(t target.Target) target.Target {
	t.Overlay = p.overlay
	return t
}

// control is the controlled program.
func (p *version) control(ctx context.Context, t target.Target) (run.Runner, error) {
	return p.driver.Runner(ctx, p.target(t), p.flags, build.Control)
}

// plainRun is what a run of the ordinary build did.
type plainRun struct {
	failed bool
	hang   bool
	output string
	took   time.Duration
	limit  time.Duration // that it had
}

// Bounds of how long an ordinary run may take: a multiple of what the program takes
// without a fix, and never less than leastPlain.
const (
	plainTime  = 20 * time.Second
	leastPlain = 4 * time.Second
	timesPlain = 100
)

// patience is how long an ordinary run with a fix may take, by one without it.
func (v *Verifier) patience(ctx context.Context) time.Duration {
	v.timed.Do(func() {
		v.limit = plainTime
		if r, err := v.before.plain(ctx, v.Target, leastPlain); err == nil && !r.failed {
			v.limit = min(plainTime, max(leastPlain, timesPlain*r.took))
		}
	})
	return v.limit
}

// compile makes the build that the user would make.
func (p *version) compile(ctx context.Context) error {
	p.once.Do(func() {
		it := build.Target(p.v.Env, p.target(p.v.Target), p.flags)
		p.failure = it.Compile(ctx, "go", filepath.Join(p.dir, "plain.bin"), p.overlay.Flags(), nil)
	})
	return p.failure
}

// plain runs a target on the ordinary build, for a time at most.
func (p *version) plain(ctx context.Context, t target.Target, most time.Duration) (*plainRun, error) {
	if err := p.compile(ctx); err != nil {
		return nil, err
	}
	it := build.Target(p.v.Env, p.target(t), p.flags)
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	cmd := process.Command(limited, filepath.Join(p.dir, "plain.bin"), it.RunArgs()...)
	cmd.Dir, cmd.Env = it.Dir, it.Environ()
	start := time.Now()
	out, err := process.CombinedOutput(limited, cmd)
	r := &plainRun{failed: err != nil, output: string(out), took: time.Since(start), limit: most}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r.hang = limited.Err() != nil
	return r, nil
}

// vet returns the complaints of go vet about packages, without their places.
func (p *version) vet(ctx context.Context, dirs []string) map[string]int {
	it := build.Target(p.v.Env, p.target(p.v.Target), p.flags)
	args := slices.Concat([]string{"vet"}, it.Flags, p.overlay.Flags(), dirs)
	cmd := process.Go(ctx, "go", args...)
	cmd.Dir, cmd.Env = it.Dir, it.Environ()
	out, _ := process.CombinedOutput(ctx, cmd)
	complaints := map[string]int{}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "does not compile: "); line != "" && !strings.HasPrefix(line, "#") {
			if _, text, ok := strings.Cut(line, ": "); ok {
				complaints[text]++
			}
		}
	}
	return complaints
}

// why says in a line why a plain run failed.
func (r *plainRun) why() string {
	if r.hang {
		return fmt.Sprintf("it did not end within %v", r.limit)
	}
	for line := range strings.Lines(r.output) {
		t := strings.TrimSpace(line)
		if t == "" || strings.HasPrefix(t, "=== ") || strings.HasPrefix(t, "--- ") || strings.HasPrefix(t, "goroutine ") {
			continue
		}
		return words.OneLine(t)
	}
	return "it failed"
}

// compileError is the first line of a build's errors that names one.
func compileError(err error) string {
	var b *instrument.BuildError
	text := err.Error()
	if errors.As(err, &b) {
		text = b.Output
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return words.OneLine(line)
		}
	}
	return words.OneLine(text)
}
