package synth

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
)

// testingCall is a method of testing.T. A test that ends itself unwinds its
// goroutine as runtime.Goexit does.
func testingCall(f *frame, fn *ssa.Function, args []value) value {
	switch fn.Name() {
	case "Error", "Errorf", "Fail":
		f.skip()
		f.g.t.Errorf("failed")
	case "Fatal", "Fatalf", "FailNow":
		f.skip()
		f.g.t.Errorf("failed")
		panic(goexit{})
	case "Skip", "Skipf", "SkipNow":
		f.skip()
		panic(goexit{})
	case "Helper", "Log", "Logf":
		f.skip()
	case "Cleanup":
		f.skip()
		if c, ok := args[1].(*closure); ok && c != nil {
			f.e.cleanups = append(f.e.cleanups, func() { f.run1(callee{fn: c.fn, env: c.env, does: c.does}, nil, nil) })
		}
	case "Run":
		return f.subtest(args)
	case "Name":
		return unknown{"a test's name"}
	default:
		panic(unmodelled{"testing.T." + fn.Name()})
	}
	return nil
}

// test runs a test function, and what it has asked for at its end.
func (e *execution) test(f *frame, fn *ssa.Function) {
	defer func() {
		for len(e.cleanups) > 0 {
			last := e.cleanups[len(e.cleanups)-1]
			e.cleanups = e.cleanups[:len(e.cleanups)-1]
			last()
		}
	}()
	f.run1(callee{fn: fn, args: []value{newTest(elem(fn.Params[0].Type()))}}, nil, nil)
}

func newTest(t types.Type) ptr {
	v := zero(t)
	return ptr{p: &v, in: &allocation{name: "testing.T", local: true}}
}

// subtest is T.Run: a goroutine of its own, which is waited for.
func (f *frame) subtest(args []value) value {
	c, ok := args[2].(*closure)
	if !ok || c == nil || c.fn == nil {
		f.notKnown(args[2])
	}
	s := f.spot()
	at := lineKey{s.file, s.line}
	before, within := f.e.p.fit.spawns[at], f.e.inside(at)
	f.at()
	f.g.t.Skip(before.parent)
	done := f.g.t.NamedChan(sim.Object{Name: f.allocate(f.in, true).name + ".signal"}, 1)
	sub := newTest(elem(c.fn.Params[0].Type()))
	failed := false
	f.at()
	f.spawn(func(g *frame) {
		g.g.t.Skip(before.child)
		ended := false
		defer func() {
			failed = !ended
			g.at()
			g.g.t.Send(done, 0)
		}()
		g.run1(callee{fn: c.fn, env: c.env, args: []value{sub}}, nil, nil)
		ended = true
	})
	f.at()
	f.g.t.Recv(done)
	f.g.t.Skip(within - before.parent - 2)
	return !failed
}
