package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/image"
)

// ShortFunc returns a function's name for display: without package path,
// receiver parentheses, type arguments and the wrappers of go and defer
// statements. "example.com/m.(*T[...]).run" is "T.run", "main.main.func1" is
// "main.func1".
func ShortFunc(name string) string {
	_, s := image.SplitFunc(name)
	s = image.DropTypeArgs(s)
	s = strings.NewReplacer("(*", "", "(", "", ")", "").Replace(s)
	s = strings.TrimSuffix(s, "-fm")
	for _, wrap := range []string{".gowrap", ".deferwrap"} {
		if i := strings.LastIndex(s, wrap); i > 0 && isNumber(s[i+len(wrap):]) {
			s = s[:i]
		}
	}
	return s
}

// shortType is a type's base name: "*main.cache[int]" is "cache".
func shortType(name string) string {
	name = image.DropTypeArgs(strings.TrimLeft(name, "*"))
	if strings.ContainsAny(name, " {") { // struct { ... }, func(...), chan int
		name, _, _ = strings.Cut(name, " ")
		return name
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// nameGoroutines gives paths, functions and displayed names.
func (d *decoder) nameGoroutines() {
	gs := d.t.Goroutines
	d.setPaths()
	entries, err := d.sym.Entries(d.entries[1:])
	d.fail("name goroutines", err)
	stdEntry, depEntry := make([]bool, len(gs)), make([]bool, len(gs))
	for i, f := range entries {
		gs[i+1].Func = f.Func
		stdEntry[i+1] = f.File != "" && d.t.isStd(f)
		depEntry[i+1] = InDependency(f.File)
	}
	for i := range gs[1:] {
		gs[i+1].Spawn = d.stackIDs[d.goStacks[i+1]]
	}
	outer := d.outermost()
	own := make([]string, len(gs))
	if slices.Contains(depEntry, true) {
		own = d.outermostOwn()
	}
	for i := range gs[1:] {
		g := &gs[i+1]
		name := g.Func
		switch {
		case g.ID == 1:
			name = "main.main"
		case g.ByTimer() && stdEntry[i+1] && outer[i+1] == "":
			name = "timer" // of a deadline, for example
		case (name == "" || stdEntry[i+1] || isWrapper(name)) && outer[i+1] != "":
			name = outer[i+1]
		case depEntry[i+1] && own[i+1] != "":
			name = own[i+1]
		}
		g.Display = ShortFunc(name)
		if g.Display == "" {
			g.Display = "goroutine " + g.Path
		}
	}
	d.t.numberDisplays()
}

func isWrapper(name string) bool {
	i := strings.LastIndex(name, ".gowrap")
	return i > 0 && isNumber(name[i+len(".gowrap"):])
}

// outermost returns by goroutine the user's function that its events are
// under: the test function rather than testing.tRunner.
func (d *decoder) outermost() []string {
	out := make([]string, len(d.t.Goroutines))
	for _, e := range d.t.Events {
		if out[e.G] != "" {
			continue
		}
		fs := d.t.Stack(e.Stack)
		for k := len(fs) - 1; k >= 0; k-- {
			if d.t.isUser(fs[k]) && !isWrapper(fs[k].Func) {
				out[e.G] = fs[k].Func
				break
			}
		}
	}
	return out
}

// outermostOwn returns by goroutine the function outside dependencies that its events
// are under, where it is one for all: errgroup's goroutine is known by the function
// that it was given, a worker for many by its own.
func (d *decoder) outermostOwn() []string {
	var fns []string // by stack
	for _, st := range d.t.Stacks {
		fn := ""
		for _, f := range st {
			if d.t.isUser(f) && !InDependency(f.File) && !isWrapper(f.Func) {
				fn = f.Func
			}
		}
		fns = append(fns, fn)
	}
	out := make([]string, len(d.t.Goroutines))
	several := make([]bool, len(out))
	for _, e := range d.t.Events {
		if fn := fns[e.Stack]; fn != "" {
			several[e.G] = several[e.G] || out[e.G] != "" && out[e.G] != fn
			out[e.G] = fn
		}
	}
	for g := range out {
		if several[g] {
			out[g] = ""
		}
	}
	return out
}

// setPaths names goroutines by creation: "0.2" is the second child of main,
// "0.t3.1" the first goroutine that main's third timer started. Those that the
// runtime itself started are "r1", "r2", ...
func (d *decoder) setPaths() {
	const longest = 4096 // of a hostile chain
	t := d.t
	for i := 1; i < len(t.Goroutines); i++ {
		g := &t.Goroutines[i]
		switch {
		case i == 1:
			g.Path = "0"
		case g.Parent == 0:
			g.Path = fmt.Sprintf("r%d", g.Index)
		case int(g.Parent) >= i || len(t.Goroutines[g.Parent].Path) > longest:
			g.Path = fmt.Sprintf("?%d", i)
		case g.ByTimer():
			g.Path = fmt.Sprintf("%s.t%d.%d", t.Goroutines[g.Parent].Path, d.timers[i], g.Index&^timerIndex)
		default:
			g.Path = fmt.Sprintf("%s.%d", t.Goroutines[g.Parent].Path, g.Index)
		}
	}
}

// numberDisplays appends #n, in order of creation path, where several
// goroutines share a name.
func (t *Trace) numberDisplays() {
	same := map[string][]*Goroutine{}
	for i := range t.Goroutines {
		g := &t.Goroutines[i]
		same[g.Display] = append(same[g.Display], g)
	}
	for _, gs := range same {
		if len(gs) < 2 {
			continue
		}
		slices.SortStableFunc(gs, func(a, b *Goroutine) int { return comparePaths(a.Path, b.Path) })
		for i, g := range gs {
			g.Display = fmt.Sprintf("%s#%d", g.Display, i+1)
		}
	}
}

// comparePaths orders "0.2" before "0.10", and "0.t2" before "0.t10".
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(x, y string) int {
		if a, b := strings.TrimPrefix(x, "t"), strings.TrimPrefix(y, "t"); len(x) != len(y) && isNumber(a) && isNumber(b) {
			return len(x) - len(y)
		}
		return strings.Compare(x, y)
	})
}
