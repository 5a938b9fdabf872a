package constraint_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/constraint/constrainttest"
)

// TestMustBeforeAndWritersAreSound: what must come before does so in all valid
// schedules, and what a read takes is among its writers.
func TestMustBeforeAndWritersAreSound(t *testing.T) {
	known, taken := 0, 0
	for seed := range 1500 {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		s := constrainttest.System(r, constrainttest.Small(r))
		must, c := s.MustBefore(), constraint.NewChecker(s)
		writers := map[constraint.EventID][]constraint.EventID{}
		all := worlds(s, r, 2000)
		for a := range constraint.EventID(len(s.Events)) {
			for b := range constraint.EventID(len(s.Events)) {
				if !must.Before(a, b) {
					continue
				}
				if s.Events[a].Thread != s.Events[b].Thread {
					known++
				}
				for i := range all {
					if pos := all[i].pos; pos[b] < pos[s.End()] && pos[a] > pos[b] {
						t.Fatalf("seed %d: %d must come before %d, but %v is valid\n%v", seed, a, b, all[i].order, describe(s))
					}
				}
			}
		}
		for i := range all {
			for read, w := range all[i].from {
				if s.Events[read].Op == constraint.Recv && s.Events[read].Outcome == constraint.Closed {
					continue
				}
				taken++
				if _, ok := writers[read]; !ok {
					writers[read] = c.Writers(read)
				}
				if !slices.Contains(writers[read], w) {
					t.Fatalf("seed %d: %d took from %d in %v, but its writers are %v\n%v", seed, read, w, all[i].order, writers[read], describe(s))
				}
			}
		}
	}
	if known == 0 || taken == 0 {
		t.Error(known, taken)
	}
}
