package core

import (
	"fmt"
	"go/constant"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-delve/delve/pkg/dwarf/godwarf"
	"github.com/go-delve/delve/pkg/proc"
)

// Delve loads a variable as deep as its type goes, through slices without a bound, and
// forever through a slice that holds itself. So it is given flat things alone (flat.go);
// all else is taken apart here.

// How much of a variable Delve loads.
var (
	// flatly is for what is flat, and for slices of that.
	flatly = proc.LoadConfig{MaxVariableRecurse: 8, MaxStringLen: maxText, MaxArrayValues: maxElements, MaxStructFields: -1}
	// barely loads a header: the address and the length of a slice, the type of what is in
	// an interface, the name of a function.
	barely = proc.LoadConfig{MaxVariableRecurse: -1, MaxStringLen: maxText, MaxStructFields: -1}
	// fields loads a struct in registers with what its fields are themselves.
	fields = proc.LoadConfig{MaxVariableRecurse: 0, MaxStringLen: maxText, MaxStructFields: -1}
)

// read takes in what is at a place.
func (w *walk) read(p pending) {
	switch t := godwarf.ResolveTypedef(p.typ).(type) {
	case *godwarf.StructType:
		if !isFlat(t) {
			for _, f := range t.Field {
				w.later(pending{p.path + "." + f.Name, p.addr + uint64(f.ByteOffset), f.Type, p.most})
			}
			return
		}
	case *godwarf.ArrayType:
		if !isFlat(t) || parts(t, 0) > p.most {
			elements(p, p.addr, t.Count, t.Type, w.later)
			return
		}
	case *godwarf.SliceType:
		cfg := barely
		if isFlat(t.ElemType) {
			cfg = flatly
			cfg.MaxArrayValues = max(min(p.most/parts(t.ElemType, 0), maxElements), leastNested)
		}
		w.value(p, w.eval(p, cfg))
		return
	case *godwarf.MapType:
		w.value(p, w.eval(p, entries(t)))
		return
	case *godwarf.ChanType:
		w.channel(p, w.word(p.addr), t.ElemType)
		return
	case *godwarf.InterfaceType, *godwarf.FuncType:
		w.value(p, w.eval(p, barely))
		return
	}
	w.value(p, w.eval(p, flatly))
}

// eval loads a variable, nil if that can't be.
func (w *walk) eval(p pending, cfg proc.LoadConfig) *proc.Variable {
	return evaluate(w.scope, fmt.Sprintf("*(*%q)(%#x)", typeName(p.typ), p.addr), cfg)
}

// evaluate is nil of what Delve can't read. What is damaged makes it panic now and then.
func evaluate(scope *proc.EvalScope, expr string, cfg proc.LoadConfig) (v *proc.Variable) {
	defer func() {
		if recover() != nil {
			v = nil
		}
	}()
	v, err := scope.EvalExpression(expr, cfg)
	if err != nil {
		return nil
	}
	return v
}

// word is the number in memory at an address; 0 if there is none.
func (w *walk) word(addr uint64) uint64 {
	v := evaluate(w.scope, fmt.Sprintf("*(*%q)(%#x)", "uintptr", addr), barely)
	if v == nil || v.Value == nil {
		return 0
	}
	n, _ := constant.Uint64Val(v.Value)
	return n
}

// local reads a variable of a call, which may be in registers.
func (w *walk) local(scope *proc.EvalScope, path string, v *proc.Variable) {
	p := pending{path, 0, v.DwarfType, maxNested}
	if v.Flags&proc.VariableFakeAddress == 0 {
		p.addr = v.Addr
		w.push(p)
		return
	}
	cfg := flatly
	switch t := godwarf.ResolveTypedef(v.DwarfType).(type) {
	case *godwarf.ChanType:
		w.channel(p, v.Base, t.ElemType)
		return
	case *godwarf.MapType:
		cfg = entries(t)
	case *godwarf.StructType:
		if !isFlat(t) {
			cfg = fields
		}
	default:
		if !isFlat(t) {
			cfg = barely
		}
	}
	w.value(p, evaluate(scope, v.Name, cfg))
}

// value takes in a variable that was loaded for a place, or is a part of such a one, and
// has the parts of it read that were not loaded.
func (w *walk) value(p pending, v *proc.Variable) {
	if v == nil || v.Unreadable != nil && v.Kind != reflect.Map || opaque(typeName(v.DwarfType)) {
		return
	}
	p.typ, p.addr = v.DwarfType, v.Addr
	if v.Flags&proc.VariableFakeAddress != 0 {
		p.addr = 0
	}
	if v.OnlyAddr || v.Kind == reflect.Struct && len(v.Children) == 0 && v.Len > 0 {
		w.later(p)
		return
	}
	switch v.Kind {
	case reflect.Struct:
		for i := range v.Children {
			w.value(p.part("."+v.Children[i].Name), &v.Children[i])
		}
	case reflect.Pointer:
		w.pointer(p, v)
	case reflect.Interface:
		w.boxed(p, v)
	case reflect.Slice:
		w.slice(p, v)
	case reflect.Array:
		for i := range v.Children {
			w.value(p.part(index(i)), &v.Children[i])
		}
	case reflect.Map:
		w.entries(p, v)
	case reflect.Chan:
		if t, ok := godwarf.ResolveTypedef(v.DwarfType).(*godwarf.ChanType); ok {
			w.channel(p, v.Base, t.ElemType)
		}
	case reflect.Func:
		w.add(p.path, v, funcName(v))
	case reflect.UnsafePointer, reflect.Uintptr:
	default:
		if v.Value != nil {
			w.add(p.path, v, textOf(v))
		}
	}
}

