// Command cores measures how well the core of a failed run leads to a schedule that
// fails in the same way.
//
//	go run ./bench/cores [-only NAME,NAME] [-schedules 300] [-seeds 1] [-budget 60s]
//	go run ./bench/cores -cost 9
//
// The programs in testdata have the mechanisms of the bugs in "Analyzing Multicore Dumps
// to Facilitate Concurrency Bug Reproduction" (ASPLOS 2010): two of apache, four of
// mysql. Each is run, with SLOW=1, which makes it pause where its bug is, until it leaves
// a core, in a build that counts the rounds of its loops; then the program is searched, without pauses, for the state of the core: by
// preemptions from the comparison with a passing run, in the paper's two orders and the
// product's, and in no order (chess); led by where the goroutines stood alone; not led;
// and as find does. As in the paper the failure counts, wherever others stand by then.
// Those of testdata/large (-large) are a web and a database server under load, of more
// nearly the paper's size, with the mechanisms of all seven bugs.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
)

//go:embed testdata/*.txtar testdata/large/*.txtar
var programs embed.FS

// mostRuns is how often a program is run for a core.
const mostRuns = 100

var priorities = []string{"both", "temporal", "dependence", "chess"}

type options struct {
	only             string
	large            bool
	schedules, seeds int
	budget           time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "names, separated by commas")
	flag.BoolVar(&o.large, "large", false, "the programs of the paper's size")
	flag.IntVar(&o.schedules, "schedules", 300, "schedules of a search")
	flag.IntVar(&o.seeds, "seeds", 1, "searches for each core")
	flag.DurationVar(&o.budget, "budget", 60*time.Second, "of one search")
	rounds := flag.Int("cost", 0, "measure instead what the counters of rounds cost, in so many runs of each build")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ask := func() error { return measure(ctx, os.Stdout, o) }
	if *rounds > 0 {
		ask = func() error { return cost(ctx, os.Stdout, *rounds) }
	}
	if err := ask(); err != nil {
		fmt.Fprintln(os.Stderr, "cores: "+err.Error())
		os.Exit(1)
	}
}

func measure(ctx context.Context, w io.Writer, o options) error {
	dir, err := os.MkdirTemp("", "hocket-cores-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list := "testdata/*.txtar"
	if o.large {
		list = "testdata/large/*-*.txtar"
	}
	files, err := fs.Glob(programs, list)
	if err != nil {
		return err
	}
	facts := table.New(w, "program ", "core MB", "vars ", "diffs", "shared", "CSVs", "index", "aligned", "candidates", "parse ms", "compare ms")
	type row struct {
		name string
		got  []*harness.Sighting
	}
	var rows []row
	for _, f := range files {
		name := strings.TrimSuffix(path.Base(f), ".txtar")
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), name) {
			continue
		}
		core, err := crash(ctx, filepath.Join(dir, name), f)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r := row{name: name}
		for seed := range o.seeds {
			s := harness.StateOptions{Options: engine.FromOptions{File: "core", Core: core}, Others: true, Failure: true, Priorities: priorities}
			s.Dir, s.Patterns, s.Seed, s.Schedules, s.Budget = filepath.Join(dir, name), []string{"."}, uint64(seed), o.schedules, o.budget
			s.Priorities = append([]string{}, priorities[1:]...)
			s.Priorities = append(s.Priorities, priorities[0]) // its facts are those of the table
			got, err := harness.SeekState(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			r.got = append(r.got, got)
		}
		c := r.got[0].Core
		aligned := "no"
		if c.Aligned != nil {
			aligned = "closest"
			if c.Aligned.Exact {
				aligned = "exact"
			}
		}
		facts.Row(name, c.Bytes>>20, c.Compared, c.Different, c.Shared, len(c.Critical), len(c.Index), aligned, c.Candidates, c.ParseMS, c.CompareMS)
		if c.Note != "" {
			fmt.Fprintln(w, name+": "+c.Note)
		}
		rows = append(rows, r)
	}
	fmt.Fprintln(w)
	tries := table.New(w, "program ", "both ", "temporal", "dependence", "chess", "led  ", "not led", "find ")
	for _, r := range rows {
		for _, got := range r.got {
			cells := []any{r.name}
			for _, p := range priorities {
				cells = append(cells, shown(got.Proposed[p]))
			}
			tries.Row(append(cells, shown(got.Led), shown(got.Plain), shown(got.Find))...)
		}
	}
	return nil
}

// shown is the attempt that reached the state, or "-" and how many did not.
func shown(a harness.Attempt) string {
	if !a.Reached {
		return fmt.Sprintf("-%d", a.Attempts)
	}
	return fmt.Sprint(a.Attempts)
}

// crash builds a program in a folder and runs it until it leaves a core there.
func crash(ctx context.Context, dir, file string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	sources, err := sources(file)
	if err != nil {
		return "", err
	}
	sources = append(sources, txtar.File{Name: "go.mod", Data: []byte("module example.com/" + filepath.Base(dir) + "\n\ngo 1.26\n")})
	for _, f := range sources {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
			return "", err
		}
	}
	if err := engine.BuildCounting(ctx, dir, ".", filepath.Join(dir, "prog"), engine.Flags{}); err != nil {
		return "", err
	}
	for range mostRuns {
		cmd := exec.CommandContext(ctx, "sh", "-c", "ulimit -c unlimited && exec ./prog")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "SLOW=1", "GOTRACEBACK=crash")
		if cmd.Run() == nil {
			continue
		}
		if cores, _ := filepath.Glob(filepath.Join(dir, "core*")); len(cores) > 0 {
			return cores[0], nil
		}
		return "", errors.New("it failed and left no core in its folder; see /proc/sys/kernel/core_pattern")
	}
	return "", fmt.Errorf("none of %d runs failed", mostRuns)
}

// sources are the files of a program. A large one names, in its first line, the
// archive beside it with the files that it shares with others.
func sources(file string) ([]txtar.File, error) {
	text, err := programs.ReadFile(file)
	if err != nil {
		return nil, err
	}
	a := txtar.Parse(text)
	base, _, _ := strings.Cut(string(a.Comment), "\n")
	if base == "" {
		return a.Files, nil
	}
	shared, err := sources(path.Join(path.Dir(file), base+".txtar"))
	return append(shared, a.Files...), err
}
