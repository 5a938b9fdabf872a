package main

import (
	"slices"
	"strings"
	"testing"
)

const source = `package p

func (c *cache) get() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.n
}

func (c *cache) put(ok bool) {
	c.mu.Lock()
	if !ok {
		c.mu.Unlock()
		return
	}
	c.n++
	c.mu.Unlock()
	c.mu.Lock()
	go func() {
		other.Lock()
		c.wg.Wait()
	}()
	c.mu.Unlock()
}
`

func TestWhatCanBeRemoved(t *testing.T) {
	all, err := inFile("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.String())
	}
	want := []string{"p.go:4 c.mu.RLock/RUnlock", "p.go:10 c.mu.Lock/Unlock", "p.go:17 c.mu.Lock/Unlock", "p.go:20 c.wg.Wait"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	// The second takes both ways out with it, and leaves the later pair alone.
	left := string(all[1].apply([]byte(source)))
	if n := strings.Count(left, "c.mu.Lock()"); n != 1 {
		t.Errorf("%d locks are left:\n%s", n, left)
	}
	if n := strings.Count(left, "c.mu.Unlock()"); n != 1 || strings.Count(left, "\n") != strings.Count(source, "\n") {
		t.Errorf("%d unlocks are left:\n%s", n, left)
	}
}
