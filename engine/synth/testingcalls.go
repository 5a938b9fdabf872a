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
		f.fails(args[0])
	case "Fatal", "Fatalf", "FailNow":
		f.skip()
		f.fails(args[0])
		panic(goexit{})
	case "Skip", "Skipf", "SkipNow":
		f.skip()
		panic(goexit{})
	case "Helper", "Log", "Logf":
		f.skip()
	case "Cleanup":
		f.skip()
		if c, ok := args[1].(*closure); ok && c != nil {
			of := f.e.test1(f.pointer(args[0]).in)
			of.cleanups = append(of.cleanups, callee{fn: c.fn, env: c.env, does: c.does})
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

// testState is what is known of a test or subtest.
type testState struct {
	parent   *testState
	failed   bool
	cleanups []callee
}

// test1 is the state of the test whose testing.T is an allocation.
func (e *execution) test1(t *allocation) *testState {
	s := e.tests[t]
	if s == nil {
		s = &testState{}
		e.tests[t] = s
	}
	return s
}

// fails marks a test, and those that it is part of.
func (f *frame) fails(t value) {
	for s := f.e.test1(f.pointer(t).in); s != nil; s = s.parent {
		s.failed = true
	}
	f.g.t.Errorf("failed")
}

// test runs a test function, and what it has asked for at its end.
func (e *execution) test(f *frame, fn *ssa.Function) {
	t := newTest(elem(fn.Params[0].Type()))
	defer f.cleanUp(t)
	f.run1(callee{fn: fn, args: []value{t}}, nil, nil)
}

// cleanUp runs what a test has asked for at its end.
func (f *frame) cleanUp(t ptr) {
	s := f.e.test1(t.in)
	for len(s.cleanups) > 0 {
		last := s.cleanups[len(s.cleanups)-1]
		s.cleanups = s.cleanups[:len(s.cleanups)-1]
		f.run1(last, nil, nil)
	}
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
	state := f.e.test1(sub.in)
	state.parent = f.e.test1(f.pointer(args[0]).in)
	f.at()
	f.spawn(func(g *frame) {
		g.g.t.Skip(before.child)
		defer func() {
			g.at()
			g.g.t.Send(done, 0)
		}()
		defer g.cleanUp(sub)
		g.run1(callee{fn: c.fn, env: c.env, args: []value{sub}}, nil, nil)
	})
	f.at()
	f.g.t.Recv(done)
	f.g.t.Skip(within - before.parent - 2)
	return !state.failed
}
