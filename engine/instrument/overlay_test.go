package instrument

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A controlled build compiles, and the program runs as usual when nobody
// controls it.
func TestControlBuildRunsFree(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module free\n\ngo 1.26\n")
	write("main.go", `package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var a atomic.Int64
	var p atomic.Pointer[int]
	n := 0
	ch := make(chan int)
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			n++
			mu.Unlock()
			a.Add(2)
			p.Store(&n)
			ch <- i
		})
	}
	sum := 0
	for range 4 {
		select {
		case v := <-ch:
			sum += v
		case <-time.After(10 * time.Second):
		}
	}
	wg.Wait()
	fmt.Println(n, a.Load(), sum, time.Now().Year() > 2020)
}
`)
	b := NewBuilder(t.TempDir())
	bin, err := b.Control(context.Background(), Target{Dir: dir, ImportPath: "free", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin.Path).CombinedOutput()
	if err != nil || string(out) != "4 8 6 true\n" {
		t.Fatalf("got %q, %v", out, err)
	}
}
