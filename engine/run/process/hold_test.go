package process_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// holdProgram deadlocks only if one goroutine stops between two locks, and panics
// only if the other one is late.
const holdProgram = `package main

import (
	"os"
	"sync"
)

type pair struct {
	a, b sync.Mutex
	open chan int
}

func (p *pair) ab() {
	p.a.Lock()
	p.b.Lock()
	p.b.Unlock()
	p.a.Unlock()
}

func (p *pair) ba() {
	p.b.Lock()
	p.a.Lock()
	p.a.Unlock()
	p.b.Unlock()
}

func main() {
	p := &pair{open: make(chan int)}
	if len(os.Args) > 1 {
		go func() { <-p.open }()
		for range 3 {
			p.ab()
		}
		panic("late")
	}
	var wg sync.WaitGroup
	wg.Go(p.ab)
	wg.Go(p.ba)
	wg.Wait()
}
`

// TestHold: goroutines that are held at two places stand there in the end, and the
// schedule alone leads there again.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module held\n\ngo 1.26\n", "main.go": holdProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "held", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	runner, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	one := func(spec run.Spec) *run.Result {
		t.Helper()
		spec.Stands = true
		r, err := runner.Run(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	at := func(fn string, line int) run.Hold {
		return run.Hold{Lines: []run.HoldLine{{Func: "main.(*pair)." + fn, File: filepath.Join(dir, "main.go"), Line: line}}, Most: 1, Chance: 256}
	}
	if r := one(run.Spec{Strategy: run.Replay}); r.Outcome.Kind != trace.Passed {
		t.Fatalf("without holds: %s", r.Outcome.Kind)
	}
	holds := []run.Hold{at("ab", lineOf("p.b.Lock()", 0)), at("ba", lineOf("p.a.Lock()", 1))}
	held := one(run.Spec{Strategy: run.Random, Seed: 3, Hold: holds})
	if held.Outcome.Kind != trace.Deadlocked {
		t.Fatalf("with holds: %s", held.Outcome.Kind)
	}
	again := one(run.Spec{Strategy: run.Replay, Schedule: held.Schedule})
	if again.Hash != held.Hash || again.Outcome.Kind != trace.Deadlocked {
		t.Errorf("the schedule without holds: %s", again.Outcome.Kind)
	}
	for _, r := range []*run.Result{held, again} {
		want := fmt.Sprintf("main.(*pair).ab:%d sync.Mutex.Lock, main.(*pair).ba:%d sync.Mutex.Lock, main.main:%d sync.WaitGroup.Wait",
			lineOf("p.b.Lock()", 0), lineOf("p.a.Lock()", 1), lineOf("wg.Wait()", 0))
		if got := standing(r); got != want {
			t.Errorf("they stand at %s", got)
		}
	}
	late := one(run.Spec{Strategy: run.Replay, Args: []string{"late"}})
	if got := standing(late); late.Outcome.Kind != trace.Panicked || !strings.Contains(got, fmt.Sprintf("main.main:%d %s", lineOf("panic(", 0), run.Failing)) || !strings.Contains(got, "main.main.func1") {
		t.Errorf("%s, they stand at %s", late.Outcome.Kind, got)
	}
}

// lineOf is the line of holdProgram that has a text, after n others that have.
func lineOf(text string, n int) int {
	for i, line := range strings.Split(holdProgram, "\n") {
		if strings.Contains(line, text) {
			if n == 0 {
				return i + 1
			}
			n--
		}
	}
	return 0
}

// standing lists where goroutines stood, sorted.
func standing(r *run.Result) string {
	var all []string
	for _, s := range r.Stands {
		where := s.Func
		if len(s.Frames) > 0 {
			where = fmt.Sprintf("%s:%d", s.Frames[0].Func, s.Frames[0].Line)
		}
		all = append(all, where+" "+s.Reason)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
