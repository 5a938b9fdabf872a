package core

import (
	"cmp"
	"context"
	"fmt"
	"go/constant"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-delve/delve/pkg/proc"
)

// Bounds of what is read of a program's memory.
const (
	maxValues   = 200_000
	maxElements = 256 // of an array, slice, map or channel
	maxText     = 128 // bytes of a string
	maxFrames   = 32  // calls whose variables are read
	perVariable = 500 // values that are read from one variable of a call on
)

// Value is a variable without parts, named by the path of references that leads to it:
// "main.cache.entries["a"].size". Of several paths it is the shortest.
type Value struct {
	Path string
	Addr uint64 // in this process; 0 if it has none, being in a register
	Size int64  // bytes
	Text string // equal for equal values; a pointer's is the path of what it points to
}

// Roots say where paths begin.
type Roots struct {
	Package   func(path string) bool // packages whose variables are read
	Goroutine int64                  // whose variables are read, 0 for none
	User      func(file, fn string) bool
}

// Values are the variables that can be reached from package variables and from the calls
// of a goroutine, through pointers, interfaces, arrays, slices, maps and channels. What
// can't be read is left out.
func (p *Program) Values(ctx context.Context, from Roots) ([]Value, error) {
	w := &walk{p: p, seen: map[place]string{}, paths: map[string]bool{}}
	err := guard(ctx, func() error { return w.all(ctx, from) })
	if err != nil {
		return nil, fmt.Errorf("read variables: %w", err)
	}
	return w.out, nil
}

// walk goes through memory, breadth first, so that paths are short.
type walk struct {
	p     *Program
	scope *proc.EvalScope
	todo  []pending
	seen  map[place]string // what was reached from the present roots, and by which path first
	first map[place]string // the same, from earlier roots
	paths map[string]bool
	out   []Value
}

// place is memory as a type sees it: a struct and its first field have one address.
type place struct {
	addr uint64
	typ  string
}

// pending is a place that is still to be read.
type pending struct {
	path string
	at   place
}

// shallow reads a variable with its parts, but not what they point to.
var shallow = proc.LoadConfig{MaxVariableRecurse: 8, MaxStringLen: maxText, MaxArrayValues: maxElements, MaxStructFields: -1}

func (w *walk) all(ctx context.Context, from Roots) (err error) {
	if w.scope, err = w.p.globalScope(); err != nil {
		return err
	}
	globals, err := w.scope.PackageVariables(proc.LoadConfig{})
	if err != nil {
		return err
	}
	slices.SortFunc(globals, func(a, b *proc.Variable) int { return cmp.Compare(a.Name, b.Name) })
	for _, v := range globals {
		if pkg := packageOf(v.Name); from.Package(pkg) && v.RealType != nil && !isInternal(v.Name[len(pkg):]) {
			w.push(v.Name, v.Addr, typeName(v))
		}
	}
	if err := w.drain(ctx, maxValues); err != nil || from.Goroutine == 0 {
		return err
	}
	return w.frames(ctx, from)
}

// drain reads what is to be read, as long as there are at most so many values.
func (w *walk) drain(ctx context.Context, most int) error {
	for len(w.todo) > 0 && len(w.out) < most {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		next := w.todo[0]
		w.todo = w.todo[1:]
		v, err := w.scope.EvalExpression(fmt.Sprintf("*(*%q)(%#x)", next.at.typ, next.at.addr), shallow)
		if err == nil && v.Unreadable == nil {
			w.value(next.path, v)
		}
	}
	w.todo = nil
	return nil
}

// packageOf is the package of a variable's full name.
func packageOf(name string) string {
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 {
		return ""
	}
	return name[:slash+dot]
}

// isInternal is true of variables that the compiler made.
func isInternal(name string) bool { return strings.Contains(name, "..") }

