package minigo

import "math/rand/v2"

// Size bounds the programs of Generate.
type Size struct {
	Threads int // 2 to Threads beside main
	Steps   int // statements of each at the top
	// Racy programs access plain variables without locks.
	Racy bool
}

// Generate makes a random program. It may deadlock, leak, panic or be right.
func Generate(rng *rand.Rand, size Size) *Program {
	g := &generator{Rand: rng, size: size, p: &Program{
		Plain: 1 + rng.IntN(2), Atomics: 1 + rng.IntN(2), Mutexes: 1 + rng.IntN(2), RWMutexes: 1, WaitGroups: 2, Onces: 1, Conds: []int{0},
		Chans: []int{rng.IntN(3), rng.IntN(2)},
	}}
	if rng.IntN(8) == 0 {
		g.p.Chans[1] = -1
	}
	kinds := []func(depth int) []*Stmt{g.memory, g.memory, g.mutex, g.rwmutex, g.channel, g.channel, g.selects, g.cond, g.once, g.group, g.branch}
	for range 2 + rng.IntN(3) { // few kinds at a time, so that operations meet
		g.kinds = append(g.kinds, kinds[rng.IntN(len(kinds))])
	}
	workers := 1 + rng.IntN(size.Threads)
	g.p.Threads = make([][]*Stmt, workers+1)
	join := rng.IntN(4) > 0
	for t := 1; t <= workers; t++ {
		body := g.body(0, 1+rng.IntN(size.Steps))
		if join && rng.IntN(20) > 0 {
			body = append(body, &Stmt{Op: WGDone, Obj: 0})
		}
		g.p.Threads[t] = body
	}
	g.main(join)
	g.p.Number()
	return g.p
}

// main starts the others, does something itself, and mostly waits for them and
// looks at what they left.
func (g *generator) main(join bool) {
	var body []*Stmt
	workers := len(g.p.Threads) - 1
	if join {
		body = append(body, &Stmt{Op: WGAdd, Obj: 0, N: workers})
	}
	for t := 1; t <= workers; t++ {
		body = append(body, &Stmt{Op: Go, Obj: t})
		if g.IntN(4) == 0 {
			body = append(body, g.body(0, 1)...)
		}
	}
	if g.IntN(3) == 0 {
		body = append(body, g.body(0, 1+g.IntN(2))...)
	}
	if join {
		body = append(body, &Stmt{Op: WGWait, Obj: 0})
		for a := range g.p.Atomics {
			body = append(body, &Stmt{Op: Load, Obj: a, Dst: a})
		}
		body = append(body, &Stmt{Op: Read, Obj: 0, Dst: 2})
		if g.IntN(2) == 0 {
			body = append(body, &Stmt{Op: Assert, Cond: g.condition()})
		}
	}
	g.p.Threads[0] = body
}

type generator struct {
	*rand.Rand
	size  Size
	p     *Program
	kinds []func(depth int) []*Stmt
	locks int // of plain variables, held
	inner bool
}

func (g *generator) body(depth, n int) (out []*Stmt) {
	for range n {
		out = append(out, g.kinds[g.IntN(len(g.kinds))](depth)...)
	}
	return out
}

func (g *generator) few(depth int) []*Stmt {
	if depth >= 2 {
		return g.memory(depth)
	}
	return g.body(depth+1, 1+g.IntN(2))
}

func (g *generator) local() int { return g.IntN(locals) }

func (g *generator) expr() Expr {
	if g.IntN(2) == 0 {
		return Expr{K: 1 + g.IntN(2)}
	}
	return Expr{Local: 1 + g.local(), K: g.IntN(2)}
}

func (g *generator) condition() Cond {
	return Cond{Local: g.local(), Rel: []string{"==", "!=", "<"}[g.IntN(3)], K: g.IntN(3)}
}

func (g *generator) memory(int) []*Stmt {
	plain := &Stmt{Op: Read + Op(g.IntN(2)), Obj: g.IntN(g.p.Plain), Dst: g.local(), Val: g.expr()}
	if g.IntN(3) == 0 && (g.size.Racy || g.locks > 0) {
		return []*Stmt{plain}
	}
	s := &Stmt{Op: Load + Op(g.IntN(5)), Obj: g.IntN(g.p.Atomics), Dst: g.local(), Val: g.expr(), Old: Expr{K: g.IntN(2)}}
	if g.IntN(12) == 0 {
		s = &Stmt{Op: Yield}
	}
	return []*Stmt{s}
}

