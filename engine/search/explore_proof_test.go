package search_test

import (
	"math/rand/v2"
	"testing"

	"github.com/hocket-dev/hocket/engine/replay"
	"github.com/hocket-dev/hocket/engine/replay/sim/minigo"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// What an exploration proves is true: after a proof the runs made have shown
// every history that some interleaving gives a goroutine, as enumerated.
func TestProofsCoverEverything(t *testing.T) {
	proofs, tried := 0, 0
	for seed := uint64(1); seed <= 150; seed++ {
		p := minigo.Generate(rand.New(rand.NewPCG(seed, 7)), minigo.Size{Threads: 2, Steps: 3})
		b := minigo.Enumerate(p, 20_000)
		if b == nil {
			continue
		}
		tried++
		histories := make([]map[uint64]bool, len(p.Threads))
		for i := range histories {
			histories[i] = map[uint64]bool{}
		}
		s := search.NewExplore(native.New())
		runner := &minigo.Runner{Program: p, Saw: func(_ replay.Spec, seen *minigo.Seen) {
			for i, hs := range seen.Histories {
				for h := range hs {
					histories[i][h] = true
				}
			}
		}}
		runs := drive(t, s, runner, 60)
		proved, _ := s.Proved()
		if !proved {
			continue
		}
		proofs++
		for i, hs := range b.Histories {
			for h := range hs {
				if !histories[i][h] {
					t.Errorf("seed %d: proved by %d runs, but thread %d has %d of %d histories\n%v", seed, runs, i, len(histories[i]), len(hs), p)
					break
				}
			}
		}
	}
	t.Logf("%d of %d programs were proved", proofs, tried)
	if proofs < 20 {
		t.Errorf("only %d of %d programs were proved", proofs, tried)
	}
}

// drive makes attempts until the strategy has no more, or limit.
func drive(t *testing.T, s *search.Explore, runner replay.Runner, limit int) int {
	t.Helper()
	n := 0
	for n < limit {
		spec, ok := s.Next(n)
		if !ok && !s.Waits() {
			break
		}
		if !ok {
			continue // all was observed already
		}
		n++
		r, err := runner.Run(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		s.Observe(spec, r)
	}
	return n
}
