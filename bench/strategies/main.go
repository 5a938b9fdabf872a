// Command strategies compares the strategies of the search, side by side: how
// many runs (process starts) and how long each takes until the first failure
// that replays:
//
//	go run ./bench/strategies [-cases FOLDER] [-kernels 30] [-cortex] [-seeds 3] [-budget 10s] [-json]
//
// The programs are the cases below FOLDER (as bench/cases takes them), kernels of
// the Go distribution (bench/kernels), evenly spread over the list, and those of
// Table 3 of Cortex (bench/cortex), beside the paper's figures for Cortex, MCR
// and ICB-DPOR. Each search is made with several seeds; medians are shown. A data
// race is no failure here and ends no search. Of fixed twins it is shown what
// explore, or another strategy, says.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
)

type options struct {
	cases      string
	kernels    int
	cortex     bool
	only       string
	strategies []string
	seeds      int
	budget     time.Duration
	schedules  int
	twin       string // strategy for the fixed twins
	json       bool
}

func main() {
	var o options
	var names string
	flag.StringVar(&o.cases, "cases", "", "a folder of cases")
	flag.IntVar(&o.kernels, "kernels", 30, "number of kernels of the Go distribution")
	flag.BoolVar(&o.cortex, "cortex", true, "the programs of Cortex's Table 3")
	flag.StringVar(&o.only, "only", "", "names of the programs to run, separated by commas")
	flag.StringVar(&names, "strategies", "explore,reads-from,pos,pct,random", "strategies to compare, separated by commas")
	flag.IntVar(&o.seeds, "seeds", 3, "searches of a program with a strategy")
	flag.DurationVar(&o.budget, "budget", 10*time.Second, "of one search")
	flag.IntVar(&o.schedules, "schedules", 2000, "of one search")
	flag.StringVar(&o.twin, "twin", "explore", "strategy that searches the fixed twins; \"\" leaves them out")
	flag.BoolVar(&o.json, "json", false, "print JSON at the end instead of Markdown as it comes")
	flag.Parse()
	if flag.NArg() > 0 || o.seeds < 1 || o.budget <= 0 || o.schedules < 1 {
		fmt.Fprintln(os.Stderr, "usage: strategies [flags]; see -help")
		os.Exit(2)
	}
	o.strategies = strings.Split(names, ",")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "strategies: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "hocket-strategies-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	groups, err := gather(ctx, tmp, o)
	if err != nil {
		return err
	}
	var rows []*row
	for _, g := range groups {
		if !o.json {
			g.head(w, o)
		}
		var mine []*row
		for _, p := range g.programs {
			if o.only != "" && !slices.Contains(strings.Split(o.only, ","), p.Name) {
				continue
			}
			r := measure(ctx, g, p, o)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			mine = append(mine, r)
			if !o.json {
				r.print(w, o)
			}
		}
		if !o.json {
			total(w, mine, o)
		}
		rows = append(rows, mine...)
	}
	if o.json {
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(rows)
	}
	return nil
}

// row is what was measured of one program.
type row struct {
	Group string           `json:"group"`
	Name  string           `json:"name"`
	Cells map[string]*cell `json:"strategies"`
	Paper *paper           `json:"paper,omitempty"`
	Twin  *trial           `json:"twin,omitempty"`
	Error string           `json:"error,omitempty"` // the program could not be built or run
}

// cell is the searches of one program by one strategy.
type cell struct {
	NotBuilt bool    `json:"not_built,omitempty"` // this Hocket has no such strategy
	Trials   []trial `json:"trials,omitempty"`
}

// trial is one search.
type trial struct {
	Seed     uint64  `json:"seed"`
	Status   string  `json:"status"`
	Kind     string  `json:"kind,omitempty"` // of the failure
	Reason   string  `json:"reason,omitempty"`
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"`
}

func measure(ctx context.Context, g *group, p program, o options) *row {
	r := &row{Group: g.name, Name: p.Name, Cells: map[string]*cell{}, Paper: p.Paper}
	restore := g.enter()
	defer restore()
	err := withProgram(ctx, p.options(p.Dir), func(prog *engine.Program) error {
		for _, s := range o.strategies {
			c := &cell{NotBuilt: !engine.HasStrategy(s)}
			r.Cells[s] = c
			for seed := 0; seed < o.seeds && !c.NotBuilt; seed++ {
				t, err := seek(ctx, prog, s, uint64(seed), o)
				if err != nil {
					return fmt.Errorf("%s: %w", s, err)
				}
				c.Trials = append(c.Trials, *t)
			}
		}
		return nil
	})
	if err == nil && p.Fixed != "" && engine.HasStrategy(o.twin) {
		err = withProgram(ctx, p.options(p.Fixed), func(prog *engine.Program) (err error) {
			r.Twin, err = seek(ctx, prog, o.twin, 0, o)
			return err
		})
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

func withProgram(ctx context.Context, opt engine.FindOptions, do func(*engine.Program) error) error {
	prog, err := engine.OpenProgram(ctx, opt)
	if err != nil {
		return err
	}
	defer prog.Close()
	return do(prog)
}

func seek(ctx context.Context, prog *engine.Program, strategy string, seed uint64, o options) (*trial, error) {
	s, err := prog.Seek(ctx, engine.SeekOptions{Strategy: strategy, Seed: seed, Schedules: o.schedules, Budget: o.budget})
	if err != nil {
		return nil, err
	}
	return &trial{Seed: seed, Status: s.Status, Kind: s.Kind, Reason: s.Reason, Attempts: s.Attempts, Seconds: s.Took.Seconds()}, nil
}
