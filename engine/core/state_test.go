package core_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/core/coretest"
	"github.com/hocket-dev/hocket/engine/dump"
)

// programs end in all the ways that leave a core.
var programs = map[string]string{
	"panic": `package main
import "fmt"
type T struct{ n int }
func (t *T) check(i int) { if t.n > 3 { panic(fmt.Errorf("too large: %d", t.n+i)) } }
func main() { go func() { select {} }(); t := &T{}; for i := range 9 { t.n = i; t.check(2) } }`,
	"panic of a panic": `package main
type node struct{ next *node; v int }
func walk(n *node, d int) int { if d == 0 { return n.next.next.v }; return walk(n, d-1) + 1 }
func main() { defer func() { if e := recover(); e != nil { panic("again\nand more") } }(); println(walk(&node{}, 3)) }`,
	"panic in a group": `package main
import "sync"
type node struct{ next *node; v int }
func main() { var wg sync.WaitGroup; wg.Go(func() { n := &node{}; println(n.next.v) }); wg.Wait() }`,
	"nil in an inlined call": `package main
type conn struct{ id int }
func (c *conn) name() int { return c.id }
type pool struct{ all map[string]*conn }
func (p *pool) of(key string) int { return p.all[key].name() }
func main() { p := &pool{all: map[string]*conn{}}; println(p.of("a")) }`,
	"nil after an inlined call": `package main
import "container/list"
type queue struct{ l *list.List; n int }
func (q *queue) drop() { for q.n >= 0 { q.n -= q.l.Front().Value.(int) } }
func main() { q := &queue{l: list.New()}; q.drop() }`,
	"deep": `package main
func down(n int) int { if n == 0 { panic("bottom") }; return down(n-1) + 1 }
func main() { println(down(70)) }`,
	"runtime error": `package main
import "os"
func main() { s := make([]int, 3); println(s[len(os.Args)+4]) }`,
	"deadlock": `package main
import "sync"
type bank struct{ a, b sync.Mutex }
func (k *bank) toB(r chan int) { k.a.Lock(); r <- 1; <-r; k.b.Lock() }
func (k *bank) toA(r chan int) { k.b.Lock(); <-r; r <- 1; k.a.Lock() }
func main() {
	k, r := &bank{}, make(chan int)
	var wg sync.WaitGroup
	wg.Go(func() { k.toB(r) })
	wg.Go(func() { k.toA(r) })
	wg.Wait()
}`,
	"fatal": `package main
import "sync"
var mu sync.Mutex
func main() { done := make(chan bool); go func() { mu.Unlock(); close(done) }(); <-done }`,
	"quit": `package main
import ("os"; "syscall"; "time")
func worker(c chan int) { for range c {} }
func main() {
	c := make(chan int)
	for range 5 { go worker(c) }
	time.Sleep(20 * time.Millisecond)
	syscall.Kill(os.Getpid(), syscall.SIGQUIT)
	select {}
}`,
}

// What a core tells is what the program printed as it died.
func TestStateIsWhatWasPrinted(t *testing.T) {
	for name, source := range programs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin := coretest.Build(t, source)
			file, output := coretest.Crash(t, bin)
			printed, err := dump.Read(strings.NewReader(output), "output")
			if err != nil {
				t.Fatal(err)
			}
			c, err := core.Open(t.Context(), file, "")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			got, err := c.State(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := printed[0]
			if got.Kind != want.Kind || strings.TrimSuffix(want.Message, " ") != got.Message && want.Kind != dump.Quit {
				t.Errorf("%s %q, printed: %s %q", got.Kind, got.Message, want.Kind, want.Message)
			}
			if diff := cmp.Diff(stands(want), stands(got)); diff != "" {
				t.Errorf("-printed +core:\n%s", diff)
			}
		})
	}
}

// stands are the user's goroutines of a state, in any order.
func stands(s *dump.State) (out []string) {
	for _, g := range s.Goroutines {
		if !g.IsUser() {
			continue
		}
		var b strings.Builder
		if g.Failing {
			b.WriteString("failing ")
		}
		b.WriteString(g.Reason + " x" + string(rune('0'+g.Count)))
		for _, f := range dump.User(g.Frames) {
			b.WriteString(" " + f.String())
		}
		b.WriteString(" by " + g.Created.String())
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

func TestRefused(t *testing.T) {
	bin := coretest.Build(t, programs["panic"])
	file, _ := coretest.Crash(t, bin)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := filepath.Join(dir, "main.go")
	write("main.go", []byte("package main"))
	for _, c := range []struct{ name, file, exe, want string }{
		{"cut", write("cut", data[:len(data)/2]), "", "the core is cut"},
		{"cut within its headers", write("head", data[:80]), "", "not a whole ELF file"},
		{"an executable", bin, "", "no core"},
		{"another build", file, coretest.Build(t, programs["fatal"]), "is not the build that made it"},
		{"another architecture", file, crossBuild(t), "for amd64"},
		{"no executable", file, text, "no ELF executable"},
		{"no such executable", file, "/nowhere/prog", "open the executable"},
		{"no file", "/nowhere/core", "", "no such file"},
		{"a folder", dir, "", "no regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := core.Open(t.Context(), c.file, c.exe)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
	if _, err := core.Open(t.Context(), file, coretest.Build(t, programs["panic"], "-ldflags=-w")); err == nil {
		t.Error("a build without debug information was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := core.Open(ctx, file, ""); err == nil {
		c.Close()
	}
}

func crossBuild(t *testing.T) string {
	t.Setenv("GOARCH", "arm64")
	t.Setenv("CGO_ENABLED", "0")
	return coretest.Build(t, programs["panic"])
}

// Any bytes in a core's place give an error or a state, and no panic.
func TestDamaged(t *testing.T) {
	bin := coretest.Build(t, programs["deadlock"])
	file, _ := coretest.Crash(t, bin)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		broken := slices.Clone(data)
		step := 1 + i*i*i*37
		for at := 64 + i*11; at < len(broken); at += step * 997 {
			broken[at] ^= byte(1 << (i % 8))
		}
		path := filepath.Join(t.TempDir(), "core")
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := core.Open(t.Context(), path, bin)
		if err != nil {
			continue
		}
		c.State(t.Context())
		c.Close()
	}
}
