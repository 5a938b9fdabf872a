package process_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

const ordered = `package main

import (
	"fmt"
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	came := ""
	for i := range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Duration(i) * time.Millisecond)
			mu.Lock()
			came += fmt.Sprint(i)
			mu.Unlock()
		}()
	}
	wg.Wait()
	panic(came)
}
`

// Goroutines come in the order that is asked for, though those that are to come first
// sleep longer; the schedule that the run had gives the same again.
func TestOrders(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module ordered\n\ngo 1.26\n", "main.go": ordered} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(t.Context(), instrument.Target{Dir: dir, ImportPath: "ordered", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	p := program(t, bin, "main")
	first, err := p.Run(t.Context(), run.Spec{Strategy: run.Ordered, Record: run.Full})
	if err != nil {
		t.Fatal(err)
	}
	// Nothing is asked for: no time passes by chance, though the schedule allows it.
	for seed := range uint64(8) {
		res, err := p.Run(t.Context(), run.Spec{Strategy: run.Ordered, Seed: seed, Schedule: trace.Schedule{Delay: int64(time.Second)}})
		if err != nil {
			t.Fatal(err)
		}
		if res.Delayed != 0 || res.Hash != first.Hash {
			t.Errorf("seed %d: delayed by %v: %s", seed, res.Delayed, res.Outcome.Message)
		}
	}
	lock := map[string]run.Order{} // of each goroutine, its lock
	for _, e := range first.Trace.Events {
		if g := first.Trace.Goroutine(e.G); e.Op == trace.OpLock && g.Parent == 1 {
			lock[g.Path] = run.Order{G: g.Key, Count: e.Count}
		}
	}
	after := func(a, b string) run.Order {
		return run.Order{G: lock[a].G, Count: lock[a].Count, After: lock[b].G, AfterCount: lock[b].Count}
	}
	for want, orders := range map[string][]run.Order{
		"panic: 012": {after("0.2", "0.1")},
		"panic: 210": {after("0.2", "0.3"), after("0.1", "0.2")},
		"panic: 201": {after("0.1", "0.3"), after("0.2", "0.1")},
	} {
		spec := run.Spec{Strategy: run.Ordered, Orders: orders, Schedule: trace.Schedule{Delay: int64(time.Second)}}
		res, err := p.Run(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		if res.Outcome.Message != want {
			t.Errorf("%s, want %s", res.Outcome.Message, want)
		}
		again, err := p.Run(t.Context(), run.ReplayOf(run.Spec{}, res))
		if err != nil {
			t.Fatal(err)
		}
		if again.Outcome.Message != want || again.Hash != res.Hash {
			t.Errorf("its schedule gives %s, want %s", again.Outcome.Message, want)
		}
	}
}
