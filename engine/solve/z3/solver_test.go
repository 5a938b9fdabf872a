package z3

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/solve"
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

// ask checks and compares with all schedules there are.
func ask(t *testing.T, s solve.Session, m *maker, g constraint.Goal, clauses []constraint.Clause, assume ...solve.Assumption) solve.Result {
	t.Helper()
	r, err := s.Check(t.Context(), g, assume...)
	if err != nil {
		t.Fatal(err)
	}
	all := clauses[:len(clauses):len(clauses)]
	for _, a := range assume {
		all = append(all, a.Clauses...)
	}
	want := solve.Unsat
	if satisfiable(m.sys, g, all) {
		want = solve.Sat
	}
	if r.Status != want {
		t.Fatalf("status %d (%s), want %d; goal %+v, clauses %+v\n%v", r.Status, r.Reason, want, g, all, m.sys)
	}
	return r
}

// TestAgainstAllSchedules: on random systems of all kinds of objects, with
// scopes, clauses and assumptions, the answer is that of trying all schedules.
// That a schedule is valid and meets the goal is what Check itself looks at.
func TestAgainstAllSchedules(t *testing.T) {
	systems := 250
	if testing.Short() {
		systems = 60
	}
	count := map[string]int{}
	for seed := range systems {
		m := randomSystem(rand.New(rand.NewPCG(uint64(seed), 1)), 5+seed%6)
		s := openWith(t, Options{Arith: [...]uint32{0, 2, 6}[seed%3], Seed: uint32(seed)}, m.sys)
		var clauses []constraint.Clause
		for range 6 {
			r := ask(t, s, m, m.goal(), clauses)
			count[fmt.Sprint("plain ", r.Status)]++
		}
		for range 2 {
			s.Push()
			c := m.clause()
			s.Add(c)
			r := ask(t, s, m, m.goal(), append(clauses, c))
			count[fmt.Sprint("scope ", r.Status)]++
			s.Pop()
		}
		assume := make([]solve.Assumption, 4)
		for i := range assume {
			assume[i] = solve.Assumption{Name: string(rune('A' + i)), Clauses: []constraint.Clause{m.clause()}}
		}
		g := m.goal()
		if r := ask(t, s, m, g, clauses, assume...); r.Status == solve.Unsat {
			count[fmt.Sprint("core ", len(r.Core) > 0)]++
			checkCore(t, s, m, g, assume, r.Core)
		}
		s.Close()
	}
	t.Log(count)
	for _, k := range []string{"plain sat", "plain unsat", "scope sat", "scope unsat", "core true", "core false"} {
		if count[k] < systems/20 {
			t.Errorf("%q happened %d times: these systems test little", k, count[k])
		}
	}
}

// checkCore: the core is of the assumptions, and enough.
func checkCore(t *testing.T, s solve.Session, m *maker, g constraint.Goal, assume []solve.Assumption, core []string) {
	t.Helper()
	var some []solve.Assumption
	for _, name := range core {
		for _, a := range assume {
			if a.Name == name {
				some = append(some, a)
			}
		}
	}
	if len(some) != len(core) {
		t.Fatalf("core %v is not of the assumptions", core)
	}
	if r := ask(t, s, m, g, nil, some...); r.Status != solve.Unsat {
		t.Fatalf("with the core %v: status %d", core, r.Status)
	}
}
