package reduce

import (
	"context"
	"errors"
	"fmt"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Pair is a failing run and the passing one that differs least from it, both
// recorded in full.
type Pair struct {
	Failing, Passing *run.Result
	Distance         int  // edit distance of the two lists of segments
	Removed          int  // the switch that Passing lacks (Evidence.Switch), -1 if from the pool
	Preempt          bool // that switch is a preemption
	SameInput        bool // equal seeds, choices, clock step and hot places: only the order differs
}

// ErrNoPassing means that no passing run is known.
var ErrNoPassing = errors.New("no passing schedule is known")

// NearestPassing chooses among the runs that Necessity saw pass without one
// switch; only without any, among the pool, where runs of the same input come
// first. Both runs are repeated with Record Full.
func NearestPassing(ctx context.Context, runner run.Runner, s *Simplified, evidence []Evidence, pool []*run.Result, opt Options) (*Pair, error) {
	best := nearest(s.Result, evidence, pool)
	if best == nil {
		return nil, ErrNoPassing
	}
	base := opt.Base
	base.Record = run.Full
	failing := run.ReplayOf(base, s.Result)
	failing.Schedule = s.Schedule
	got, err := run.RunEach(ctx, runner, []run.Spec{failing, run.ReplayOf(base, best.Passing)})
	if err != nil {
		return nil, fmt.Errorf("record the failing and the passing run: %w", err)
	}
	if got[0].Hash != s.Result.Hash || got[1].Hash != best.Passing.Hash {
		return nil, fmt.Errorf("record the failing and the passing run: %w", ErrNotReplayed)
	}
	best.Failing, best.Passing = got[0], got[1]
	return best, nil
}

func nearest(failing *run.Result, evidence []Evidence, pool []*run.Result) (best *Pair) {
	consider := func(r *run.Result, removed int, preempt bool) {
		p := &Pair{
			Passing: r, Removed: removed, Preempt: preempt,
			SameInput: equalSettings(r.Schedule, failing.Schedule),
			Distance:  distance(r.Schedule.Segments, failing.Schedule.Segments),
		}
		if best == nil || p.nearer(best) {
			best = p
		}
	}
	for _, e := range evidence {
		if !e.Needed() {
			continue
		}
		for _, r := range e.Passing {
			consider(r, e.Switch, e.Preempt)
		}
	}
	if best != nil {
		return best
	}
	for _, e := range evidence { // not needed, but these passed all the same
		for _, r := range e.Passing {
			consider(r, e.Switch, e.Preempt)
		}
	}
	for _, r := range pool {
		consider(r, -1, false)
	}
	return best
}

func (p *Pair) nearer(q *Pair) bool {
	switch {
	case p.SameInput != q.SameInput:
		return p.SameInput
	case p.Preempt != q.Preempt:
		return p.Preempt
	}
	return p.Distance < q.Distance
}

// distanceLimit bounds the quadratic part of distance; longer middles count as
// wholly different.
const distanceLimit = 1500

// distance is the edit distance of two schedules, segment by segment.
func distance(a, b []trace.Segment) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) > distanceLimit || len(b) > distanceLimit {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
