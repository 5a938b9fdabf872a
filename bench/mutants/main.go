// Command mutants measures which removed locks and waits Hocket finds that the
// module's own tests do not notice:
//
//	go run ./bench/mutants [-max 20] [-budget 60s] [-own] [MODULE@VERSION ...]
//
// The modules (default: the newest golang.org/x/sync and
// github.com/hashicorp/golang-lru/v2) come from the module proxy. In a copy,
// one Lock/Unlock pair (or RLock/RUnlock) or one Wait at a time is removed.
// Mutants that compile, and that go test does not notice in 20 runs, are
// searched. A finding that the unchanged module has too does not count. Some
// mutants are equivalent to the original (a lock without contention, a wait
// that something else implies): they can't be found.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

type options struct {
	max, runs int
	own       bool
	budget    time.Duration
	seed      uint64
	modules   []string
}

func main() {
	o := options{modules: []string{"golang.org/x/sync@latest", "github.com/hashicorp/golang-lru/v2@latest"}}
	flag.IntVar(&o.max, "max", 20, "mutants to search")
	flag.IntVar(&o.runs, "runs", 20, "runs of go test that must not notice a mutant")
	flag.BoolVar(&o.own, "own", false, "search only the tests of the mutant's package, not ./...")
	flag.DurationVar(&o.budget, "budget", 60*time.Second, "budget of one find")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the order in which mutants are tried")
	flag.Parse()
	if flag.NArg() > 0 {
		o.modules = flag.Args()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutants: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "hocket-mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	t := table.New(w, "module             ", "mutant                                  ", "found", "runs ", "sec  ", "kind/class")
	var sum tally
	// Also when it is interrupted: what was tried until then is known.
	defer func() {
		fmt.Fprintf(w, "\n%d mutants tried: %d do not compile, %d noticed by go test, %d searched, %d found\n",
			sum.tried, sum.broken, sum.noticed, sum.kept, sum.found)
	}()
	for i, name := range o.modules {
		// The modules share what is left evenly.
		limit := sum.kept + (o.max-sum.kept)/(len(o.modules)-i)
		s := &suite{options: o, dir: filepath.Join(tmp, fmt.Sprint(i)), known: map[string]map[string]bool{}}
		if err := s.fetch(ctx, name); err != nil {
			return err
		}
		if err := s.run(ctx, t, &sum, limit); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

type tally struct{ tried, broken, noticed, kept, found int }

// suite is a copy of one module.
type suite struct {
	options
	name, dir string
	known     map[string]map[string]bool // findings of the unchanged module, by pattern
}

// fetch copies the module; the cache is read-only.
func (s *suite) fetch(ctx context.Context, module string) error {
	var info struct{ Path, Version, Dir string }
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", module).Output()
	if err != nil {
		return fmt.Errorf("go mod download %s: %w: %s", module, err, out)
	}
	if err := json.Unmarshal(out, &info); err != nil {
		return err
	}
	s.name = info.Path + "@" + info.Version
	if err := os.CopyFS(s.dir, os.DirFS(info.Dir)); err != nil {
		return err
	}
	return filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}

func (s *suite) run(ctx context.Context, t *table.Table, sum *tally, limit int) error {
	all, err := mutants(s.dir)
	if err != nil {
		return err
	}
	start := time.Now()
	if out, err := s.test(ctx, 1, 10*time.Minute); err != nil {
		return fmt.Errorf("the unchanged module does not pass: %s", out)
	}
	patience := 30*time.Second + 3*time.Duration(s.runs)*time.Since(start)
	r := rand.New(rand.NewPCG(s.seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, m := range all {
		if sum.kept >= limit {
			return nil
		}
		if err := s.try(ctx, t, m, patience, sum); err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
	}
	return nil
}

func (s *suite) try(ctx context.Context, t *table.Table, m mutant, patience time.Duration, sum *tally) error {
	known, err := s.baseline(ctx, m)
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, m.file)
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, m.apply(src), 0o644); err != nil {
		return err
	}
	defer os.WriteFile(file, src, 0o644)
	compiles := s.compiles(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	sum.tried++
	if !compiles {
		sum.broken++
		return nil
	}
	if _, err := s.test(ctx, s.runs, patience); err != nil {
		if ctx.Err() == nil {
			sum.noticed++
		}
		return ctx.Err()
	}
	rep, took, err := s.find(ctx, m)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	sum.kept++
	runs, first := 0, (*report.Finding)(nil)
	for _, x := range rep.Targets {
		runs += x.Runs
	}
	for _, f := range rep.Findings {
		if first == nil && !known[identity(f)] {
			first = f
		}
	}
	if first == nil {
		t.Row(s.name, m, "no", runs, took.Seconds())
		return ctx.Err()
	}
	sum.found++
	t.Row(s.name, m, "yes", runs, took.Seconds(), first.Kind+"/"+first.Class+" "+first.Entry)
	return ctx.Err()
}

// baseline is what a find reports on the unchanged module.
func (s *suite) baseline(ctx context.Context, m mutant) (map[string]bool, error) {
	pattern := s.pattern(m)
	if known, ok := s.known[pattern]; ok {
		return known, nil
	}
	rep, _, err := s.find(ctx, m)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, f := range rep.Findings {
		known[identity(f)] = true
	}
	s.known[pattern] = known
	return known, nil
}

// identity tells findings apart across mutants of one module, as far as words go.
func identity(f *report.Finding) string {
	return strings.Join([]string{f.Package, f.Entry, f.Kind, f.Failure.String()}, " ")
}

func (s *suite) pattern(m mutant) string {
	if s.own {
		return "./" + filepath.ToSlash(filepath.Dir(m.file))
	}
	return "./..."
}

func (s *suite) find(ctx context.Context, m mutant) (*report.Report, time.Duration, error) {
	start := time.Now()
	rep, err := engine.Find(ctx, engine.FindOptions{Dir: s.dir, Patterns: []string{s.pattern(m)}, Budget: s.budget}, nil)
	return rep, time.Since(start), err
}

func (s *suite) compiles(ctx context.Context) bool {
	cmd := exec.CommandContext(ctx, "go", "build", "./...")
	cmd.Dir = s.dir
	return cmd.Run() == nil
}

// test runs the module's tests the ordinary way.
func (s *suite) test(ctx context.Context, runs int, patience time.Duration) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", fmt.Sprintf("-count=%d", runs), "-vet=off", "-timeout="+patience.String(), "./...")
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
