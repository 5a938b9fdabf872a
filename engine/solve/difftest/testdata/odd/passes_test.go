package odd

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// No schedule of these fails.

func TestPassesSprintParts(t *testing.T) {
	s := []int{1, 2, 3, 4}
	both(func() { _ = fmt.Sprint(s[:2]) }, func() { s[2] = 9; s[3]++ })
}

func TestPassesSprintAfterJoin(t *testing.T) {
	type S struct {
		A, B int
		l    []string
		m    map[string]int
	}
	s := &S{m: map[string]int{}}
	both(func() { s.A = 1 }, func() { s.B = 2; s.l = append(s.l, "x"); s.m["a"] = 1 })
	if x := fmt.Sprintf("%+v", s); x != "&{A:1 B:2 l:[x] m:map[a:1]}" {
		t.Error(x)
	}
}

func TestPassesSprintPointers(t *testing.T) {
	type N struct {
		v    int
		next *N
	}
	n := &N{next: &N{}}
	both(func() { _ = fmt.Sprint(n) }, func() { n.next.v = 3 }) // the inner pointer is printed, not followed
}

func TestPassesSprintNested(t *testing.T) {
	p := new(int)
	both(func() { _ = fmt.Sprint([]*int{p}) + fmt.Sprintf("%p", p) }, func() { *p = 3 })
}

func TestPassesFreshCopy(t *testing.T) {
	mk := func() counter { c := counter{}; c.n = 3; return c }
	c := mk()
	both(func() { c.mu.Lock(); c.n++; c.mu.Unlock() }, func() { c.mu.Lock(); c.n++; c.mu.Unlock() })
	if c.n != 5 {
		t.Error(c.n)
	}
}

func TestPassesMap(t *testing.T) {
	var mu sync.Mutex
	m := map[string]int{}
	both(func() { mu.Lock(); m["a"]++; mu.Unlock() }, func() { mu.Lock(); m["b"]++; mu.Unlock() })
	if len(m) != 2 || m["a"] != 1 {
		t.Error(m)
	}
}

func TestPassesSyncMapRange(t *testing.T) {
	var m sync.Map
	m.Store(1, 1)
	var n atomic.Int64
	both(func() { m.Range(func(k, v any) bool { n.Add(1); return true }) }, func() { m.Load(1) })
	if n.Load() != 1 {
		t.Error("no")
	}
}

func TestPassesBytes(t *testing.T) {
	b := []byte("abcd")
	both(func() { _ = fmt.Sprintf("%s", b[:2]) }, func() { b[3] = 'x' })
	_ = strings.ToUpper(string(b))
}

func TestPassesPool(t *testing.T) {
	p := sync.Pool{New: func() any { return new([]int) }}
	both(func() { s := p.Get().(*[]int); *s = append((*s)[:0], 1); p.Put(s) }, func() { s := p.Get().(*[]int); *s = append((*s)[:0], 2); p.Put(s) })
}

func TestPassesResetBeforeUse(t *testing.T) {
	c := new(counter)
	*c = counter{n: 1}
	both(func() { c.mu.Lock(); c.n++; c.mu.Unlock() }, func() { c.mu.Lock(); c.n++; c.mu.Unlock() })
}

func TestPassesStructs(t *testing.T) {
	type S struct{ a, b int32 }
	ch := make(chan S, 1)
	both(func() { ch <- S{1, 2} }, func() {
		if s := <-ch; s != (S{1, 2}) {
			t.Error(s)
		}
	})
}
