package minigo

import (
	"fmt"
	"io"
	"strings"
)

// Source writes the program as a Go function without arguments. It uses fmt,
// sync and sync/atomic, and the functions that Prelude declares. Each thread
// prints "thread N: HISTORY" at its end.
func (p *Program) Source(w io.Writer, name string) {
	s := &source{w: w, p: p}
	s.line(0, "func %s() {", name)
	s.objects()
	for n := len(p.Threads) - 1; n > 0; n-- {
		s.line(1, "thread%d := func() {", n)
		s.body(n)
		s.line(1, "}")
		s.line(1, "_ = thread%d", n)
	}
	s.body(0)
	s.line(0, "}")
}

// Prelude declares what Source uses.
const Prelude = `
func see(h uint64, id, value int) uint64 {
	return ((h^uint64(id))*1099511628211 ^ uint64(value+100)) * 1099511628211
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func got(v int, ok bool) int { return 2*v + bit(ok) }
`

type source struct {
	w io.Writer
	p *Program
}

func (s *source) line(depth int, format string, args ...any) {
	fmt.Fprintf(s.w, strings.Repeat("\t", depth)+format+"\n", args...)
}

func (s *source) objects() {
	declare := func(n int, name, typ string) {
		for i := range n {
			s.line(1, "%s%d := new(%s)", name, i, typ)
			s.line(1, "_ = %s%d", name, i)
		}
	}
	declare(s.p.Plain, "v", "int")
	declare(s.p.Atomics, "a", "atomic.Int64")
	declare(s.p.Mutexes, "mu", "sync.Mutex")
	declare(s.p.RWMutexes, "rw", "sync.RWMutex")
	declare(s.p.WaitGroups, "wg", "sync.WaitGroup")
	declare(s.p.Onces, "once", "sync.Once")
	for i, m := range s.p.Conds {
		s.line(1, "cond%d := sync.NewCond(mu%d)", i, m)
		s.line(1, "_ = cond%d", i)
	}
	for i, c := range s.p.Chans {
		if c < 0 {
			s.line(1, "var c%d chan int", i)
		} else {
			s.line(1, "c%d := make(chan int, %d)", i, c)
		}
		s.line(1, "_ = c%d", i)
	}
}

func (s *source) body(n int) {
	s.line(2, "var x0, x1, x2 int")
	s.line(2, "h := uint64(%d)", uint64(start))
	s.line(2, "_, _, _ = x0, x1, x2")
	s.list(2, s.p.Threads[n])
	s.line(2, `fmt.Printf("thread %d: %%x\n", h)`, n)
}

func (s *source) list(d int, body []*Stmt) {
	for _, st := range body {
		s.stmt(d, st)
	}
}

func (e Expr) String() string {
	switch {
	case e.Local == 0:
		return fmt.Sprint(e.K)
	case e.K == 0:
		return fmt.Sprintf("x%d", e.Local-1)
	}
	return fmt.Sprintf("x%d+%d", e.Local-1, e.K)
}

func (c Cond) String() string { return fmt.Sprintf("x%d %s %d", c.Local, c.Rel, c.K) }

// calls are statements that are method calls without results.
var calls = map[Op]string{
	Lock: "mu%d.Lock()", Unlock: "mu%d.Unlock()",
	WLock: "rw%d.Lock()", WUnlock: "rw%d.Unlock()", RLock: "rw%d.RLock()", RUnlock: "rw%d.RUnlock()",
	WGDone: "wg%d.Done()", WGWait: "wg%d.Wait()",
	CondWait: "cond%d.Wait()", Signal: "cond%d.Signal()", Broadcast: "cond%d.Broadcast()",
	Close: "close(c%d)", Go: "go thread%d()",
}

var tries = map[Op]string{TryLock: "mu%d.TryLock()", TryWLock: "rw%d.TryLock()", TryRLock: "rw%d.TryRLock()"}