// frames reads the variables of a goroutine's calls, the outermost first. What a variable
// leads to is read again for each, up to a number of values: it is another path, and in
// another run it may be the only one. Pointers go by the path that was first of all.
func (w *walk) frames(ctx context.Context, from Roots) error {
	g, err := proc.FindGoroutine(w.p.target, from.Goroutine)
	if err != nil || g == nil {
		return nil // there is none any more
	}
	frames, _ := proc.GoroutineStacktrace(w.p.target, g, deepest, 0)
	var user []int
	for i, fr := range frames {
		if fr.Call.Fn != nil && from.User(fr.Call.File, fr.Call.Fn.Name) {
			user = append(user, i)
		}
	}
	first := w.seen
	for _, i := range slices.Backward(user[:min(len(user), maxFrames)]) {
		scope := proc.FrameToScope(w.p.target, w.p.target.Memory(), g, 0, frames[i:]...)
		args, _ := scope.FunctionArguments(shallow)
		locals, _ := scope.LocalVariables(shallow)
		for _, v := range append(args, locals...) {
			if v.Unreadable != nil || strings.HasPrefix(v.Name, "~") || v.Flags&proc.VariableShadowed != 0 {
				continue
			}
			w.first, w.seen = first, map[place]string{}
			w.value(shortFunc(frames[i].Call.Fn.Name)+": "+strings.TrimPrefix(v.Name, "&"), v)
			if err := w.drain(ctx, min(len(w.out)+perVariable, maxValues)); err != nil {
				return err
			}
			for at, path := range w.seen {
				if _, ok := first[at]; !ok {
					first[at] = path
				}
			}
		}
	}
	return nil
}

