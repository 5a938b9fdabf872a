package process_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// pairsProgram communicates by a plain variable under a lock, an atomic one
// and a channel.
const pairsProgram = `package main

import (
	"sync"
	"sync/atomic"
)

type shared struct {
	mu    sync.Mutex
	plain int
	turns atomic.Int32
}

//go:noinline
func (s *shared) add() int {
	s.mu.Lock()
	s.plain++
	n := s.plain
	s.mu.Unlock()
	s.turns.Store(s.turns.Load() + 1)
	return n
}

func main() {
	s, done := &shared{}, make(chan int)
	for range 3 {
		go func() {
			s.add()
			done <- s.add()
		}()
	}
	for range 3 {
		<-done
	}
}
`

func TestPairs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module pairs\n\ngo 1.26\n", "main.go": pairsProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(context.Background(),
		instrument.Target{Dir: dir, ImportPath: "pairs", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	runSpec := func(s run.Spec) *run.Result {
		t.Helper()
		r, err := p.Run(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := runSpec(run.Spec{Strategy: run.POS, Seed: 1}); r.Pairs != nil {
		t.Errorf("pairs that nobody asked for: %v", r.Pairs)
	}
	differ := false
	var before []run.ReadsFrom
	for seed := range uint64(3) {
		spec := run.Spec{Strategy: run.POS, Seed: seed, Pairs: true}
		r := runSpec(spec)
		if len(r.Pairs) < 3 {
			t.Fatalf("only %v", r.Pairs)
		}
		replayed := spec
		replayed.Strategy, replayed.Schedule = run.Replay, r.Schedule
		for _, again := range []*run.Result{runSpec(spec), runSpec(replayed)} {
			if !reflect.DeepEqual(again.Pairs, r.Pairs) {
				t.Errorf("equal runs, other pairs:\n%v\n%v", r.Pairs, again.Pairs)
			}
		}
		differ = differ || before != nil && !reflect.DeepEqual(before, r.Pairs)
		before = r.Pairs
		for i := range r.Pairs {
			fromThere(t, runSpec, r, r.Pairs[i], []run.Strategy{run.POS, run.Random, run.PCT, run.Replay}[i%4])
		}
	}
	if !differ {
		t.Error("all schedules give the same pairs")
	}
}

// fromThere goes on by a strategy from where r showed a pair: the run follows r
// to there and shows the pair again.
func fromThere(t *testing.T, runSpec func(run.Spec) *run.Result, r *run.Result, pair run.ReadsFrom, then run.Strategy) {
	t.Helper()
	head := r.Schedule
	head.Segments = slices.Clone(head.Segments[:pair.Segment])
	head.Segments[pair.Segment-1].Until = pair.Count
	got := runSpec(run.Spec{Strategy: then, Seed: 77, Depth: 2, Length: 50, Schedule: head, Pairs: true})
	if got.Diverged {
		t.Errorf("%s: diverged", then)
	}
	for i, want := range head.Segments {
		s := got.Schedule.Segments[i]
		if last := i == len(head.Segments)-1; s.G != want.G || !last && s.Until != want.Until || last && s.Until < want.Until {
			t.Fatalf("%s: segment %d is %v, want %v", then, i, s, want)
		}
	}
	if !slices.ContainsFunc(got.Pairs, func(q run.ReadsFrom) bool {
		return q.ID == pair.ID && q.Segment == pair.Segment && q.Count == pair.Count
	}) {
		t.Errorf("%s: no pair %+v among %+v", then, pair, got.Pairs)
	}
	if got.Outcome.Kind != trace.Passed {
		t.Errorf("%s: %s", then, got.Outcome.Kind)
	}
}
