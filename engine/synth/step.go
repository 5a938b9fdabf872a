package synth

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// What comes after an instruction: the next one, the caller, or the successor of the
// block with that number.
const (
	goOn     = -1
	returned = -2
)

// step executes one instruction.
func (f *frame) step(in ssa.Instruction) int {
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef:
	case *ssa.Jump:
		return 0
	case *ssa.If:
		return f.branch(in)
	case *ssa.Return:
		f.result = f.results(in)
		return returned
	case *ssa.Panic:
		panic(goPanic{f.get(in.X)})
	case *ssa.RunDefers:
		f.runDefers()
	case *ssa.Store:
		f.store(f.get(in.Addr), in.Val.Type(), f.get(in.Val))
	case *ssa.MapUpdate:
		f.mapUpdate(f.get(in.Map), f.get(in.Key), f.get(in.Value))
	case *ssa.Send:
		f.send(f.get(in.Chan), f.get(in.X))
	case *ssa.Go:
		f.start(&in.Call)
	case *ssa.Defer:
		f.deferCall(in)
	case ssa.Value:
		f.env[in] = f.eval(in)
	default:
		panic(unmodelled{fmt.Sprintf("an instruction of type %T", in)})
	}
	return goOn
}

// branch notes the outcome of a condition.
func (f *frame) branch(in *ssa.If) int {
	c, ok := f.get(in.Cond).(bool)
	if !ok {
		f.notKnown(f.get(in.Cond))
	}
	if f.g.quiet == 0 {
		f.e.branches = append(f.e.branches, branch{f.e.p.spotOf(in).number, c})
	}
	if c {
		return 0
	}
	return 1
}

func (f *frame) results(in *ssa.Return) value {
	switch len(in.Results) {
	case 0:
		return nil
	case 1:
		return f.get(in.Results[0])
	}
	t := make(tuple, len(in.Results))
	for i, r := range in.Results {
		t[i] = f.get(r)
	}
	return t
}

// eval executes an instruction that has a value.
func (f *frame) eval(in ssa.Value) value {
	switch in := in.(type) {
	case *ssa.Alloc:
		v := zero(in.Type().Underlying().(*types.Pointer).Elem())
		return ptr{p: &v, in: f.allocate(in, !in.Heap || f.e.p.byValue(in))}
	case *ssa.BinOp:
		return f.binop(in)
	case *ssa.UnOp:
		return f.unop(in)
	case *ssa.Call:
		return f.callInstr(in)
	case *ssa.FieldAddr:
		return f.fieldAddr(in)
	case *ssa.IndexAddr:
		return f.indexAddr(in)
	case *ssa.Field:
		s, ok := f.get(in.X).(structure)
		if !ok {
			return f.get(in.X)
		}
		return s[in.Field]
	case *ssa.Index:
		return f.index(f.get(in.X), f.get(in.Index))
	case *ssa.Extract:
		t, ok := f.get(in.Tuple).(tuple)
		if !ok {
			return f.get(in.Tuple) // unknown, and so are its parts
		}
		return t[in.Index]
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MultiConvert:
		return f.get(*in.(ssa.Instruction).Operands(nil)[0])
	case *ssa.Convert:
		return convert(f.get(in.X), in.X.Type(), in.Type())
	case *ssa.MakeInterface:
		return iface{in.X.Type(), copied(f.get(in.X))}
	case *ssa.MakeClosure:
		c := &closure{fn: in.Fn.(*ssa.Function)}
		for _, b := range in.Bindings {
			c.env = append(c.env, f.get(b))
		}
		return c
	case *ssa.MakeChan:
		return f.makeChan(in)
	case *ssa.MakeMap:
		return &mapping{in: f.allocate(in, false), at: map[any]int{}}
	case *ssa.MakeSlice:
		return f.makeSlice(in)
	case *ssa.Slice:
		return f.slice(in)
	case *ssa.SliceToArrayPointer:
		return unknown{"a conversion of a slice to an array"}
	case *ssa.TypeAssert:
		return f.typeAssert(in)
	case *ssa.Lookup:
		return f.lookup(in)
	case *ssa.Range:
		return f.rangeOver(f.get(in.X))
	case *ssa.Next:
		return f.next(in)
	case *ssa.Select:
		return f.selects(in)
	}
	panic(unmodelled{fmt.Sprintf("an instruction of type %T", in)})
}

