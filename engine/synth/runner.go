package synth

import (
	"context"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// Run executes the program under a schedule; it implements run.Runner. Hot places are
// numbers of spots, as sim.Site has them; those of which no run of the real program
// has shown an access are none. Not safe for concurrent use.
func (p *Program) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	r, _, err := p.execute(ctx, spec)
	return r, err
}

// Made is what a run of the model adds to its result.
type Made struct {
	Branches []Branch // in the order of the run
	Why      string   // the run has no verdict; "" if it has
	Steps    int      // instructions
}

func (p *Program) execute(ctx context.Context, spec run.Spec) (*run.Result, *execution, error) {
	e := &execution{p: p, globals: map[*ssa.Global]ptr{}, cells: map[cellKey]*sim.Cell{}, syncs: map[cellKey]any{}, calls: map[call]int{}}
	spec.Schedule.Hot = p.switchable(spec.Schedule.Hot)
	r, err := sim.New(e.main).Run(ctx, spec)
	return r, e, err
}

// Execute is Run, and says what the run was made of.
func (p *Program) Execute(ctx context.Context, spec run.Spec) (*run.Result, Made, error) {
	r, e, err := p.execute(ctx, spec)
	return r, Made{e.branches, e.failed, e.steps}, err
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

// initialise runs what a package and those that it imports do before main.
func (f *frame) initialise(pkg *ssa.Package) {
	if fn := pkg.Func("init"); fn != nil && len(fn.Blocks) > 0 {
		f.call(fn, nil, nil, nil)
	}
}
