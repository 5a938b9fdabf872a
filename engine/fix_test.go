package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/internal/testmodule"
)

// leases has a check and an act in two critical sections, and a test that every run of
// which leaves a goroutine behind that has nothing to do with it.
const leases = `-- go.mod --
module example.com/leases

go 1.26
-- pool.go --
package leases

import "sync"

// Pool hands leases out.
type Pool struct {
	mu    sync.Mutex
	left  int
	taken map[string]int
}

func (p *Pool) free() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left
}

// Take takes a lease, if one is left.
func (p *Pool) Take(who string) bool {
	if p.free() < 1 {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left--
	p.taken[who]++
	return true
}
-- pool_test.go --
package leases

import (
	"sync"
	"testing"
)

var hub = make(chan int)

func TestTake(t *testing.T) {
	go func() { <-hub }()
	p := &Pool{left: 1, taken: map[string]int{}}
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		wg.Go(func() { p.Take(who) })
	}
	wg.Wait()
	if p.left < 0 {
		t.Error("more leases than there are")
	}
}

func TestOneByOne(t *testing.T) {
	p := &Pool{left: 1, taken: map[string]int{}}
	if !p.Take("a") || p.Take("b") || p.taken["a"] != 1 {
		t.Error(p)
	}
}
`

// TestCheckFix hands right and wrong repairs to the verifier.
func TestCheckFix(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	dir := testmodule.New(t, leases)
	rep, err := Find(t.Context(), FindOptions{Dir: dir, Run: "TestTake", Budget: 5 * time.Minute, FreeBuild: true}, nil)
	if err != nil || len(rep.Findings) != 1 {
		t.Fatal(rep, err)
	}
	f := rep.Findings[0]
	take := section(t, leases, "	if p.free() < 1 {", "	return true\n}")
	for _, c := range []struct {
		name     string
		old, new string // pairs of what is replaced in pool.go
		verified bool
		says     string // of its reason, or of what the ordinary build did
	}{
		{"one critical section", take, `	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left < 1 {
		return false
	}
	p.left--
	p.taken[who]++
	return true
}`, true, "^(in [0-9]+ runs? of the ordinary build with the fix the failing order|its order (was|can't be) played|of its order, what has places|$)"},
		{"a comment", "	p.left--\n", "	// one less\n	p.left--\n", false, "^it still fails: more leases"},
		{"what does not compile", "p.left--", "p.left -= nowhere", false, "^it does not compile: .*nowhere"},
		{"a lock of each call", take, "	var one sync.Mutex\n	one.Lock()\n	defer one.Unlock()\n" + take, false, "^it still fails"},
		{"a lock taken twice", take, "	p.mu.Lock()\n	defer p.mu.Unlock()\n" + take, false, "^it fails (plainly|in another way)"},
		{"a lock that is not released", take, strings.Replace(take, "	if p.free() < 1 {\n", "	p.mu.Lock()\n	if p.left < 1 {\n", 1), false, "."},
		{"the write gone", "	p.left--\n", "", false, "^it takes the write of p.left away"},
		{"nobody gets one", "	if p.free() < 1 {", "	if p.free() < 2 {", false, "^line pool.go:.* is not executed any more|^TestOneByOne fails|cause does nothing"},
		{"dead code in its place", "	if p.free() < 1 {", "	if p.free() < 1 || p.taken[who] >= 0 {", false, "^line pool.go:.* is not executed any more|^TestOneByOne fails|cause does nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, "pool.go")
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), c.old) {
				t.Fatal(err, c.old)
			}
			edited := strings.Replace(string(text), c.old, c.new, 1)
			fix, err := CheckFix(t.Context(), FixOptions{Dir: dir, ID: f.ID, Budget: 5 * time.Minute}, map[string][]byte{path: []byte(edited)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			said := fix.Reason + fix.Order
			if (fix.Verified != "") != c.verified || !regexp.MustCompile(c.says).MatchString(said) {
				t.Errorf("verified %q: %s", fix.Verified, said)
			}
			if now, _ := os.ReadFile(path); string(now) != string(text) {
				t.Error("the file was changed")
			}
		})
	}
}

// section is a part of a text, from the start of one string to the end of another.
func section(t *testing.T, text, from, to string) string {
	t.Helper()
	start := strings.Index(text, from)
	end := strings.Index(text[max(start, 0):], to)
	if start < 0 || end < 0 {
		t.Fatal(from, to)
	}
	return text[start : start+end+len(to)]
}
