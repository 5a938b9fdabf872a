package synth

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

func (f *frame) builtin(name string, c *ssa.CallCommon, args []value) value {
	switch name {
	case "len":
		return f.length(args[0])
	case "cap":
		switch x := args[0].(type) {
		case slice:
			return int64(cap(x.arr))
		case array:
			return int64(len(x))
		case *channel:
			if x == nil {
				return int64(0)
			}
			return int64(x.cap)
		}
		return unknown{"the result of cap"}
	case "append":
		return f.append(c, args)
	case "copy":
		return f.copySlice(c, args)
	case "delete":
		if m := f.mapOf(args[0]); m != nil {
			f.mapAccess(m, true)
			m.remove(args[1])
		}
		return nil
	case "clear":
		return f.clear(c, args[0])
	case "close":
		f.close(args[0])
		return nil
	case "panic":
		panic(goPanic{args[0]})
	case "recover":
		return f.recovered()
	case "print", "println":
		return nil
	case "min", "max":
		return f.extreme(name, c, args)
	case "ssa:wrapnilchk":
		f.pointer(args[0])
		return args[0]
	}
	panic(unmodelled{"the builtin " + name})
}

func (f *frame) length(v value) value {
	switch x := v.(type) {
	case string:
		return int64(len(x))
	case slice:
		return int64(len(x.arr))
	case array:
		return int64(len(x))
	case *mapping:
		f.mapAccess(x, false)
		if x == nil {
			return int64(0)
		}
		return int64(x.n)
	case *channel:
		return f.channelLen(x)
	case ptr:
		if a, ok := (*x.p).(array); ok {
			return int64(len(a))
		}
	case unknown:
		return x
	}
	return unknown{"a length"}
}

// append writes what it adds; the capacity that it makes is Go's for small slices.
func (f *frame) append(c *ssa.CallCommon, args []value) value {
	x, ok := args[0].(slice)
	if !ok {
		return args[0]
	}
	var more []value
	var from slice
	switch y := args[1].(type) {
	case slice:
		more, from = y.arr, y
	case string:
		for i := range len(y) {
			more = append(more, int64(y[i]))
		}
	default:
		return args[1]
	}
	t := c.Args[0].Type().Underlying().(*types.Slice).Elem()
	size := sizes.Sizeof(t)
	n := len(x.arr) + len(more)
	if len(more) == 0 {
		return x
	}
	if n > largest {
		panic(unmodelled{"a large slice"})
	}
	out := x
	if n > cap(x.arr) {
		room := grown(cap(x.arr), n, size)
		arr := make([]value, n, room)
		for i := range x.arr {
			arr[i] = copied(x.arr[i])
		}
		for i := n; i < room; i++ {
			arr[:room][i] = zero(t)
		}
		for i := len(x.arr); i < n; i++ {
			arr[i] = zero(t)
		}
		out = slice{arr: arr, in: f.allocate(f.in, false)}
	} else {
		out.arr = x.arr[:n]
	}
	// What is listed is stored one by one; what another slice has is moved at once.
	listed, begun := from.in == nil || from.in.local, false
	for i, v := range more {
		if !listed {
			v = f.part(ptr{&from.arr[i], from.in, from.off + int64(i)*size}, t, false, nil)
		}
		at := ptr{&out.arr[len(x.arr)+i], out.in, out.off + int64(len(x.arr)+i)*size}
		if listed || !begun {
			f.store(at, t, v)
		} else {
			f.part(at, t, true, v)
		}
		begun = true
	}
	return out
}

// classes are the sizes of small allocations (runtime/sizeclasses.go).
var classes = []int64{8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352, 384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864, 5120, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768}

// grown is the capacity that append makes (runtime.growslice).
func grown(old, n int, size int64) int {
	room := n
	if n <= 2*old {
		switch {
		case old < 256:
			room = 2 * old
		default:
			for room = old; room < n; {
				room += (room + 3*256) >> 2
			}
		}
	}
	if size == 0 {
		return room
	}
	for _, c := range classes {
		if c >= int64(room)*size {
			return int(c / size)
		}
	}
	return room
}

func (f *frame) copySlice(c *ssa.CallCommon, args []value) value {
	to, ok := args[0].(slice)
	if !ok {
		f.notKnown(args[0])
	}
	t := c.Args[0].Type().Underlying().(*types.Slice).Elem()
	size := sizes.Sizeof(t)
	var vs []value
	switch from := args[1].(type) {
	case slice:
		for i := range min(len(to.arr), len(from.arr)) {
			vs = append(vs, f.load(ptr{&from.arr[i], from.in, from.off + int64(i)*size}, t))
		}
	case string:
		for i := range min(len(to.arr), len(from)) {
			vs = append(vs, int64(from[i]))
		}
	default:
		f.notKnown(args[1])
	}
	for i, v := range vs {
		f.store(ptr{&to.arr[i], to.in, to.off + int64(i)*size}, t, v)
	}
	return int64(len(vs))
}

func (f *frame) clear(c *ssa.CallCommon, v value) value {
	switch x := v.(type) {
	case *mapping:
		if x != nil {
			f.mapAccess(x, true)
			x.at, x.keys, x.vals, x.live, x.n = map[any]int{}, nil, nil, nil, 0
		}
	case slice:
		t := c.Args[0].Type().Underlying().(*types.Slice).Elem()
		for i := range x.arr {
			f.store(ptr{&x.arr[i], x.in, x.off + int64(i)*sizes.Sizeof(t)}, t, zero(t))
		}
	default:
		f.notKnown(v)
	}
	return nil
}

func (f *frame) extreme(name string, c *ssa.CallCommon, args []value) value {
	for _, x := range args {
		if _, ok := x.(unknown); ok {
			return x
		}
	}
	best := args[0]
	u := isUnsigned(basic(c.Args[0].Type()))
	for _, x := range args[1:] {
		less := false
		switch a := x.(type) {
		case int64:
			b := best.(int64)
			if less = a < b; u {
				less = uint64(a) < uint64(b)
			}
		case float64:
			less = a < best.(float64)
		case string:
			less = a < best.(string)
		default:
			return x
		}
		if less == (name == "min") && !equal(x, best) {
			best = x
		}
	}
	return best
}
