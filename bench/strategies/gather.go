package main

import (
	"context"
	"embed"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hocket-dev/hocket/bench/papers"
	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine"
)

// group is programs of one origin.
type group struct {
	name     string
	paper    bool   // its programs have figures of the paper
	env      string // variable set while its programs are built and run, "" if none
	value    string
	programs []program
}

// program is one to search.
type program struct {
	Name       string
	Dir, Fixed string // Fixed is "" if there is no twin
	entry      string // "" if there is only one
	args       []string
	Paper      *paper
}

// paper is how many schedules were tried until the failure: Cortex §6.3, Table 3.
type paper struct {
	Cortex  int `json:"cortex"`
	MCR     int `json:"mcr"`
	ICBDPOR int `json:"icb_dpor"`
}

func (p *program) options(dir string) engine.FindOptions {
	o := engine.FindOptions{Dir: dir, Args: p.args}
	if p.entry != "" {
		o.Run = "^" + p.entry + "$"
	}
	return o
}

// enter sets the group's variable; what it returns takes it back.
func (g *group) enter() (restore func()) {
	if g.env == "" {
		return func() {}
	}
	old, had := os.LookupEnv(g.env)
	os.Setenv(g.env, g.value)
	return func() {
		if had {
			os.Setenv(g.env, old)
		} else {
			os.Unsetenv(g.env)
		}
	}
}

// origin is where a table's programs come from.
type origin struct {
	name   string // for -tables
	gather func(ctx context.Context, tmp string, o options) (*group, error)
}

var origins = []origin{{"cortex", fromCortex}, {"flips", fromFlips}, {"cases", fromCases}, {"kernels", fromKernels}}

// gather lays out the programs that are wanted, by table.
func gather(ctx context.Context, tmp string, o options) ([]*group, error) {
	var all []*group
	for _, from := range origins {
		if !slices.Contains(o.tables, from.name) || from.name == "cases" && o.cases == "" {
			continue
		}
		g, err := from.gather(ctx, tmp, o)
		if err != nil {
			return nil, err
		}
		if len(o.only) > 0 {
			g.programs = slices.DeleteFunc(g.programs, func(p program) bool { return !slices.Contains(o.only, p.Name) })
		}
		if len(g.programs) > 0 {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no program is selected")
	}
	return all, nil
}

func fromCortex(_ context.Context, tmp string, _ options) (*group, error) {
	all, err := papers.Programs(filepath.Join(tmp, "cortex"), "")
	if err != nil {
		return nil, err
	}
	g := &group{name: "Cortex, Table 3", paper: true}
	for _, p := range all {
		if a := p.Attempts; a != nil {
			g.programs = append(g.programs, program{Name: p.Name, Dir: p.Dir, Fixed: p.Fixed, entry: p.Entry,
				Paper: &paper{a.Cortex, a.MCR, a.ICBDPOR}})
		}
	}
	return g, nil
}

//go:embed programs
var flips embed.FS

// fromFlips are programs by the mechanisms of public reports whose failure lies behind
// at least two branches that plain runs don't take.
func fromFlips(_ context.Context, tmp string, _ options) (*group, error) {
	g := &group{name: "two branches and more"}
	names, err := flips.ReadDir("programs")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		text, err := flips.ReadFile(path.Join("programs", n.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(n.Name(), ".txtar")
		dir := filepath.Join(tmp, "flips", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		files := append(txtar.Parse(text).Files, txtar.File{Name: "go.mod", Data: []byte("module example.com/" + name + "\n\ngo 1.26\n")})
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o644); err != nil {
				return nil, err
			}
		}
		g.programs = append(g.programs, program{Name: name, Dir: dir})
	}
	return g, nil
}

// fromCases leaves out those that need weak memory.
func fromCases(_ context.Context, tmp string, o options) (*group, error) {
	all, err := programs.Cases(o.cases, "", filepath.Join(tmp, "cases"))
	if err != nil {
		return nil, err
	}
	g := &group{name: "cases"}
	for _, c := range all {
		if !c.Truth.Weak {
			g.programs = append(g.programs, program{Name: c.Name, Dir: c.Dir, Fixed: c.Fixed, entry: c.Truth.Entry})
		}
	}
	return g, nil
}

func fromKernels(ctx context.Context, tmp string, o options) (*group, error) {
	dir := filepath.Join(tmp, "kernels")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	all, err := programs.Kernels(ctx, dir)
	if err != nil {
		return nil, err
	}
	if !o.repeated {
		if err := programs.Single(dir); err != nil {
			return nil, err
		}
	}
	// They ask for the leak profile by name; up to Go 1.26 it is an experiment.
	g := &group{name: "kernels", env: "GOEXPERIMENT", value: "goroutineleakprofile"}
	for _, k := range all {
		if o.allKernels || slices.Contains(kernels, k.Name) {
			g.programs = append(g.programs, program{Name: k.Name, Dir: dir, args: []string{k.Name}})
		}
	}
	return g, nil
}
