package difftest_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// brick is a few shared objects and statements over them. In a statement # is
// a number that no other has, and see folds what was learnt into the history
// of its goroutine.
type brick struct {
	name    string
	objects []string // "name: declaration"
	ops     []string
}

// locked makes statements of what is done under the lock mu.
func locked(ops ...string) (out []string) {
	for _, op := range ops {
		out = append(out, "mu.Lock(); "+op+"; mu.Unlock()")
	}
	return out
}

const muDecl = "mu: var mu sync.Mutex"

var bricks = []brick{
	{"mutex", []string{muDecl, "x: x := new(int)"}, append(locked("*x++; see(*x)", "*x = 3", "see(*x)"),
		"if mu.TryLock() { *x += 2; mu.Unlock(); see(1) } else { see(0) }",
		"func() { mu.Lock(); defer mu.Unlock(); if *x == 1 { see(4); return }; *x = 1 }()")},
	{"rwmutex", []string{"rw: var rw sync.RWMutex", "x: x := new(int)"}, []string{
		"rw.RLock(); see(*x); rw.RUnlock()", "rw.Lock(); *x++; rw.Unlock()", "rw.Lock(); *x *= 3; see(*x); rw.Unlock()",
		"if rw.TryLock() { *x = 9; rw.Unlock() } else { see(0) }", "l := rw.RLocker(); l.Lock(); see(*x + 1); l.Unlock()",
		"rw.RLock(); rw.RLock(); rw.RUnlock(); rw.RUnlock()"}},
	{"atomic", []string{"a: var a atomic.Int64", "b: var b int32", "c: var c atomic.Bool"}, []string{
		"see(int(a.Load()))", "a.Store(2)", "see(int(a.Add(1)))", "see(bit(a.CompareAndSwap(0, 5)))", "see(int(a.Swap(7)))",
		"see(int(atomic.AddInt32(&b, 1)))", "atomic.StoreInt32(&b, 4)", "see(bit(atomic.CompareAndSwapInt32(&b, 0, 1)))", "see(int(atomic.OrInt32(&b, 8)))",
		"c.Store(true)", "see(bit(c.Load()))", "see(bit(c.Swap(true)))", "for !c.CompareAndSwap(false, true) { see(3); break }"}},
	{"atomicptr", []string{"p: var p atomic.Pointer[int]", "v: var v atomic.Value"}, []string{
		"i := #; p.Store(&i)", "if q := p.Load(); q != nil { see(*q) } else { see(0) }", "i := #; if q := p.Swap(&i); q != nil { see(*q) }",
		"see(bit(p.CompareAndSwap(nil, new(int))))", "v.Store(#)", "if n, ok := v.Load().(int); ok { see(n) } else { see(-1) }", "see(bit(v.CompareAndSwap(nil, 3)))",
		"old := p.Load(); i := 1; see(bit(p.CompareAndSwap(old, &i)))"}},
	{"buffered", []string{"ch: ch := make(chan int, 1)"}, []string{
		"ch <- #", "see(<-ch)", "select { case ch <- #: see(1); default: see(0) }", "select { case v := <-ch: see(v); default: see(0) }", "see(cap(ch))",
		"v, ok := <-ch; see(got(v, ok))", "see(len(ch))"}},
	{"unbuffered", []string{"un: un := make(chan int)", "in: var in atomic.Int64"}, []string{
		"un <- #", "see(<-un)", "select { case un <- #: see(1); case v := <-un: see(v) }", "select { case un <- #: see(1); default: see(0) }", "see(int(in.Add(1)))"}},
	{"closed", []string{"cl: cl := make(chan int, 2)"}, []string{
		"cl <- 1", "close(cl)", "v, ok := <-cl; see(got(v, ok))", "n := 0; for v := range cl { n += v; break }; see(n)", "func() { defer func() { see(bit(recover() != nil)) }(); close(cl) }()"}},
	{"selects", []string{"c1: c1 := make(chan int, 1)", "c2: c2 := make(chan int, 1)", "c3: var c3 chan int"}, []string{
		"c1 <- #", "c2 <- #", "select { case v := <-c1: see(v); case v := <-c2: see(v + 1); case v := <-c3: see(v) }",
		"select { case c1 <- #: see(1); case c2 <- #: see(2); case c3 <- 1: }", "select { case v := <-c1: see(v); case c2 <- 4: see(9); default: see(0) }"}},
	{"chanofchan", []string{"cc: cc := make(chan chan int, 2)"}, []string{
		"c := make(chan int, 1); cc <- c; c <- #", "c := <-cc; see(<-c)", "c := make(chan int, 1); cc <- c; select { case v := <-c: see(v); default: see(0) }", "(<-cc) <- #"}},
	{"group", []string{"wg: var wg sync.WaitGroup", "n: var n atomic.Int64"}, []string{
		"wg.Add(1); wg.Done()", "wg.Wait(); see(int(n.Load()))", "n.Add(1)", "wg.Go(func() { n.Add(2) })"}},
	{"cond", []string{muDecl, "cd: cd := sync.NewCond(&mu)", "ready: ready := false"}, []string{
		"mu.Lock(); if !ready { cd.Wait() }; see(bit(ready)); mu.Unlock()", "mu.Lock(); ready = true; mu.Unlock(); cd.Signal()", "cd.Broadcast()",
		"mu.Lock(); ready = true; cd.Broadcast(); mu.Unlock()", "cd.L.Lock(); see(bit(ready)); cd.L.Unlock()"}},
	{"once", []string{"on: var on sync.Once", "a: var a atomic.Int64"}, []string{
		"on.Do(func() { see(int(a.Add(1))) })", "on.Do(func() { a.Store(5); see(5) }); see(int(a.Load()))", "a.Add(2)",
		"func() { defer func() { see(bit(recover() != nil)) }(); on.Do(func() { panic(1) }) }()"}},
	{"oncevalue", []string{"a: var a atomic.Int64", "ov: ov := sync.OnceValue(func() int { return int(a.Add(1)) })", "of: of := sync.OnceFunc(func() { if a.Load() == 2 { panic(2) } })"}, []string{
		"see(ov())", "a.Add(2)", "func() { defer func() { see(bit(recover() != nil)) }(); of() }()"}},
	{"syncmap", []string{"sm: var sm sync.Map"}, []string{
		"sm.Store(1, #)", "v, _ := sm.Load(1); n, _ := v.(int); see(n)", "v, ok := sm.LoadOrStore(1, #); see(got(v.(int), ok))", "_, ok := sm.LoadAndDelete(1); see(bit(ok))",
		"see(bit(sm.CompareAndSwap(1, 1, 2)))", "n := 0; sm.Range(func(_, v any) bool { n += v.(int); return true }); see(n)", "sm.Clear()", "sm.Delete(1)"}},
	{"pool", []string{"pl: pl := &sync.Pool{New: func() any { return new(int) }}"}, []string{
		"p := pl.Get().(*int); see(*p); *p = #; pl.Put(p)", "pl.Put(new(int))", "p := pl.Get().(*int); see(*p)"}},
	{"context", []string{"ctx: ctx, cancel := context.WithCancelCause(context.Background()); _ = cancel"}, []string{
		"cancel(nil)", "cancel(errors.New(\"#\"))", "see(bit(ctx.Err() != nil))", "see(len(fmt.Sprint(context.Cause(ctx))))", "select { case <-ctx.Done(): see(1); default: see(0) }",
		"sub, stop := context.WithCancel(ctx); see(bit(sub.Err() != nil)); stop()"}},
	{"map", []string{muDecl, "m: m := map[int]int{1: 1}"}, locked(
		"m[1]++; see(m[1])", "delete(m, 1); m[2] = 2", "_, ok := m[2]; see(bit(ok))", "see(len(m))", "see(maps.Clone(m)[1])", "m = map[int]int{1: #}", "for k := range m { see(k) }",
		"see(len(fmt.Sprint(m)))", "m[#] = 1")},
	{"mapset", []string{muDecl, "set: set := map[string]struct{}{\"a\": {}}"}, locked(
		"delete(set, \"a\"); set[\"b\"] = struct{}{}", "_, ok := set[\"b\"]; see(bit(ok))", "set[\"a\"] = struct{}{}", "delete(set, \"b\")", "see(len(set))", "for k := range set { see(int(k[0])) }")},
	{"slice", []string{muDecl, "s: s := make([]int, 2, 4)"}, locked(
		"s = append(s, #); see(len(s))", "s[0]++; see(s[0])", "s = s[:1]", "see(len(s))", "t := make([]int, 2); copy(t, s); see(t[1])", "s[len(s)-1] = #", "t := append([]int(nil), s...); see(t[len(t)-1])",
		"see(slices.Max(s))", "slices.Reverse(s)", "see(len(fmt.Sprint(s)))", "s = slices.Insert(s, 0, #)", "if len(s) > 1 { t := [2]int(s); see(t[1]) }")},
	{"bytes", []string{muDecl, "bs: bs := []byte(\"abcd\")"}, locked(
		"bs[1] = 'x'", "see(bit(string(bs) == \"axcd\"))", "see(map[string]int{\"axcd\": 1}[string(bs)])", "switch string(bs) { case \"axcd\": see(1); default: see(0) }", "copy(bs, \"zz\")",
		"see(bit(strings.Contains(string(bs), \"x\")))", "see(bit(fmt.Sprintf(\"%s\", bs) == \"axcd\"))", "bs = append(bs[:1], bs[2:]...)", "see(int(string(bs)[1]))")},
	{"string", []string{muDecl, "str: str := \"a\""}, locked("str += \"b\"", "see(len(str))", "see(bit(str == \"ab\"))", "str = strings.ToUpper(str)", "for _, r := range str { see(int(r)) }", "see(bit(str < \"aa\"))")},
	{"builder", []string{muDecl, "sb: var sb strings.Builder"}, locked("sb.WriteString(\"ab\")", "see(sb.Len())", "sb.Reset()", "see(bit(sb.String() == \"ab\"))", "fmt.Fprintf(&sb, \"%d\", #)")},
	{"iface", []string{muDecl, "i: var i any"}, locked("i = 1", "i = \"x\"", "switch v := i.(type) { case int: see(v); case string: see(len(v) + 5); default: see(0) }", "i = [2]int{1, 2}", "see(bit(i == any([2]int{1, 2})))", "n, _ := i.(int); i = n + 1")},
	{"struct", []string{muDecl, "st: st := new(pair)"}, locked("st.b = 2", "see(bit(*st == pair{0, 2, [2]int{}}))", "t := *st; t.b++; see(int(t.b))", "*st = pair{a: 1}", "st.c[1] = 3", "see(st.c[1])", "see(bit(st.c == [2]int{0, 3}))",
		"st.a, st.b = st.b, st.a", "see(len(fmt.Sprint(st)))", "st = new(pair)")},
	{"pointer", []string{muDecl, "q: q := new(*int)"}, locked("v := #; *q = &v", "if *q != nil { **q++ }", "if *q == nil { see(0) } else { see(**q) }", "*q = nil")},
	{"closure", []string{muDecl, "f: f := func() int { return 0 }"}, locked("g := f; f = func() int { return g() + 1 }", "see(f())", "f = func() int { return 3 }")},
	{"generic", []string{"cell: cell := new(guarded[int])"}, []string{"cell.set(#)", "see(cell.get())", "cell.update(func(n int) int { return n*2 + 1 })", "see(cell.swap(#))"}},
	{"rangefunc", []string{"a: var a atomic.Int64"}, []string{"for v := range upTo(&a) { see(v) }", "a.Add(1)", "for v := range upTo(&a) { if v == 1 { a.Store(0); break } }"}},
	{"spawn", []string{"a: var a atomic.Int64"}, []string{"c := make(chan int); go func() { c <- int(a.Add(1)) }(); see(<-c)", "go a.Store(4)", "see(int(a.Load()))"}},
	{"goexit", []string{"a: var a atomic.Int64"}, []string{
		"c := make(chan int); go func() { defer close(c); if a.Load() == 0 { runtime.Goexit() }; a.Add(2) }(); <-c; see(int(a.Load()))", "a.Add(1)", "runtime.Gosched(); see(int(a.Load()))"}},
	{"panics", []string{"a: var a atomic.Int64"}, []string{
		"func() { defer func() { if r := recover(); r != nil { see(int(a.Add(1))) } }(); if a.Load() == 1 { panic(1) }; a.Store(1) }()", "a.CompareAndSwap(1, 2)", "func() { defer a.Add(1); defer see(int(a.Load())) }()",
		"func() { defer func() { see(bit(recover() != nil)) }(); _ = 10 / a.Load() }()"}},
	{"errgroup", []string{"a: var a atomic.Int64"}, []string{
		"var g tasks; g.run(func() error { a.Add(1); return nil }); g.run(func() error { if a.Load() == 1 { return errors.New(\"e\") }; return nil }); see(bit(g.wait() != nil))", "a.Add(1)"}},
	{"time", []string{"a: var a atomic.Int64"}, []string{
		"time.Sleep(time.Millisecond); see(int(a.Add(1)))", "select { case <-time.After(time.Millisecond): see(int(a.Load())) }", "a.Add(1)"}},
	{"initialised", nil, []string{"globalMu.Lock(); global++; see(global); globalMu.Unlock()", "globalMu.Lock(); global *= 2; globalMu.Unlock()", "see(lazy())"}},
}

