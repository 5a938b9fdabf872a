package verify

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
)

const counting = `package p

func (s *S) set(k string, v int) {
	s.m[k] = v
	s.n++
	s.last.Store(s.next)
	close(s.done)
	println(len(s.m), s.n)
}
`

// TestUnwritten: a write, store or close of the cause may be done elsewhere, or in another way,
// but not be gone.
func TestUnwritten(t *testing.T) {
	for _, c := range []struct {
		name, op, v string
		line        int
		old, new    string
		gone        bool
	}{
		{"a map write", "write", "s.m", 4, "	s.m[k] = v\n", "", true},
		{"read instead", "write", "s.m", 4, "s.m[k] = v", "_ = s.m[k]", true},
		{"under a lock", "write", "s.m", 4, "	s.m[k] = v\n", "	s.mu.Lock()\n	s.m[k] = v\n	s.mu.Unlock()\n", false},
		{"in a closure", "write", "s.m", 4, "s.m[k] = v", "s.do(func() { s.m[k] = v })", false},
		{"further down", "write", "s.m", 4, "	s.m[k] = v\n	s.n++\n", "	s.n++\n	s.m[k] = v\n", false},
		{"an atomic count", "write", "s.n", 5, "s.n++", "s.n.Add(1)", false},
		{"an atomic count of an address", "write", "s.n", 5, "s.n++", "atomic.AddInt64(&s.n, 1)", false},
		{"loaded instead", "write", "s.n", 5, "s.n++", "s.n.Load()", true},
		{"a swap", "store", "s.last", 6, "s.last.Store(s.next)", "s.last.CompareAndSwap(nil, s.next)", false},
		{"a store gone", "store", "s.last", 6, "	s.last.Store(s.next)\n", "", true},
		{"a close gone", "close", "s.done", 7, "	close(s.done)\n", "", true},
		{"closed once", "close", "s.done", 7, "close(s.done)", "s.once.Do(func() { close(s.done) })", false},
		{"another write gone", "write", "s.m", 4, "	s.n++\n", "", false},
		{"a read gone", "read", "s.m", 8, "	println(len(s.m), s.n)\n", "", false},
	} {
		after := strings.Replace(counting, c.old, c.new, 1)
		k := edited("")
		k.Roots = site.Roots{Module: "/m"}
		k.Finding = &report.Finding{RootCause: []report.Access{{File: "a.go", Line: c.line, Op: c.op, Var: c.v}}}
		k.before, k.files = map[string][]byte{"/m/a.go": []byte(counting)}, map[string][]byte{"/m/a.go": []byte(after)}
		k.hunks = map[string][]hunk{"/m/a.go": hunks([]byte(counting), []byte(after))}
		if why := k.unwritten(); (why != "") != c.gone {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}
