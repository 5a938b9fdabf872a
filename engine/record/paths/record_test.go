package paths_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// builder keeps its files in the cache folder that other tests of builds use: the
// runtime is compiled once.
func builder(t testing.TB) *instrument.Builder {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return instrument.NewBuilder(filepath.Join(dir, "hocket-tests"))
}

func build(t testing.TB, dir, entry string) *paths.Recorder {
	t.Helper()
	it := instrument.Target{Dir: dir, ImportPath: "example.com/m", Test: entry != "main", Entry: entry}
	r, err := paths.Build(t.Context(), builder(t), it, target.RootsOf(dir).Name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func run(t testing.TB, r *paths.Recorder, o paths.Options) *paths.Recorded {
	t.Helper()
	rec, err := r.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func module(t testing.TB, main string) string {
	t.Helper()
	return testmodule.New(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- main.go --\n"+main)
}

func TestSmoke(t *testing.T) {
	dir := module(t, `package main

import (
	"fmt"
	"sync"
)

var mu sync.Mutex
var n int

func work(k int) {
	for range k {
		mu.Lock()
		if n%3 == 0 && n > 2 {
			n += 2
		} else {
			n++
		}
		mu.Unlock()
	}
}

func main() {
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { work(4 + i) })
	}
	wg.Wait()
	fmt.Println(n)
}
`)
	r := build(t, dir, "main")
	rec := run(t, r, paths.Options{})
	t.Logf("%+v %v", rec.Run, rec.Log)
	t.Log(rec.Output, r.Program.Sites, r.Places, r.Left)
	_ = strings.TrimSpace
}