const brickPrelude = `
type pair struct {
	a, b int32
	c    [2]int
}

type guarded[T any] struct {
	mu sync.Mutex
	v  T
}

func (g *guarded[T]) set(v T) { g.mu.Lock(); defer g.mu.Unlock(); g.v = v }
func (g *guarded[T]) get() T  { g.mu.Lock(); defer g.mu.Unlock(); return g.v }
func (g *guarded[T]) update(f func(T) T) {
	g.mu.Lock()
	g.v = f(g.v)
	g.mu.Unlock()
}
func (g *guarded[T]) swap(v T) (old T) {
	g.mu.Lock()
	defer g.mu.Unlock()
	old, g.v = g.v, v
	return old
}

func upTo(a *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range 2 {
			if int(a.Load()) < i || !yield(i) {
				return
			}
		}
	}
}

type tasks struct {
	wg   sync.WaitGroup
	once sync.Once
	err  error
}

func (g *tasks) run(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err })
		}
	})
}

func (g *tasks) wait() error { g.wg.Wait(); return g.err }

var (
	globalMu sync.Mutex
	global   = first()
	lazy     = sync.OnceValue(func() int { globalMu.Lock(); defer globalMu.Unlock(); return global })
)

func first() int { return 1 }
`

// generateBricks writes a random program as a Go function: one or two goroutines beside
// main do a few operations over the objects of one or two bricks. Each prints
// its history when it is done.
func generateBricks(rng *rand.Rand, name string) string {
	var b strings.Builder
	g := &bricklayer{Rand: rng}
	objects := map[string]bool{}
	fmt.Fprintf(&b, "func %s() {\n", name)
	for range 1 + rng.IntN(2) {
		k := bricks[rng.IntN(len(bricks))]
		g.ops = append(g.ops, k.ops...)
		for _, o := range k.objects {
			id, decl, _ := strings.Cut(o, ": ")
			if !objects[id] {
				objects[id] = true
				fmt.Fprintf(&b, "\t%s; use(&%s)\n", decl, id)
			}
		}
	}
	workers, steps := 1, 3
	if rng.IntN(3) == 0 {
		workers, steps = 2, 1
	}
	fmt.Fprintf(&b, "\tvar join sync.WaitGroup\n\tjoin.Add(%d)\n", workers)
	for t := 1; t <= workers; t++ {
		b.WriteString("\tgo func() {\n\t\tdefer join.Done()\n")
		g.body(&b, t, 1+rng.IntN(steps))
		b.WriteString("\t}()\n")
	}
	g.body(&b, 0, 1+rng.IntN(2))
	b.WriteString("\tjoin.Wait()\n}\n")
	return b.String()
}

