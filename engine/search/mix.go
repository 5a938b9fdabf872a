package search

import (
	"context"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Mix takes turns with the random strategies: each finds bugs that the others
// miss. POS comes first since it found most, PCT last since spinners make it
// slow.
type Mix struct {
	Base
	random *Random
	pos    *POS
	pct    *PCT
	cut    int // runs seen that were cut off at a limit of steps or virtual time
	ended  int // and others
}

// mix is one round: 5 of POS, 3 of random walk, 2 of PCT.
const mix = "ppwpwpwptt"

// endless is a round for programs none of whose runs has ended. There is more to do than
// a run may; by priorities some goroutines come to their end all the same.
const endless = "tptwttptt"

// NewMix makes a mix of the random strategies.
func NewMix(seed uint64) *Mix {
	return &Mix{random: NewRandom(seed), pos: NewPOS(seed), pct: NewPCT(seed, 0)}
}

// Next implements Strategy.
func (s *Mix) Next(_ context.Context, n int) (run.Spec, bool) {
	if n == 0 {
		return plain(), true
	}
	round := mix
	if s.ended == 0 && s.cut > 0 {
		round = endless
	}
	switch round[(n-1)%len(round)] {
	case 'p':
		return s.pos.spec(n), true
	case 'w':
		return s.random.spec(n), true
	default:
		return s.pct.spec(n), true
	}
}

// Observe implements Strategy.
func (s *Mix) Observe(spec run.Spec, r *run.Result) {
	switch {
	case r.Hang:
	case r.Outcome.Kind == trace.StepLimit || r.Outcome.Cut:
		s.cut++
	default:
		s.ended++
	}
	s.random.Observe(spec, r)
	s.pos.Observe(spec, r)
	s.pct.Observe(spec, r)
}
