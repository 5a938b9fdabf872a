package core

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-delve/delve/pkg/dwarf/godwarf"
	"github.com/go-delve/delve/pkg/proc"
)

// Bounds of what is read of a program's memory.
const (
	MaxValues   = 100_000 // see Values
	maxElements = 256     // of an array, slice, map or channel
	maxNested   = 1 << 12 // elements of arrays and slices within each other
	leastNested = 2       // elements of each of them
	maxText     = 128     // bytes of a string
	maxPath     = 400     // bytes of a path: what is further away is not followed
	maxFrames   = 32      // calls whose variables are read
	perVariable = 500     // values that are read from one variable of a call on
	forCalls    = 20_000  // values for those of calls, of MaxValues
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
// can't be read is left out. all is false if there are more than are read.
func (p *Program) Values(ctx context.Context, from Roots) (values []Value, all bool, err error) {
	w := &walk{p: p, seen: map[place]string{}, paths: map[string]bool{}}
	if err := p.guard(ctx, func() error { return w.all(ctx, from) }); err != nil {
		return nil, false, fmt.Errorf("read variables: %w", err)
	}
	return w.out, !w.cut, nil
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
	cut   bool // there is more than MaxValues
}

// place is memory as a type sees it: a struct and its first field have one address.
type place struct {
	addr uint64
	typ  string
}

// pending is a place that is still to be read.
type pending struct {
	path string
	addr uint64
	typ  godwarf.Type
	most int // elements that are read of arrays and slices in it
}

func (w *walk) all(ctx context.Context, from Roots) (err error) {
	if w.scope, err = w.p.globalScope(); err != nil {
		return err
	}
	// It takes memory for each variable that is a struct: as much as the program had for it.
	globals, err := w.scope.PackageVariables(proc.LoadConfig{})
	if err != nil {
		return err
	}
	slices.SortFunc(globals, func(a, b *proc.Variable) int { return cmp.Compare(a.Name, b.Name) })
	for _, v := range globals {
		if pkg := packageOf(v.Name); from.Package(pkg) && v.RealType != nil && !isInternal(v.Name[len(pkg):]) {
			w.push(pending{v.Name, v.Addr, v.DwarfType, maxNested})
		}
	}
	most := MaxValues
	if from.Goroutine != 0 {
		most -= forCalls
	}
	err = w.drain(ctx, most)
	if w.cut = w.cut || len(w.out) >= most; err != nil || from.Goroutine == 0 {
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
		w.read(next)
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
	frames, _ := w.p.calls(g, deepest)
	var user []int
	for i, fr := range frames {
		if fr.Call.Fn != nil && !inlinedHere(fr) && from.User(fr.Call.File, fr.Call.Fn.Name) {
			user = append(user, i)
		}
	}
	first := w.seen
	for _, i := range slices.Backward(user[:min(len(user), maxFrames)]) {
		scope := proc.FrameToScope(w.p.target, w.p.target.Memory(), g, 0, frames[i:]...)
		locals, _ := scope.Locals(0, "")
		for _, v := range locals {
			if v.Unreadable != nil || strings.HasPrefix(v.Name, "~") || v.Flags&proc.VariableShadowed != 0 {
				continue
			}
			w.first, w.seen = first, map[place]string{}
			w.local(scope, shortFunc(frames[i].Call.Fn.Name)+": "+strings.TrimPrefix(v.Name, "&"), v)
			if err := w.drain(ctx, min(len(w.out)+perVariable, MaxValues)); err != nil {
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
func typeName(t godwarf.Type) string {
	if t == nil {
		return ""
	}
	if name := t.Common().Name; name != "" {
		return name
	}
	return t.String()
}

// push notes a place that a reference leads to, to be read once, and returns the path
// that led there first.
func (w *walk) push(p pending) string {
	at := place{p.addr, typeName(p.typ)}
	name, named := w.first[at]
	if !named {
		name = p.path
	}
	if first, ok := w.seen[at]; ok {
		if !named {
			name = first
		}
		return name
	}
	w.later(p)
	return name
}

// later has a place read that lies within another one.
func (w *walk) later(p pending) {
	at := place{p.addr, typeName(p.typ)}
	if p.addr == 0 || opaque(at.typ) || len(p.path) > maxPath {
		return
	}
	if len(w.todo) >= MaxValues || len(w.seen) >= 2*MaxValues {
		w.cut = true
		return
	}
	if w.seen[at] == "" {
		w.seen[at] = p.path
	}
	w.todo = append(w.todo, p)
}

func (w *walk) add(path string, v *proc.Variable, text string) {
	val := Value{Path: path, Text: text}
	if v.Flags&proc.VariableFakeAddress == 0 {
		val.Addr = v.Addr
	}
	if v.RealType != nil {
		val.Size = v.RealType.Size()
	}
	w.addValue(val)
}

// addAt adds what is told of an object, say a map's length.
func (w *walk) addAt(path string, addr uint64, text string) {
	w.addValue(Value{Path: path, Addr: addr, Size: wordSize, Text: text})
}

const wordSize = 8

func (w *walk) addValue(v Value) {
	if w.paths[v.Path] || len(w.out) >= MaxValues {
		return // the former are two variables of a name in one call
	}
	w.paths[v.Path] = true
	w.out = append(w.out, v)
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

// Current is the number of the goroutine that the process's first thread that runs one
// was running; 0 if none did.
func (p *Program) Current() (id int64) {
	p.guard(context.Background(), func() error {
		for _, th := range p.target.ThreadList() {
			if g, _ := proc.GetG(th); g != nil && g.ID > 0 {
				id = g.ID
				return nil
			}
		}
		return nil
	})
	return id
}
