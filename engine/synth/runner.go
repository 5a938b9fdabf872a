package synth

import (
	"context"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// execute runs the program under a schedule. Hot places are numbers of spots, as
// sim.Site has them.
func (p *Program) execute(ctx context.Context, spec run.Spec) (*run.Result, *execution, error) {
	e := &execution{p: p, globals: map[*ssa.Global]ptr{}, cells: map[cellKey]*sim.Cell{}, syncs: map[cellKey]any{}, calls: map[lineKey]int{}, tests: map[*allocation]*testState{}}
	spec.Schedule.Hot = p.switchable(spec.Schedule.Hot)
	r, err := sim.New(e.main).Run(ctx, spec)
	return r, e, err
}

// main is the program's first goroutine. What comes before the entry, and of a test
// what package testing does, is not executed; its switch points are counted.
func (e *execution) main(t *sim.Thread) {
	e.goroutine(t, func(f *frame) {
		f.g.quiet++
		f.initialise(e.p.entry.Pkg)
		f.g.quiet--
		t.Children(e.p.fit.children)
		t.Skip(e.p.fit.before)
		if e.p.src.Main {
			f.call(e.p.entry, nil, nil, nil)
			return
		}
		done := t.NamedChan(sim.Object{Name: "testing.T.signal"}, 1)
		t.Place("testing.tRunner", "testing.go", 0, 0)
		f.spawn(func(g *frame) {
			g.g.t.Skip(e.p.fit.inTest)
			defer func() { g.g.t.Send(done, 0) }()
			e.test(g, e.p.entry)
		})
		t.Recv(done)
	})
}

// initialise runs what a package and those that it imports do before main. Where that
// depends on what is not modelled, the package's variables are unknown.
func (f *frame) initialise(pkg *ssa.Package) value {
	fn := pkg.Func("init")
	if fn == nil || !f.e.p.built[pkg] {
		return nil
	}
	depth := f.g.depth
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		u, ok := r.(unmodelled)
		if !ok {
			panic(r)
		}
		f.g.depth = depth
		for name, m := range pkg.Members {
			if g, ok := m.(*ssa.Global); ok && name != "init$guard" {
				*f.e.global(g).p = unknown{"the variable " + g.String() + ", whose value depends on " + u.why}
			}
		}
	}()
	return f.call(fn, nil, nil, nil)
}
