package search_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// ends is an aim of runs that end in a way.
type ends struct{ kind trace.OutcomeKind }

func (e ends) Match(r *run.Result) search.Match {
	if r.Outcome.Kind == e.kind {
		return search.Match{Level: search.SameState, Score: 1}
	}
	return search.Match{}
}
func (ends) MatchRace(run.RacePair) bool { return false }
func (ends) Holds() []run.Hold           { return nil }
func (ends) Ways() []run.Hold            { return nil }
func (ends) Wants() []search.Want        { return nil }
func (ends) Fails() bool                 { return false }
func (ends) Near([]trace.Frame) float64  { return 0 }
func (ends) Hot() []string               { return nil }

// Nothing but the state is a finding.
func TestOnlyTheStateIsAFinding(t *testing.T) {
	for _, c := range []struct {
		name    string
		program func(*sim.Thread)
		aim     trace.OutcomeKind
		want    bool
	}{
		{"deadlock", sim.LockOrder, trace.Deadlocked, true},
		{"a deadlock where a panic is looked for", sim.LockOrder, trace.Panicked, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			aim := ends{c.aim}
			o := search.Run(ctx, sim.New(c.program), 0, search.Options{Schedules: 120, Aim: aim, Strategy: search.NewAimedAuto(aim, 1), Base: run.Spec{Stands: true}}, nil)
			found := false
			for _, f := range o.Findings {
				found = found || f.Level == search.SameState
			}
			if found != c.want || !c.want && (len(o.Findings) > 0 || o.Status == search.Clean) {
				t.Errorf("found %v, status %s, %d findings", found, o.Status, len(o.Findings))
			}
		})
	}
}

// A failure that every schedule shows is no question of the order, also if somebody has
// seen it. After few runs nobody knows that, and it is no finding either.
func TestAimedAtWhatAlwaysFails(t *testing.T) {
	always := func(t *sim.Thread) {
		t.Go(func(*sim.Thread) {})
		t.Panic("out of range")
	}
	for schedules, want := range map[int]search.Status{120: search.FailsAlways, 10: search.CutShort} {
		aim := ends{trace.Panicked}
		o := search.Run(ctx, sim.New(always), 0, search.Options{Schedules: schedules, Aim: aim, Strategy: search.NewAimedAuto(aim, 1), Base: run.Spec{Stands: true}}, nil)
		if o.Status != want || len(o.Findings) > 0 || (len(o.Withheld) > 0) != (want == search.CutShort) || (len(o.Always) > 0) != (want == search.FailsAlways) {
			t.Errorf("%d schedules: %s (%s), %d findings, withheld %v, always %v", schedules, o.Status, o.Reason, len(o.Findings), o.Withheld, o.Always)
		}
		reason := map[search.Status]string{search.FailsAlways: "30 of 30 schedules fail: panic: out of range",
			search.CutShort: "each of 10 schedules tried so far fails with a panic: whether any order passes is not known"}[want]
		if o.Reason != reason {
			t.Errorf("reason %q, want %q", o.Reason, reason)
		}
	}
}

// Proposals depend on the seed and on the results observed, not on the number of
// workers nor on who finishes first.
func TestAimedIsDeterministic(t *testing.T) {
	aim := ends{trace.FatalError}
	for _, program := range []func(*sim.Thread){sim.Staircase, sim.Racy} {
		var want string
		for _, workers := range []int{1, 3} {
			log := &aimedLog{Strategy: search.NewAimedAuto(aim, 3)}
			search.Run(ctx, jittery(program), 0, search.Options{Schedules: 60, Workers: workers, Strategy: log, Aim: aim}, nil)
			got := fmt.Sprintf("%+v", log.specs)
			if want == "" {
				want = got
			}
			if got != want || len(log.specs) != 60 {
				t.Errorf("%d workers: %d attempts, others than with one", workers, len(log.specs))
			}
		}
	}
}

// aimedLog notes what a strategy proposes.
type aimedLog struct {
	search.Strategy
	specs []run.Spec
}

func (p *aimedLog) Next(ctx context.Context, n int) (run.Spec, bool) {
	spec, ok := p.Strategy.Next(ctx, n)
	if ok {
		p.specs = append(p.specs, spec)
	}
	return spec, ok
}

// seen is an aim whose failure comes with others elsewhere.
type seen struct{ ends }

func (s seen) Match(r *run.Result) search.Match {
	m := s.ends.Match(r)
	m.Level = min(m.Level, search.SameFailure)
	return m
}

// The failure that was looked for is enough if the whole state does not come: the search
// does not go on to its end.
func TestAimedAtAFailureAlone(t *testing.T) {
	aim := seen{ends{trace.Panicked}}
	lost := func(t *sim.Thread) {
		n := t.Int()
		t.Go(func(t *sim.Thread) { t.Store(n, 1) })
		t.Go(func(t *sim.Thread) {
			if t.Load(n) == 1 {
				t.Panic("seen")
			}
		})
	}
	o := search.Run(ctx, sim.New(lost), 0, search.Options{Schedules: 3000, Aim: aim, Strategy: search.NewMix(1), Base: run.Spec{Stands: true}}, nil)
	if len(o.Findings) != 1 || o.Findings[0].Level != search.SameFailure || o.Schedules > 300 {
		t.Errorf("%d findings after %d schedules: %s, %s", len(o.Findings), o.Schedules, o.Status, o.Reason)
	}
}