func (f *frame) index(x, i value) value {
	n, ok := i.(int64)
	if !ok {
		return unknown{"an element at an index that is not known"}
	}
	size := 0
	switch x := x.(type) {
	case array:
		size = len(x)
	case string:
		size = len(x)
	default:
		return x
	}
	if n < 0 || n >= int64(size) {
		f.runtimeError(fmt.Sprintf("index out of range [%d] with length %d", n, size))
	}
	if s, ok := x.(string); ok {
		return int64(s[n])
	}
	return x.(array)[n]
}

// number is an operand that must be known.
func (f *frame) number(v ssa.Value, orElse int) int {
	if v == nil {
		return orElse
	}
	n, ok := f.get(v).(int64)
	if !ok {
		f.notKnown(f.get(v))
	}
	return int(n)
}

const largest = 1 << 16 // elements of a slice

func (f *frame) makeSlice(in *ssa.MakeSlice) value {
	n, c := f.number(in.Len, 0), f.number(in.Cap, 0)
	if n < 0 || c < n {
		f.runtimeError("makeslice: len out of range")
	}
	if c > largest {
		panic(unmodelled{"a large slice"})
	}
	t := in.Type().Underlying().(*types.Slice).Elem()
	arr := make([]value, c)
	for i := range arr {
		arr[i] = zero(t)
	}
	return slice{arr: arr[:n], in: f.allocate(in, false)}
}

func (f *frame) slice(in *ssa.Slice) value {
	lo := f.number(in.Low, 0)
	outside := func(hi, c int) {
		if lo < 0 || hi < lo || hi > c {
			f.runtimeError("slice bounds out of range")
		}
	}
	switch x := f.get(in.X).(type) {
	case string:
		hi := f.number(in.High, len(x))
		outside(hi, len(x))
		return x[lo:hi]
	case slice:
		hi := f.number(in.High, len(x.arr))
		most := f.number(in.Max, cap(x.arr))
		outside(hi, most)
		size := sizes.Sizeof(in.Type().Underlying().(*types.Slice).Elem())
		return slice{x.arr[lo:hi:most], x.in, x.off + int64(lo)*size}
	case ptr:
		p := f.pointer(x)
		a := []value(f.arrayAt(p))
		hi := f.number(in.High, len(a))
		most := f.number(in.Max, len(a))
		outside(hi, most)
		size := sizes.Sizeof(in.Type().Underlying().(*types.Slice).Elem())
		return slice{a[lo:hi:most], p.in, p.off + int64(lo)*size}
	case unknown:
		return x
	}
	panic(unmodelled{"a slice expression"})
}

// mayBe is true of types that a runtime error, or what fmt.Errorf returns, may have
// besides error: other interfaces, and the runtime's own types.
func (f *frame) mayBe(t types.Type) bool {
	if to, ok := t.Underlying().(*types.Interface); ok {
		return !types.Implements(f.e.p.runtimeErrorType(), to)
	}
	n := t
	if p, ok := t.(*types.Pointer); ok {
		n = p.Elem()
	}
	named, ok := types.Unalias(n).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "runtime"
}

func (f *frame) typeAssert(in *ssa.TypeAssert) value {
	x, ok := f.get(in.X).(iface)
	if !ok {
		f.notKnown(f.get(in.X))
	}
	if x.t != nil && x.t == f.e.p.runtimeErrorType() && f.mayBe(in.AssertedType) {
		panic(unmodelled{"which type an error has"})
	}
	v, fits := value(nil), false
	if to, ok := in.AssertedType.Underlying().(*types.Interface); ok {
		fits = x.t != nil && types.Implements(x.t, to)
		if v = (iface{}); fits {
			v = x
		}
	} else if fits = x.t != nil && types.Identical(x.t, in.AssertedType); fits {
		v = copied(x.v)
	} else {
		v = zero(in.AssertedType)
	}
	if in.CommaOk {
		return tuple{v, fits}
	}
	if !fits {
		f.runtimeError("interface conversion")
	}
	return v
}