// shortFunc is a function without the folders of its package.
func shortFunc(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// typeName is a type as expressions name it.
func typeName(v *proc.Variable) string {
	if v.DwarfType != nil && v.DwarfType.Common().Name != "" {
		return v.DwarfType.Common().Name
	}
	if v.RealType != nil {
		return v.RealType.String()
	}
	return ""
}

// push notes a place to be read, and returns the path that leads there first.
func (w *walk) push(path string, addr uint64, typ string) string {
	at := place{addr, typ}
	name, named := w.first[at]
	if !named {
		name = path
	}
	if first, ok := w.seen[at]; ok {
		if !named {
			name = first
		}
		return name
	}
	w.seen[at] = path
	if len(w.todo) < maxValues {
		w.todo = append(w.todo, pending{path, at})
	}
	return name
}

func (w *walk) add(path string, v *proc.Variable, text string) {
	if w.paths[path] {
		return // two variables of a name in one call
	}
	w.paths[path] = true
	val := Value{Path: path, Text: text}
	if v.Flags&proc.VariableFakeAddress == 0 {
		val.Addr = v.Addr
	}
	if v.RealType != nil {
		val.Size = v.RealType.Size()
	}
	w.out = append(w.out, val)
}

// value takes in a variable that was read.
func (w *walk) value(path string, v *proc.Variable) {
	name := typeName(v)
	if v.Unreadable != nil || opaque(name) || len(w.out) >= maxValues {
		return
	}
	if v.OnlyAddr {
		if v.Addr != 0 && v.Flags&proc.VariableFakeAddress == 0 {
			w.push(path, v.Addr, name)
		}
		return
	}
	if first := (place{v.Addr, name}); v.Addr != 0 && v.Flags&proc.VariableFakeAddress == 0 && w.seen[first] == "" {
		w.seen[first] = path
	}
	switch v.Kind {
	case reflect.Struct:
		for i := range v.Children {
			w.value(path+"."+v.Children[i].Name, &v.Children[i])
		}
	case reflect.Pointer:
		w.pointer(path, v)
	case reflect.Interface:
		w.boxed(path, v)
	case reflect.Array, reflect.Slice:
		if v.Kind == reflect.Slice {
			w.add("len("+path+")", v, strconv.FormatInt(v.Len, 10))
		}
		for i := range v.Children {
			w.value(fmt.Sprintf("%s[%d]", path, i), &v.Children[i])
		}
	case reflect.Map:
		w.entries(path, v)
	case reflect.Chan:
		w.channel(path, v)
	case reflect.Func:
		w.add(path, v, funcName(v))
	case reflect.UnsafePointer, reflect.Uintptr:
	default:
		if v.Value != nil {
			w.add(path, v, textOf(v))
		}
	}
}

// opaque are types whose values differ from run to run, or are the runtime's own.
func opaque(typ string) bool {
	for _, p := range []string{"runtime.", "internal/", "reflect.", "unique.", "weak.", "time.Time", "time.Timer", "time.Ticker", "time.Location", "sync.Pool", "sync.poolLocal", "math/rand"} {
		if strings.HasPrefix(strings.TrimLeft(typ, "*"), p) {
			return typ != "internal/sync.Mutex"
		}
	}
	return false
}

func (w *walk) pointer(path string, v *proc.Variable) {
	if len(v.Children) == 0 || v.Children[0].Addr == 0 {
		w.add(path, v, "nil")
		return
	}
	to := &v.Children[0]
	if opaque(typeName(to)) {
		return
	}
	target := path
	if to.Kind != reflect.Struct {
		target = "*" + path
	}
	w.add(path, v, "&"+w.push(target, to.Addr, typeName(to)))
}

// boxed is what is in an interface.
func (w *walk) boxed(path string, v *proc.Variable) {
	if len(v.Children) == 0 || v.Children[0].Addr == 0 && v.Children[0].Kind == reflect.Invalid {
		w.add(path, v, "nil")
		return
	}
	in := &v.Children[0]
	w.add(path, v, typeName(in))
	w.value(path+".("+shortFunc(typeName(in))+")", in)
}

// entries are those of a map whose keys have a text.
func (w *walk) entries(path string, v *proc.Variable) {
	w.add("len("+path+")", &proc.Variable{Addr: v.Base, RealType: v.RealType}, strconv.FormatInt(v.Len, 10))
	for i := 0; i+1 < len(v.Children); i += 2 {
		key := &v.Children[i]
		if key.Unreadable != nil || key.Value == nil {
			continue
		}
		w.value(fmt.Sprintf("%s[%s]", path, textOf(key)), &v.Children[i+1])
	}
}

// channel reads what a channel holds, in the order in which it will be received.
func (w *walk) channel(path string, v *proc.Variable) {
	if v.Base == 0 && len(v.Children) == 0 {
		w.add(path, v, "nil")
		return
	}
	field := func(name string) *proc.Variable {
		i := slices.IndexFunc(v.Children, func(c proc.Variable) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		return &v.Children[i]
	}
	number := func(name string) int64 {
		f := field(name)
		if f == nil || f.Value == nil {
			return -1
		}
		n, _ := constant.Int64Val(f.Value)
		return n
	}
	n, first := number("qcount"), number("recvx")
	w.add("len("+path+")", &proc.Variable{Addr: v.Base, RealType: v.RealType}, strconv.FormatInt(n, 10))
	w.add("closed("+path+")", &proc.Variable{Addr: v.Base, RealType: v.RealType}, strconv.FormatBool(number("closed") > 0))
	buf := field("buf")
	if buf == nil || len(buf.Children) == 0 || first < 0 {
		return
	}
	size := number("dataqsiz")
	held := buf.Children[0].Children
	for i := range min(max(n, 0), maxElements) {
		if at := (first + i) % max(size, 1); at < int64(len(held)) {
			w.value(fmt.Sprintf("%s<%d>", path, i), &held[at])
		}
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

// Current is the number of the goroutine that the process's first thread that runs one
// was running; 0 if none did.
func (p *Program) Current() int64 {
	for _, th := range p.target.ThreadList() {
		if g, _ := proc.GetG(th); g != nil && g.ID > 0 {
			return g.ID
		}
	}
	return 0
}
