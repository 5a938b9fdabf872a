package synth

import (
	"fmt"
	"go/types"
	"math"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// native is what is done in place of functions whose bodies are not executed but
// whose results follow from their arguments, or matter to nobody.
func native(name string) handler {
	switch name {
	case "errors.Is":
		return func(f *frame, _ *ssa.Function, args []value) value { return f.isError(args[0], args[1], 0) }
	case "fmt.Sprintf", "fmt.Sprint", "fmt.Sprintln":
		return func(f *frame, _ *ssa.Function, args []value) value {
			f.skip()
			return printed(name, args)
		}
	case "sort.Slice", "sort.SliceStable":
		return sortSlice
	case "fmt.Errorf":
		return func(f *frame, fn *ssa.Function, args []value) value {
			f.skip()
			return iface{t: f.e.p.runtimeErrorType(), v: wrapping(args)}
		}
	case "fmt.Print", "fmt.Println", "fmt.Printf", "fmt.Fprint", "fmt.Fprintln", "fmt.Fprintf":
		return func(f *frame, _ *ssa.Function, _ []value) value {
			f.skip()
			return tuple{unknown{"what " + name + " returns"}, iface{}}
		}
	case "log.Print", "log.Println", "log.Printf":
		return func(f *frame, _ *ssa.Function, _ []value) value { f.skip(); return nil }
	case "log.Fatal", "log.Fatalf", "log.Fatalln":
		return func(f *frame, fn *ssa.Function, _ []value) value {
			f.skip()
			return exit(f, fn, []value{int64(1)}) // nothing deferred runs
		}
	case "log.Panic", "log.Panicf", "log.Panicln":
		return func(f *frame, _ *ssa.Function, _ []value) value {
			f.skip()
			panic(goPanic{iface{t: types.Typ[types.String], v: name}})
		}
	case "internal/bytealg.IndexByteString", "internal/bytealg.CountString":
		return func(f *frame, _ *ssa.Function, args []value) value {
			s, ok1 := args[0].(string)
			c, ok2 := args[1].(int64)
			switch {
			case !ok1 || !ok2:
				return unknown{"an index"}
			case strings.HasSuffix(name, "CountString"):
				return int64(strings.Count(s, string([]byte{byte(c)})))
			}
			return int64(strings.IndexByte(s, byte(c)))
		}
	}
	if fn, ok := mathFuncs[name]; ok {
		return func(_ *frame, _ *ssa.Function, args []value) value {
			x, ok := args[0].(float64)
			if !ok {
				return args[0]
			}
			return fn(x)
		}
	}
	return nil
}

var mathFuncs = map[string]func(float64) float64{
	"math.Abs": math.Abs, "math.Sqrt": math.Sqrt, "math.Floor": math.Floor, "math.Ceil": math.Ceil,
	"math.Log": math.Log, "math.Exp": math.Exp, "math.Sin": math.Sin, "math.Cos": math.Cos, "math.Trunc": math.Trunc, "math.Round": math.Round,
}

// wrapped is an error that fmt.Errorf made of others. Its text is not known.
type wrapped struct{ errs []value }

// wrapping keeps all errors among the arguments if the format wraps one: of others
// nobody learns that they were there.
func wrapping(args []value) value {
	format, ok := args[0].(string)
	list, known := args[1].(slice)
	if !ok || !known {
		return unknown{"what fmt.Errorf wraps"}
	}
	w := &wrapped{}
	for _, a := range list.arr {
		if x, ok := a.(iface); ok && x.t != nil && strings.Contains(format, "%w") && isErrorType(x.t) {
			w.errs = append(w.errs, x)
		}
	}
	if len(w.errs) != strings.Count(format, "%w") {
		return unknown{"what fmt.Errorf wraps"}
	}
	return w
}

func isErrorType(t types.Type) bool {
	return types.Implements(t, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
}

// isError is errors.Is, whose own code asks package reflect.
func (f *frame) isError(err, target value, depth int) value {
	x, ok := err.(iface)
	if !ok || depth > 100 {
		return unknown{"what errors.Is returns"}
	}
	if x.t == nil {
		return equal(x, target)
	}
	switch v := x.v.(type) {
	case unknown:
		return v
	case *wrapped:
		if equal(x, target) {
			return true
		}
		for _, e := range v.errs {
			if r := f.isError(e, target, depth+1); r != false {
				return r
			}
		}
		return false
	}
	if types.Comparable(x.t) && equal(x, target) {
		return true
	}
	if is := f.methodNamed(x, "Is"); is != nil {
		switch r := f.run1(callee{fn: is, args: []value{copied(x.v), target}}, nil, nil).(type) {
		case bool:
			if r {
				return true
			}
		default:
			return r
		}
	}
	unwrap := f.methodNamed(x, "Unwrap")
	if unwrap == nil {
		return false
	}
	switch inner := f.run1(callee{fn: unwrap, args: []value{copied(x.v)}}, nil, nil).(type) {
	case iface:
		if inner.t == nil {
			return false
		}
		return f.isError(inner, target, depth+1)
	case slice:
		for _, e := range inner.arr {
			if r := f.isError(e, target, depth+1); r != false {
				return r
			}
		}
		return false
	}
	return unknown{"what errors.Is returns"}
}

// methodNamed is a method of a dynamic type; nil if it has none of that name.
func (f *frame) methodNamed(x iface, name string) *ssa.Function {
	sel := f.e.p.ssa.MethodSets.MethodSet(x.t).Lookup(nil, name)
	if sel == nil || types.IsInterface(x.t) {
		return nil
	}
	return f.e.p.ssa.MethodValue(sel)
}

// inserted is how many elements package sort sorts by insertion.
const inserted = 12

// sortSlice sorts by insertion. Package sort swaps by reflection, and leaves equal ones
// among many in any order.
func sortSlice(f *frame, fn *ssa.Function, args []value) value {
	x, ok := args[0].(iface)
	if !ok {
		f.notKnown(args[0])
	}
	s, ok := x.v.(slice)
	less, known := args[1].(*closure)
	if !ok || !known || less == nil {
		panic(unmodelled{"what sort.Slice sorts"})
	}
	before := func(i, j int) bool {
		is, ok := f.run1(callee{fn: less.fn, env: less.env, args: []value{int64(i), int64(j)}}, nil, nil).(bool)
		if !ok {
			panic(unmodelled{"an order of elements"})
		}
		return is
	}
	for i := 1; i < len(s.arr); i++ {
		for j := i; j > 0; j-- {
			if !before(j, j-1) {
				break
			}
			a, b := copied(s.arr[j]), copied(s.arr[j-1])
			assign(&s.arr[j], b)
			assign(&s.arr[j-1], a)
		}
	}
	for i := 1; i < len(s.arr) && len(s.arr) > inserted && fn.Name() == "Slice"; i++ {
		if !before(i-1, i) {
			panic(unmodelled{"the order in which sort.Slice leaves equal elements"})
		}
	}
	return nil
}

// typed is a scalar as a Go value of its own type, of which fmt may tell; false if it is
// none.
func typed(x iface) (any, bool) {
	b := basic(x.t)
	switch v := x.v.(type) {
	case int64:
		switch b.Kind() {
		case types.Int:
			return int(v), true
		case types.Int8:
			return int8(v), true
		case types.Int16:
			return int16(v), true
		case types.Int32:
			return int32(v), true
		case types.Uint:
			return uint(v), true
		case types.Uint8:
			return uint8(v), true
		case types.Uint16:
			return uint16(v), true
		case types.Uint32:
			return uint32(v), true
		case types.Uint64:
			return uint64(v), true
		case types.Uintptr:
			return uintptr(v), true
		}
		return v, true
	case float64:
		if b.Kind() == types.Float32 {
			return float32(v), true
		}
		return v, true
	case string, bool:
		return v, true
	}
	return nil, false
}

// printed is what fmt makes of scalars and texts of types without methods.
func printed(name string, args []value) value {
	format := ""
	if name == "fmt.Sprintf" {
		s, ok := args[0].(string)
		if !ok {
			return unknown{"what " + name + " returns"}
		}
		format = s
	}
	list, ok := args[len(args)-1].(slice)
	if !ok {
		return unknown{"what " + name + " returns"}
	}
	var in []any
	for _, a := range list.arr {
		x, ok := a.(iface)
		if !ok || x.t == nil {
			return unknown{"what " + name + " returns"}
		}
		if b, plain := x.t.(*types.Basic); !plain || b.Kind() == types.UnsafePointer {
			return unknown{"what " + name + " returns"}
		}
		v, ok := typed(x)
		if !ok {
			return unknown{"what " + name + " returns"}
		}
		in = append(in, v)
	}
	switch name {
	case "fmt.Sprint":
		return fmt.Sprint(in...)
	case "fmt.Sprintln":
		return fmt.Sprintln(in...)
	}
	if strings.Contains(format, "%T") || strings.Contains(format, "#v") {
		return unknown{"what " + name + " returns"}
	}
	return fmt.Sprintf(format, in...)
}
