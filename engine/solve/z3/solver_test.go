package z3

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
)

func open(t *testing.T, sys *constraint.System) solve.Session {
	t.Helper()
	return openWith(t, Options{}, sys)
}

func openWith(t *testing.T, o Options, sys *constraint.System) solve.Session {
	t.Helper()
	z, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s, err := z.New(sys)
	if err != nil {
		t.Fatalf("%v\n%v", err, sys)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// pair is a session and one that tries all schedules, asked the same.
type pair struct {
	t    *testing.T
	sys  *constraint.System
	s    solve.Session
	all  solve.Session
	seen map[string]int // answers, by kind of question
}

func both(t *testing.T, o Options, sys *constraint.System) *pair {
	t.Helper()
	all, err := enumerate.New(200_000).New(sys)
	if err != nil {
		t.Fatal(err)
	}
	return &pair{t, sys, openWith(t, o, sys), all, map[string]int{}}
}

// ask compares the answers. That a schedule is valid and meets the goal is what
// Check itself looks at.
func (p *pair) ask(kind string, g constraint.Goal, assume ...solve.Assumption) solve.Result {
	p.t.Helper()
	want, err := p.all.Check(budget.Unlimited(p.t.Context()), g, assume...)
	if err != nil || want.Status == solve.Unknown {
		p.t.Fatalf("all schedules: %v, %v", want, err)
	}
	r, err := p.s.Check(budget.Unlimited(p.t.Context()), g, assume...)
	if err != nil {
		p.t.Fatal(err)
	}
	if r.Status != want.Status {
		p.t.Fatalf("%s: %v, all schedules say %v; goal %v, assumed %v\n%v", kind, r, want, g, assume, p.sys)
	}
	p.seen[fmt.Sprint(kind, " ", r.Status)]++
	return r
}

// within asks in a scope of its own.
func (p *pair) within(kind string, g constraint.Goal, clauses ...constraint.Clause) {
	p.t.Helper()
	for _, s := range []solve.Session{p.s, p.all} {
		s.Push()
		s.Add(clauses...)
	}
	p.ask(kind, g)
	p.s.Pop()
	p.all.Pop()
}

// core asks with the assumptions of a core alone.
func (p *pair) core(g constraint.Goal, assume []solve.Assumption, core []string) {
	p.t.Helper()
	var some []solve.Assumption
	for _, name := range core {
		for _, a := range assume {
			if a.Name == name {
				some = append(some, a)
			}
		}
	}
	if len(some) != len(core) {
		p.t.Fatalf("core %v is not of the assumptions", core)
	}
	if r := p.ask("again", g, some...); r.Status != solve.Unsat {
		p.t.Fatalf("with the core %v: %v", core, r)
	}
	p.seen[fmt.Sprint("core ", len(core) > 0)]++
}

// TestAgainstAllSchedules: on random systems of all kinds of objects, in one
// session, with scopes, assumptions and every way of arithmetic, the answer is
// that of trying all schedules. difftest asks more systems, but each once.
func TestAgainstAllSchedules(t *testing.T) {
	const systems = 200
	count := map[string]int{}
	for seed := range systems {
		q := gen.Random(rand.New(rand.NewPCG(uint64(seed), 3)), 5+seed%6)
		p := both(t, Options{Arith: [...]uint32{0, 2, 6}[seed%3], Seed: uint32(seed)}, q.System)
		last := constraint.EventID(len(q.System.Events) - 1)
		for _, g := range []constraint.Goal{q.Goal, {Stuck: true}, {Include: []constraint.EventID{last}}} {
			p.ask("plain", g)
			p.within("scope", g, q.Given...)
			for _, c := range q.Given {
				// Alone, a literal may be about events that don't happen.
				for _, l := range c {
					p.within("literal", g, constraint.Clause{l})
				}
			}
			if r := p.ask("assumed", g, q.Assume...); r.Status == solve.Unsat {
				p.core(g, q.Assume, r.Core)
			}
		}
		p.s.Close()
		for k, n := range p.seen {
			count[k] += n
		}
	}
	t.Log(count)
	for _, k := range []string{"plain sat", "plain unsat", "scope sat", "scope unsat", "literal sat", "literal unsat", "core true", "core false"} {
		if count[k] < systems/20 {
			t.Errorf("%q happened %d times: these systems test little", k, count[k])
		}
	}
}
