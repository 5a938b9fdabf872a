package paths_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/tracedb"
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
	t.Cleanup(r.Close)
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

// TestForms: forms of the language in which branches come. What the program prints is
// what the plain program prints, and what was recorded of "main" is listed by the
// function and the outcome.
func TestForms(t *testing.T) {
	archive, err := os.ReadFile("testdata/forms.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := testmodule.New(t, string(archive))
	plain := exec.Command("go", "run", ".")
	plain.Dir = dir
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	r := build(t, dir, "main")
	rec := run(t, r, paths.Options{})
	if rec.Output != string(want) || rec.Outcome != tracedb.Passed {
		t.Fatalf("it printed\n%s\nbut the plain program\n%s", rec.Output, want)
	}
	seen := map[string]string{}
	for _, th := range rec.Threads {
		for _, x := range th.Tokens {
			_, fn, _ := strings.Cut(r.Program.Sites[x/2].Func, "m.")
			seen[fn] += string('0' + rune(x%2))
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	// A function's comment ends with what is recorded in it.
	for line := range strings.Lines(string(text)) {
		if comment, ok := strings.CutPrefix(line, "// "); ok {
			name, want, found := strings.Cut(strings.TrimSpace(comment), ": recorded ")
			if found && seen[name] != strings.TrimSuffix(want, "none") {
				t.Errorf("%s: recorded %q, want %q", name, seen[name], want)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %d functions were recorded: %v", len(seen), seen)
	}
}

// TestEnds: however a program ends, what it recorded is there.
func TestEnds(t *testing.T) {
	dir := module(t, `package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

var shared int
var mu sync.Mutex

func count(n int) {
	for i := 0; i < n; i++ {
		mu.Lock()
		if shared >= 0 {
			shared++
		}
		mu.Unlock()
	}
}

func main() {
	done := make(chan bool)
	go func() { count(70000); done <- true }()
	<-done
	switch os.Args[1] {
	case "exit":
		os.Exit(3)
	case "panic":
		var p *int
		*p = 1
	case "deadlock":
		<-done
	case "goroutine":
		go func() { panic("boom") }()
		<-done
	case "overflow":
		var f func(int) int
		f = func(n int) int { return f(n+1) + 1 }
		f(0)
	case "hang":
		fmt.Println("hangs")
		time.Sleep(time.Minute)
	}
}
`)
	r := build(t, dir, "main")
	for _, c := range []struct {
		arg, outcome, failure string
		torn                  bool
	}{
		{"return", tracedb.Passed, "", false},
		{"exit", paths.Failed, "", false},
		{"panic", paths.Failed, "panic: runtime error: invalid memory address or nil pointer dereference", false},
		{"deadlock", paths.Failed, "fatal error: all goroutines are asleep - deadlock!", false},
		{"goroutine", paths.Failed, "panic: boom", false},
		{"overflow", paths.Failed, "", false},
		{"hang", paths.TimedOut, "it ran longer than 1.5s", true},
	} {
		it := r.Binary.Target
		it.Args = []string{c.arg}
		limit := time.Minute
		if c.torn {
			limit = 1500 * time.Millisecond
		}
		rec := run(t, r.For(it), paths.Options{Timeout: limit})
		if rec.Outcome != c.outcome || rec.Failure != c.failure && c.failure != "" || rec.Torn != c.torn {
			t.Errorf("%s: %s, %q, torn %v", c.arg, rec.Outcome, rec.Failure, rec.Torn)
		}
		i := slices.IndexFunc(rec.Threads, func(th tracedb.Thread) bool { return th.Name == "0.1" })
		if i < 0 || len(rec.Threads[i].Tokens) != 70000 {
			t.Errorf("%s: what the goroutine recorded is not all there: %d goroutines", c.arg, len(rec.Threads))
		}
	}
}

// TestManyGoroutines: goroutines that are short take the rest of others' chunks, and
// none loses or mixes up records.
func TestManyGoroutines(t *testing.T) {
	dir := module(t, `package main

import "sync"

var shared [8]int
var mu sync.Mutex

func main() {
	for range 40 {
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := 0; k < i*i; k++ {
					mu.Lock()
					if shared[i%8] < 1<<40 {
						shared[i%8]++
					}
					mu.Unlock()
				}
			}()
		}
		wg.Wait()
	}
}
`)
	rec := run(t, build(t, dir, "main"), paths.Options{})
	want := map[int]int{}
	for i := range 50 {
		want[i*i] += 40
	}
	got := map[int]int{}
	for _, th := range rec.Threads {
		if th.Name != "0" {
			got[len(th.Tokens)]++
			if slices.ContainsFunc(th.Tokens, func(x uint64) bool { return x != th.Tokens[0] }) {
				t.Fatalf("%s: %v", th.Name, th.Tokens)
			}
		}
	}
	got[0] += 40 // a goroutine without records has no chunk
	for n, k := range want {
		if got[n] != k {
			t.Errorf("%d goroutines with %d records, want %d", got[n], n, k)
		}
	}
	if least := int64(rec.Log.Records * 2); rec.Log.Bytes > 2*least {
		t.Errorf("the log has %d bytes for %d records", rec.Log.Bytes, rec.Log.Records)
	}
}

// TestFamilies: goroutines that start others, on all processors at once: a child may
// have a smaller number than its parent.
func TestFamilies(t *testing.T) {
	dir := module(t, `package main

import "sync"

var shared int
var mu sync.Mutex

func grow(depth int, wg *sync.WaitGroup) {
	defer wg.Done()
	mu.Lock()
	if shared >= 0 {
		shared++
	}
	mu.Unlock()
	for range 3 {
		if depth > 0 {
			wg.Add(1)
			go grow(depth-1, wg)
		}
	}
}

func main() {
	for range 5 {
		var wg sync.WaitGroup
		wg.Add(1)
		go grow(5, &wg)
		wg.Wait()
	}
}
`)
	r := build(t, dir, "main")
	var first []string
	for range 5 {
		rec := run(t, r, paths.Options{})
		var names []string
		for _, th := range rec.Threads {
			names = append(names, th.Name)
		}
		if want := 5*(1+3+9+27+81+243) + 1; len(names) != want {
			t.Fatalf("%d goroutines, want %d", len(names), want)
		}
		if first == nil {
			first = names
		}
		if !slices.Equal(names, first) {
			t.Error("goroutines have other names in another run")
		}
	}
}

// TestKilled: a program that starts goroutines all the time is killed at moments of
// chance; what it recorded can be read each time.
func TestKilled(t *testing.T) {
	dir := module(t, `package main

import "sync"

var shared int
var mu sync.Mutex

func work(n int) {
	for i := 0; i < n; i++ {
		mu.Lock()
		if shared >= 0 {
			shared++
		}
		mu.Unlock()
	}
}

func main() {
	for range 4 {
		go func() {
			for n := 0; ; n++ {
				done := make(chan bool)
				go func() { work(n % 300); close(done) }()
				<-done
			}
		}()
	}
	select {}
}
`)
	r := build(t, dir, "main")
	rng := rand.New(rand.NewPCG(3, 4))
	n, records := 60, 0
	if testing.Short() {
		n = 10
	}
	for range n {
		rec := run(t, r, paths.Options{Timeout: time.Duration(1+rng.IntN(40)) * time.Millisecond})
		if rec.Outcome != paths.TimedOut || !rec.Torn {
			t.Fatalf("%s: %s", rec.Outcome, rec.Output)
		}
		for _, th := range rec.Threads {
			records += len(th.Tokens)
			// The loop goes on, the condition is true; at last the loop ends.
			for i, x := range th.Tokens {
				if want := uint64(1 + i%2*2); x != want && (x != 0 || i%2 != 0 || i != len(th.Tokens)-1) {
					t.Fatalf("%s: step %d of %v", th.Name, i, th.Tokens)
				}
			}
		}
	}
	if records < 1000*n {
		t.Errorf("only %d records in %d runs", records, n)
	}
}

// TestFullLog: the program goes on, and the run says that it has not all.
func TestFullLog(t *testing.T) {
	dir := module(t, "package main\n\nvar n int\n\nfunc main() {\n\tdone := make(chan int)\n\tgo func() {\n\t\tfor n < 20_000_000 {\n\t\t\tn++\n\t\t}\n\t\tdone <- n\n\t}()\n\tprintln(<-done)\n}\n")
	rec := run(t, build(t, dir, "main"), paths.Options{Size: 1 << 20})
	if rec.Outcome != tracedb.Passed || rec.Output != "20000000\n" || !rec.Log.Full || !rec.Torn || rec.Log.Records < 400_000 || rec.Log.Bytes > 1<<20 {
		t.Errorf("%+v, torn %v, %q, %d records in %d bytes", rec.Outcome, rec.Torn, rec.Output, rec.Log.Records, rec.Log.Bytes)
	}
}

// FuzzLog: what is read of a damaged log is an error or a path of branches that there
// are.
func FuzzLog(f *testing.F) {
	head := make([]byte, rt.PathHead)
	word := func(b []byte, i int, v uint64) { binary.NativeEndian.PutUint64(b[8*i:], v) }
	word(head, rt.PathWMagic, rt.PathMagic)
	word(head, rt.PathWVersion, rt.PathVersion)
	word(head, rt.PathWSize, 4096)
	word(head, rt.PathWUsed, 768)
	chunk := make([]byte, 512)
	word(chunk, 0, rt.PathChunk<<32|256)
	word(chunk, 1, 1)
	copy(chunk[rt.PathChunkHead:], []byte{2, 0, 5, 0})
	f.Add(append(head, chunk...))
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		b := slices.Concat(head, chunk)
		b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
		f.Add(b)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		name := filepath.Join(dir, "log")
		if err := os.WriteFile(name, b, 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := paths.ReadLog(name, 3, nil, func(uint64) string { return "f" })
		if err != nil {
			if !strings.Contains(err.Error(), name) {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		for _, th := range l.Threads {
			for _, x := range th.Tokens {
				if x/2 >= 3 {
					t.Errorf("branch %d of 3", x/2)
				}
			}
		}
	})
}