type bricklayer struct {
	*rand.Rand
	ops []string
	n   int
}

func (g *bricklayer) body(b *strings.Builder, thread, n int) {
	b.WriteString("\th := uint64(3)\n\tsee := func(v int) { h = fold(h, v) }\n\tuse(&see)\n")
	for range n {
		g.n++
		op := strings.ReplaceAll(g.ops[g.IntN(len(g.ops))], "#", strconv.Itoa(g.n+1))
		fmt.Fprintf(b, "\t{ %s }\n", op)
		if g.IntN(8) == 0 {
			fmt.Fprintf(b, "\tif h %% 3 == 1 { panic(\"%d\") }\n", g.n)
		}
	}
	fmt.Fprintf(b, "\tprintln(\"thread\", %d, h)\n", thread)
}

// bricksSource is a program of all of these functions: its argument says which
// is run.
func bricksSource(functions []string) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	imports := []string{"context", "errors", "fmt", "iter", "maps", "os", "runtime", "slices", "strings", "sync", "sync/atomic", "time"}
	for _, p := range imports {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	b.WriteString(")\n" + brickPrelude + `
func use(...any) {}

func fold(h uint64, v int) uint64 { return (h ^ uint64(v+100)) * 1099511628211 }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func got(v int, ok bool) int { return 2*v + bit(ok) }

func main() {
	use(context.Canceled, errors.New, fmt.Sprint, maps.Clone[map[int]int], runtime.Gosched, slices.Max[[]int], strings.ToUpper, time.Second)
	switch os.Args[1] {
`)
	for i := range functions {
		fmt.Fprintf(&b, "\tcase \"%d\":\n\t\tprogram%d()\n", i, i)
	}
	b.WriteString("\t}\n}\n")
	for _, f := range functions {
		b.WriteString("\n" + f)
	}
	return b.String()
}