func (s *source) stmt(d int, st *Stmt) {
	see := func(v string) { s.line(d, "h = see(h, %d, %s)", st.ID, v) }
	dst := fmt.Sprintf("x%d", st.Dst)
	read := func(format string, args ...any) {
		s.line(d, dst+" = "+format, args...)
		see(dst)
	}
	if call, ok := calls[st.Op]; ok {
		s.line(d, call, st.Obj)
		see("0")
		return
	}
	switch st.Op {
	case Read:
		read("*v%d", st.Obj)
	case Write:
		s.line(d, "*v%d = %v", st.Obj, st.Val)
		see("0")
	case Load:
		read("int(a%d.Load())", st.Obj)
	case Store:
		s.line(d, "a%d.Store(int64(%v))", st.Obj, st.Val)
		see("0")
	case Add:
		read("int(a%d.Add(int64(%v)))", st.Obj, st.Val)
	case Swap:
		read("int(a%d.Swap(int64(%v)))", st.Obj, st.Val)
	case CAS:
		read("bit(a%d.CompareAndSwap(int64(%v), int64(%v)))", st.Obj, st.Old, st.Val)
	case WGAdd:
		s.line(d, "wg%d.Add(%d)", st.Obj, st.N)
		see("0")
	case Yield:
		s.line(d, "runtime.Gosched()")
		see("0")
	case Send:
		s.line(d, "c%d <- %v", st.Obj, st.Val)
		see("0")
	case Recv:
		s.line(d, "{")
		s.line(d+1, "v, ok := <-c%d", st.Obj)
		s.line(d+1, "%s = v", dst)
		s.line(d+1, "h = see(h, %d, got(v, ok))", st.ID)
		s.line(d, "}")
	case Len:
		read("len(c%d)", st.Obj)
	case Assert:
		s.line(d, "if !(%v) {", st.Cond)
		s.line(d+1, `panic("assert %d")`, st.ID)
		s.line(d, "}")
	default:
		s.control(d, st)
	}
}

func (s *source) control(d int, st *Stmt) {
	switch st.Op {
	case TryLock, TryWLock, TryRLock:
		s.line(d, "if "+tries[st.Op]+" {", st.Obj)
		s.line(d+1, "h = see(h, %d, 1)", st.ID)
		s.list(d+1, st.Then)
		s.line(d, "} else {")
		s.line(d+1, "h = see(h, %d, 0)", st.ID)
		s.list(d+1, st.Else)
		s.line(d, "}")
	case If:
		s.line(d, "if %v {", st.Cond)
		s.list(d+1, st.Then)
		s.line(d, "} else {")
		s.list(d+1, st.Else)
		s.line(d, "}")
	case Loop:
		s.line(d, "for range %d {", st.N)
		s.list(d+1, st.Then)
		s.line(d, "}")
	case OnceDo:
		s.line(d, "once%d.Do(func() {", st.Obj)
		s.list(d+1, st.Then)
		s.line(d, "})")
		s.line(d, "h = see(h, %d, 0)", st.ID)
	case Select:
		s.line(d, "select {")
		for n, k := range st.Cases {
			if k.Send {
				s.line(d, "case c%d <- %v:", k.Chan, k.Val)
				s.line(d+1, "h = see(h, %d, %d)", st.ID, n)
			} else {
				s.line(d, "case v, ok := <-c%d:", k.Chan)
				s.line(d+1, "x%d = v", k.Dst)
				s.line(d+1, "h = see(h, %d, got(v, ok)*4+%d)", st.ID, n)
			}
			s.list(d+1, k.Body)
		}
		if st.Default {
			s.line(d, "default:")
			s.line(d+1, "h = see(h, %d, -1)", st.ID)
			s.list(d+1, st.Else)
		}
		s.line(d, "}")
	}
}

// String is the Go source.
func (p *Program) String() string {
	var b strings.Builder
	p.Source(&b, "program")
	return b.String()
}
