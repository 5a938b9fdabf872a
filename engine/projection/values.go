package projection

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// value is what an event read or wrote, as Go prints it; "" if it is not known.
func (r *run) value(i int) string {
	e := &r.events[i]
	if !e.HasValue || e.Obj == 0 || int(e.Obj) >= len(r.Objects) || !e.Op.IsMemory() || e.Op == trace.OpAtomicCAS {
		return ""
	}
	o := &r.Objects[e.Obj]
	return format(e.Value, kindOf(o), o.Type, valueSize(e, o))
}

// changed reports whether an event wrote another value than an earlier one had read there:
// any write does of which both are not known.
func (r *run) changed(read, write int) bool {
	was, is := r.value(read), r.value(write)
	same := was != "" && was == is && (!strings.HasPrefix(is, "&") || r.events[read].Value == r.events[write].Value)
	return r.events[write].Writes() && !same
}

// value is that of an event, "" inside the standard library, whose variables users
// don't know.
func (a *analysis) value(r *run, i int) string {
	if st := r.stack(i); len(st) > 0 && a.isStd(st[0]) {
		return ""
	}
	return r.value(i)
}

// valueSize is how many bytes of an event's value are its own. That a plain access is of
// one byte is said of those of which the size is not known, too: there the variable's
// counts.
func valueSize(e *trace.Event, o *trace.Object) int {
	switch {
	case isPlain(e.Op) && e.Aux > 1 && e.Aux <= 8:
		return int(e.Aux)
	case o.Size >= 1 && o.Size <= 8:
		return o.Size
	case isPlain(e.Op) && e.Aux == 1 && narrow[kindOf(o)]:
		return 1
	}
	return 8
}

// narrow are the kinds of one byte.
var narrow = map[string]bool{"bool": true, "int8": true, "uint8": true, "byte": true}

// kindOf is reflect's kind of an object, from its type where the trace has none.
func kindOf(o *trace.Object) string {
	typ, _, _ := strings.Cut(strings.TrimPrefix(o.Type, "sync/"), "[")
	switch {
	case o.Elem == trace.MapHeader:
		return "map header"
	case typ == "atomic.Value":
		return "interface"
	case typ == "atomic.Bool":
		return "bool"
	case typ == "atomic.Pointer":
		return "ptr"
	case o.Elem != "" && o.Elem != "struct":
		return o.Elem
	}
	for _, k := range typeKinds {
		if strings.HasPrefix(o.Type, k.start) {
			return k.kind
		}
	}
	if o.Type == "any" || o.Type == "error" {
		return "interface"
	}
	if name, ok := strings.CutPrefix(typ, "atomic."); ok {
		return strings.ToLower(name)
	}
	return o.Type
}

// typeKinds are the kinds of types that begin so.
var typeKinds = []struct{ start, kind string }{
	{"*", "ptr"}, {"[]", "slice"}, {"map[", "map"}, {"chan ", "chan"}, {"<-chan ", "chan"}, {"chan<- ", "chan"}, {"func(", "func"},
	{"interface ", "interface"}, {"unsafe.Pointer", "unsafe.Pointer"},
}

// format writes a value of a kind; "" for what is not recorded: the bytes of a string,
// the length of a slice, the address of anything.
func format(v uint64, kind, typ string, size int) string {
	shift := uint(64 - 8*size)
	switch kind {
	case "bool":
		return strconv.FormatBool(v&0xff != 0)
	case "int", "int8", "int16", "int32", "int64", "rune":
		return strconv.FormatInt(int64(v<<shift)>>shift, 10)
	case "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "byte":
		return strconv.FormatUint(v<<shift>>shift, 10)
	case "float64":
		return strconv.FormatFloat(math.Float64frombits(v), 'g', -1, 64)
	case "float32":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(v))), 'g', -1, 32)
	case "string":
		if v == 0 {
			return `""`
		}
	case "ptr", "unsafe.Pointer", "interface", "chan", "map", "func", "slice":
		if v == 0 {
			return "nil"
		}
		return pointee(kind, typ)
	}
	return ""
}

// pointee writes a pointer that is not nil by its type: "&conn{...}".
func pointee(kind, typ string) string {
	if kind != "ptr" {
		return ""
	}
	typ = strings.TrimPrefix(strings.TrimPrefix(typ, "sync/"), "atomic.Pointer")
	typ = strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(typ, "["), "]"), "*")
	if name, _, _ := strings.Cut(typ, "["); isStructName(name) {
		return fmt.Sprintf("&%s{...}", name[strings.LastIndexByte(name, '.')+1:])
	}
	return ""
}

// isStructName is true of a qualified name: that of no basic type.
func isStructName(name string) bool {
	return strings.Contains(name, ".") && !strings.ContainsAny(name, " []*(){}")
}

// opaque reports whether an event's value is an address or part of one, which
// differs between runs without meaning anything.
func (a *analysis) opaque(e *trace.Event) bool {
	if !e.HasValue || e.Obj == 0 || int(e.Obj) >= len(a.fail.Objects) {
		return true
	}
	o := &a.fail.Objects[e.Obj]
	s := format(e.Value, kindOf(o), o.Type, valueSize(e, o))
	return e.Value != 0 && (s == "" || strings.HasPrefix(s, "&"))
}

// inWords is the value of an entry within a sentence: what a pointer leads to with the
// line where that was made.
func (a *analysis) inWords(e entry) string {
	v := a.value(e.r, e.ev)
	if !strings.HasPrefix(v, "&") {
		return v
	}
	v = "`" + v + "`"
	addr, made := e.r.events[e.ev].Value, -1
	for i, o := range e.r.Objects {
		if o.Addr == addr && o.Alloc != 0 && o.Born <= e.ev && (made < 0 || o.Born > e.r.Objects[made].Born) {
			made = i
		}
	}
	if made < 0 {
		return v
	}
	if at := a.userFrames(e.r.stackOf(e.r.Objects[made].Alloc)); len(at) > 0 && at[0] != a.shown(e) {
		return v + " of " + a.lineOf(at[0], true)
	}
	return v
}
