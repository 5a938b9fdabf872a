package synth

import (
	"golang.org/x/tools/go/ssa"
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
	v := zero(elem(fn.Params[0].Type()))
	t := ptr{p: &v, in: &allocation{name: "testing.T", local: true}}
	f.call(fn, []value{t}, nil, nil)
}