// section wraps a body into operations; one of the two is forgotten at times.
func (g *generator) section(enter, leave Op, obj, depth int) (out []*Stmt) {
	if enter != Lock || g.IntN(40) > 0 { // an RWMutex that is misused loses count
		out = append(out, &Stmt{Op: enter, Obj: obj})
	}
	if obj == 0 && enter == Lock {
		g.locks++
		defer func() { g.locks-- }()
	}
	out = append(out, g.few(depth)...)
	if g.IntN(15) > 0 {
		out = append(out, &Stmt{Op: leave, Obj: obj})
	}
	return out
}

func (g *generator) try(enter, leave Op, obj, depth int) []*Stmt {
	s := &Stmt{Op: enter, Obj: obj, Then: append(g.few(depth), &Stmt{Op: leave, Obj: obj})}
	if g.IntN(2) == 0 {
		s.Else = g.memory(depth)
	}
	return []*Stmt{s}
}

func (g *generator) mutex(depth int) []*Stmt {
	m := g.IntN(g.p.Mutexes)
	if g.IntN(4) == 0 {
		return g.try(TryLock, Unlock, m, depth)
	}
	return g.section(Lock, Unlock, m, depth)
}

func (g *generator) rwmutex(depth int) []*Stmt {
	switch g.IntN(7) {
	case 0:
		return g.try(TryWLock, WUnlock, 0, depth)
	case 1:
		return g.try(TryRLock, RUnlock, 0, depth)
	case 2, 3:
		return g.section(WLock, WUnlock, 0, depth)
	default:
		return g.section(RLock, RUnlock, 0, depth)
	}
}

func (g *generator) channel(int) []*Stmt {
	c := g.IntN(len(g.p.Chans))
	switch g.IntN(10) {
	case 0:
		return []*Stmt{{Op: Close, Obj: c}}
	case 1:
		return []*Stmt{{Op: Len, Obj: c, Dst: g.local()}}
	case 2, 3, 4, 5:
		return []*Stmt{{Op: Send, Obj: c, Val: g.expr()}}
	default:
		return []*Stmt{{Op: Recv, Obj: c, Dst: g.local()}}
	}
}

func (g *generator) selects(depth int) []*Stmt {
	s := &Stmt{Op: Select, Default: g.IntN(2) == 0}
	for range 1 + g.IntN(3) {
		k := Case{Send: g.IntN(2) == 0, Chan: g.IntN(len(g.p.Chans)), Val: g.expr(), Dst: g.local()}
		if g.IntN(3) == 0 {
			k.Body = g.memory(depth)
		}
		s.Cases = append(s.Cases, k)
	}
	if s.Default && g.IntN(3) == 0 {
		s.Else = g.memory(depth)
	}
	return []*Stmt{s}
}

// cond waits for, or changes, an atomic variable under the cond's lock.
func (g *generator) cond(depth int) []*Stmt {
	lock, unlock := &Stmt{Op: Lock}, &Stmt{Op: Unlock}
	if g.IntN(2) == 0 {
		wait := &Stmt{Op: If, Cond: Cond{Local: 0, Rel: "==", K: 0}, Then: []*Stmt{{Op: CondWait}, {Op: Load, Dst: 0}}}
		return []*Stmt{lock, {Op: Load, Dst: 0}, wait, unlock}
	}
	call := &Stmt{Op: Signal + Op(g.IntN(2))}
	if g.IntN(2) == 0 {
		return []*Stmt{{Op: Store, Val: Expr{K: 1}}, call}
	}
	return []*Stmt{lock, {Op: Store, Val: Expr{K: 1}}, call, unlock}
}

func (g *generator) once(depth int) []*Stmt {
	if g.inner || depth > 1 {
		return g.memory(depth)
	}
	g.inner = true
	defer func() { g.inner = false }()
	return []*Stmt{{Op: OnceDo, Then: g.body(depth+1, 1)}}
}

func (g *generator) group(int) []*Stmt {
	switch g.IntN(4) {
	case 0:
		return []*Stmt{{Op: WGAdd, Obj: 1, N: 1 + g.IntN(2)}}
	case 1:
		return []*Stmt{{Op: WGAdd, Obj: 1, N: 1}, {Op: WGDone, Obj: 1}}
	case 2:
		return []*Stmt{{Op: WGDone, Obj: 1}}
	}
	return []*Stmt{{Op: WGWait, Obj: 1}}
}

func (g *generator) branch(depth int) []*Stmt {
	if depth > 1 {
		return g.memory(depth)
	}
	if g.IntN(4) == 0 {
		return []*Stmt{{Op: Loop, N: 2, Then: g.body(depth+1, 1)}}
	}
	s := &Stmt{Op: If, Cond: g.condition(), Then: g.few(depth)}
	if g.IntN(3) == 0 {
		s.Then = []*Stmt{{Op: Assert, Cond: g.condition()}}
	}
	if g.IntN(2) == 0 {
		s.Else = g.few(depth)
	}
	return []*Stmt{s}
}
