// Command artefacts measures how well hocket from reaches the state that an artefact
// tells of.
//
//	go run ./bench/artefacts [-cases DIR,...] [-kernels] [-only Name,Name] [-runs 80] [-schedules 200] [-seeds 1]
//
// Of each program it makes artefacts by running a copy with random pauses, and that
// with -race: the output of panics and fatal errors, dumps of tests that timed out,
// race reports. It keeps the one whose state was seen least often, throws all else away,
// and searches the program for that state: led to it, and by the same strategy as find
// without being led, with equal attempts.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
)

type options struct {
	cases     string
	kernels   bool
	only      string
	runs      int
	schedules int
	seeds     int
	keep      string
	reuse     bool
	budget    time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.cases, "cases", "", "folders of cases with truth.json, separated by commas")
	flag.BoolVar(&o.kernels, "kernels", false, "the kernels of the Go distribution, each started once")
	flag.StringVar(&o.only, "only", "", "names, separated by commas")
	flag.IntVar(&o.runs, "runs", 80, "runs that make artefacts, with and without -race")
	flag.IntVar(&o.schedules, "schedules", 200, "schedules of a search")
	flag.IntVar(&o.seeds, "seeds", 1, "searches for each state")
	flag.StringVar(&o.keep, "keep", "", "folder in which the artefacts are left")
	flag.BoolVar(&o.reuse, "reuse", false, "search for the states of the artefacts that -keep left, and make none")
	flag.DurationVar(&o.budget, "budget", 60*time.Second, "of one search")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Setenv("GOEXPERIMENT", "goroutineleakprofile")
	if err := measure(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "artefacts: "+err.Error())
		os.Exit(1)
	}
}

// program is what artefacts are made of.
type program struct {
	name string
	dir  string
	test string // "" is the main function
	args []string
}

func measure(ctx context.Context, w io.Writer, o options) error {
	dir, err := os.MkdirTemp("", "hocket-artefacts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	all, err := o.programs(ctx, dir)
	if err != nil {
		return err
	}
	t := table.New(w, "program           ", "states", "seen ", "kind           ", "goroutines", "led ", "tries", "find", "tries", "not led", "tries")
	var sum summary
	for _, p := range all {
		made, err := o.artefacts(ctx, p)
		if err != nil {
			t.Row(p.name, "-", "-", oneLine(err))
			continue
		}
		if len(made) == 0 {
			t.Row(p.name, "0", "-", "no run failed")
			continue
		}
		rarest := made[0]
		for seed := range o.seeds {
			s := harness.StateOptions{Options: engine.FromOptions{File: p.name, Data: rarest.text}, Others: true}
			s.Dir, s.Args, s.Seed, s.Schedules, s.Budget = p.dir, p.args, uint64(seed), o.schedules, o.budget
			got, err := harness.SeekState(ctx, s)
			if err != nil {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				t.Row(p.name, len(made), rarest.seen, rarest.kind, "", "error: "+oneLine(err))
				sum.errors++
				continue
			}
			sum.add(got, len(made))
			t.Row(p.name, len(made), fmt.Sprintf("%d/%d", rarest.seen, rarest.of), rarest.kind, got.Goroutines, yes(got.Led.Reached), got.Led.Attempts,
				yes(got.Find.Reached), got.Find.Attempts, yes(got.Plain.Reached), got.Plain.Attempts)
		}
	}
	sum.print(w)
	return nil
}

// artefacts makes those of a program, the rarest first, or takes the one that is kept.
func (o *options) artefacts(ctx context.Context, p program) ([]made, error) {
	kept := filepath.Join(o.keep, p.name+".txt")
	if o.reuse {
		text, err := os.ReadFile(kept)
		if os.IsNotExist(err) {
			return nil, nil
		}
		_, kind := harness.StateOf(text)
		return []made{{text: text, kind: kind}}, err
	}
	all, err := p.artefacts(ctx, *o, p.dir+"-made")
	if err == nil && o.keep != "" && len(all) > 0 {
		err = os.WriteFile(kept, all[0].text, 0o644)
	}
	return all, err
}

func (o *options) programs(ctx context.Context, dir string) (all []program, err error) {
	wanted := func(name string) bool { return o.only == "" || slices.Contains(strings.Split(o.only, ","), name) }
	for i, folder := range strings.Split(o.cases, ",") {
		if folder == "" {
			continue
		}
		cases, err := programs.Copies(folder, o.only, filepath.Join(dir, fmt.Sprint(i)))
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			p := program{name: c.Name, dir: c.Dir}
			if entry := strings.Fields(c.Truth.Entry); len(entry) > 0 && entry[len(entry)-1] != "main" { // "a_test.go TestX" in some
				p.test = entry[len(entry)-1]
			}
			all = append(all, p)
		}
	}
	if o.kernels {
		suite := filepath.Join(dir, "goker")
		if err := os.MkdirAll(suite, 0o755); err != nil {
			return nil, err
		}
		kernels, err := programs.Kernels(ctx, suite)
		if err != nil {
			return nil, err
		}
		if err := programs.Single(suite); err != nil {
			return nil, err
		}
		for _, k := range kernels {
			if wanted(k.Name) {
				all = append(all, program{name: k.Name, dir: suite, args: []string{k.Name}})
			}
		}
	}
	return all, nil
}

type summary struct {
	tried, several, errors int
	reached                int
	find, findEqual        int // find reached the state, with as many attempts as the led search took
	plain, plainEqual      int
	attempts               []int
}

func (s *summary) add(got *harness.Sighting, states int) {
	s.tried++
	if states >= 3 {
		s.several++
	}
	if got.Led.Reached {
		s.reached++
		s.attempts = append(s.attempts, got.Led.Attempts)
	}
	count := func(a harness.Attempt, all, equal *int) {
		if a.Reached {
			*all++
			if a.Attempts <= got.Led.Attempts {
				*equal++
			}
		}
	}
	count(got.Find, &s.find, &s.findEqual)
	count(got.Plain, &s.plain, &s.plainEqual)
}

func (s *summary) print(w io.Writer) {
	slices.Sort(s.attempts)
	median := 0
	if n := len(s.attempts); n > 0 {
		median = s.attempts[n/2]
	}
	fmt.Fprintf(w, "\n%d searches (%d of programs with three states or more), %d errors\n", s.tried, s.several, s.errors)
	fmt.Fprintf(w, "led: %d reached the state, in %d attempts at the median\n", s.reached, median)
	fmt.Fprintf(w, "find, which ends at its first failure: %d reached it; %d in no more attempts than led\n", s.find, s.findEqual)
	fmt.Fprintf(w, "not led, but going on: %d reached it; %d in no more attempts than led\n", s.plain, s.plainEqual)
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func oneLine(err error) string {
	s := strings.Join(strings.Fields(err.Error()), " ")
	return s[:min(len(s), 120)]
}
