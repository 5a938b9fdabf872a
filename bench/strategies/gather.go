package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/hocket-dev/hocket/bench/cortex"
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

func gather(ctx context.Context, tmp string, o options) ([]*group, error) {
	var all []*group
	for _, part := range []struct {
		wanted bool
		make   func(context.Context, string, options) (*group, error)
	}{{o.cortex, fromCortex}, {o.cases != "", fromCases}, {o.kernels > 0, fromKernels}} {
		if !part.wanted {
			continue
		}
		g, err := part.make(ctx, tmp, o)
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

func fromCortex(_ context.Context, tmp string, _ options) (*group, error) {
	all, err := cortex.Programs(filepath.Join(tmp, "cortex"), "")
	if err != nil {
		return nil, err
	}
	g := &group{name: "Cortex, Table 3", paper: true}
	for _, p := range all {
		g.programs = append(g.programs, program{Name: p.Name, Dir: p.Dir, Fixed: p.Fixed, entry: p.Entry,
			Paper: &paper{p.Paper.Cortex, p.Paper.MCR, p.Paper.ICBDPOR}})
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
	// They ask for the leak profile by name; up to Go 1.26 it is an experiment.
	g := &group{name: "kernels", env: "GOEXPERIMENT", value: "goroutineleakprofile"}
	for _, k := range spread(all, o.kernels) {
		g.programs = append(g.programs, program{Name: k.Name, Dir: dir, args: []string{k.Name}})
	}
	return g, nil
}

// spread takes n of a list, evenly over it.
func spread[T any](all []T, n int) []T {
	if n >= len(all) {
		return all
	}
	some := make([]T, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}
