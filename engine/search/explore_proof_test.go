package search_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// An exploration whose runs are more than a solver takes ends without a proof,
// and says so. (That proofs are true is what solve/difftest looks at.)
func TestTooLargeIsNoProof(t *testing.T) {
	p := minigo.Generate(rand.New(rand.NewPCG(1, 7)), minigo.Size{Threads: 2, Steps: 3})
	s := search.NewExplore(solve.Limit(native.New(), 3))
	runner := &minigo.Runner{Program: p}
	s.WithoutWalks()
	runs := 0
	for s.Waits() && runs < 100 {
		spec, ok := s.Next(ctx, runs)
		if !ok {
			continue
		}
		runs++
		r, err := runner.Run(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		s.Observe(spec, r)
	}
	if proved, why := s.Proved(); proved || runs == 100 || !strings.Contains(why, "more than the 3 that it solves at once") {
		t.Errorf("after %d runs: proved %v, %s", runs, proved, why)
	}
}
