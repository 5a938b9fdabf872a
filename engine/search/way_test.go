package search_test

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// loads is a way that is known by what goroutines load, one after the other.
type loads struct {
	want map[string][]uint64 // by Goroutine.Path
	runs int                 // that were asked about
}

func (w *loads) Left(r *run.Result) (map[uint64]uint32, int) {
	w.runs++
	left, kept, at := map[uint64]uint32{}, 0, map[string]int{}
	for _, e := range r.Trace.Events {
		g := r.Trace.Goroutine(e.G)
		if _, gone := left[g.Key]; gone || e.Op != trace.OpAtomicLoad || w.want[g.Path] == nil {
			continue
		}
		if i := at[g.Path]; i >= len(w.want[g.Path]) || w.want[g.Path][i] != e.Value {
			left[g.Key] = e.Count
			continue
		}
		at[g.Path]++
		kept++
	}
	return left, kept
}

func (w *loads) Fails() bool         { return false }
func (w *loads) Prepare(s *run.Spec) {}

// Goroutines are brought along a way that needs three preemptions, each of which shows
// what the next one needs.
func TestAlong(t *testing.T) {
	program := func(t *sim.Thread) {
		a, b, wg := t.Int(), t.Int(), t.WaitGroup(2)
		t.Go(func(t *sim.Thread) {
			t.Store(a, 1)
			if t.Load(b) == 2 {
				t.Store(a, 3)
				if t.Load(b) == 4 {
					t.Store(a, 5)
				}
			}
			t.Store(a, 6)
			t.Done(wg)
		})
		t.Go(func(t *sim.Thread) {
			if t.Load(a) == 1 {
				t.Store(b, 2)
				if t.Load(a) == 3 {
					t.Store(b, 4)
				}
			}
			t.Store(b, 7)
			t.Done(wg)
		})
		t.Join(wg)
	}
	want := map[string][]uint64{"0.1": {2, 4}, "0.2": {1, 3}}
	w := &loads{want: want}
	s := search.NewAlong(w)
	runner := sim.New(program)
	best := 0
	for n := 0; n < 12 && best < 4; n++ {
		spec, ok := s.Next(t.Context(), n)
		if !ok && s.Waits() {
			spec, ok = s.Next(t.Context(), n)
		}
		if !ok {
			t.Fatalf("nothing is left after %d attempts, of which the best kept to %d of 4", n, best)
		}
		r, err := runner.Run(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		_, kept := w.Left(r)
		best = max(best, kept)
		s.Observe(spec, r)
	}
	if best < 4 {
		t.Errorf("the best attempt kept to %d of 4 loads", best)
	}
	if p := s.Pondered(); p.Asked == 0 || p.Computed == 0 || p.Computed > p.Asked || p.Events == 0 {
		t.Errorf("pondered %+v", p)
	}
}