// part is a place within p, its address and type aside.
func (p pending) part(name string) pending {
	p.path += name
	return p
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func (w *walk) slice(p pending, v *proc.Variable) {
	w.add("len("+p.path+")", v, strconv.FormatInt(v.Len, 10))
	if len(v.Children) > 0 {
		for i := range v.Children {
			w.value(p.part(index(i)), &v.Children[i])
		}
		return
	}
	if t, ok := v.RealType.(*godwarf.SliceType); ok {
		elements(p, v.Base, v.Len, t.ElemType, func(p pending) { w.push(p) })
	}
}

// elements has those of an array read, of arrays within each other a share.
func elements(p pending, base uint64, n int64, typ godwarf.Type, read func(pending)) {
	n = min(n, maxElements, int64(p.most))
	for i := range n {
		read(pending{p.path + index(int(i)), base + uint64(i*typ.Size()), typ, max(p.most/int(n), leastNested)})
	}
}

func (w *walk) pointer(p pending, v *proc.Variable) {
	if len(v.Children) == 0 || v.Children[0].Addr == 0 {
		w.add(p.path, v, "nil")
		return
	}
	to := &v.Children[0]
	if opaque(typeName(to.DwarfType)) {
		return
	}
	target := p.path
	if to.Kind != reflect.Struct {
		target = "*" + p.path
	}
	w.add(p.path, v, "&"+w.push(pending{target, to.Addr, to.DwarfType, p.most}))
}

// boxed is what is in an interface.
func (w *walk) boxed(p pending, v *proc.Variable) {
	if len(v.Children) == 0 || v.Children[0].Addr == 0 && v.Children[0].Kind == reflect.Invalid {
		w.add(p.path, v, "nil")
		return
	}
	in := &v.Children[0]
	name := typeName(in.DwarfType)
	w.add(p.path, v, name)
	w.push(pending{p.path + ".(" + shortFunc(name) + ")", in.Addr, in.DwarfType, p.most})
}

// entries are those of a map whose keys have a text. They are read by one path only: a
// map may hold itself.
func (w *walk) entries(p pending, v *proc.Variable) {
	w.addAt("len("+p.path+")", v.Base, strconv.FormatInt(v.Len, 10))
	at := place{v.Base, "entries"}
	if w.seen[at] != "" {
		return
	}
	if len(v.Children) == 0 { // it lies within what was loaded, or its entries can't be
		w.push(p)
		return
	}
	w.seen[at] = p.path
	for i := 0; i+1 < len(v.Children); i += 2 {
		key := &v.Children[i]
		if key.Unreadable != nil || key.Value == nil {
			continue
		}
		w.value(p.part("["+textOf(key)+"]"), &v.Children[i+1])
	}
}

// channel reads what a channel holds, in the order in which it will be received. base is
// where it is, and p.addr the variable, 0 in a register.
func (w *walk) channel(p pending, base uint64, typ godwarf.Type) {
	if base == 0 {
		w.addAt(p.path, p.addr, "nil")
		return
	}
	c := evaluate(w.scope, fmt.Sprintf("*(*%q)(%#x)", "runtime.hchan", base), fields)
	if c == nil || c.Unreadable != nil {
		return
	}
	field := func(name string) *proc.Variable {
		if i := slices.IndexFunc(c.Children, func(f proc.Variable) bool { return f.Name == name }); i >= 0 {
			return &c.Children[i]
		}
		return &proc.Variable{}
	}
	number := func(name string) (n uint64) {
		if v := field(name).Value; v != nil {
			n, _ = constant.Uint64Val(constant.ToInt(v))
		}
		return n
	}
	held, size, first := number("qcount"), number("dataqsiz"), number("recvx")
	w.addAt("len("+p.path+")", base, strconv.FormatUint(held, 10))
	w.addAt("closed("+p.path+")", base, strconv.FormatBool(number("closed") > 0))
	buf := field("buf")
	if len(buf.Children) == 0 || size == 0 {
		return
	}
	for i := range min(held, size, maxElements) {
		at := buf.Children[0].Addr + (first+i)%size*uint64(typ.Size())
		w.push(pending{fmt.Sprintf("%s<%d>", p.path, i), at, typ, p.most})
	}
}

func funcName(v *proc.Variable) string {
	if v.Base == 0 {
		return "nil"
	}
	if v.Value != nil {
		return constant.StringVal(v.Value)
	}
	return "func"
}

// textOf is a value without parts.
func textOf(v *proc.Variable) string {
	if v.Value.Kind() == constant.String {
		s := strconv.Quote(constant.StringVal(v.Value))
		if v.Len > maxText {
			s += fmt.Sprintf("+%d", v.Len-maxText)
		}
		return s
	}
	return v.Value.String()
}
