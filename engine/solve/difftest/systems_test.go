package difftest_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/enumerate"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/native"
	"github.com/hocket-dev/hocket/engine/solve/z3"
)

var (
	times = flag.Int("difftest.times", 1, "how many times as much is tried")
	seed0 = flag.Uint64("difftest.seed", 0, "seeds start here")
)

// The solvers give the same answers as the enumeration of all schedules, and so
// as each other. Every schedule is simulated, and of every core the enumeration
// says that it is one.
func TestSystems(t *testing.T) {
	const questions, parts = 6000, 6
	t.Run("native", func(t *testing.T) { systems(t, native.New(), questions**times, parts) })
	t.Run("z3", func(t *testing.T) {
		s, err := z3.New(z3.Options{})
		if err != nil {
			t.Logf("not compared: %v", err)
			return
		}
		systems(t, s, questions**times, parts)
	})
}

func systems(t *testing.T, s solve.Solver, n, parts int) {
	for part := range parts {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			oracle := enumerate.New(200_000)
			s := solve.Validate(s, solve.Checks{Cores: oracle})
			var answers [3]int
			for i := part; i < n; i += parts {
				seed := *seed0 + uint64(i)
				q := gen.Random(rand.New(rand.NewPCG(seed, 1)), 4+i%10)
				want := ask(t, oracle, q, seed)
				answers[want.Status]++
				if got := ask(t, s, q, seed); got.Status != want.Status && want.Status != solve.Unknown {
					t.Fatalf("seed %d: %s says %v, all schedules say %v (%s)\n%s%v",
						seed, s.Name(), got.Status, want.Status, got.Reason, show(q), want.Schedule)
				}
			}
			t.Logf("%d unknown, %d sat, %d unsat", answers[solve.Unknown], answers[solve.Sat], answers[solve.Unsat])
			if least := n / parts / 10; answers[solve.Unknown] > 0 || answers[solve.Sat] < least || answers[solve.Unsat] < least {
				t.Errorf("the questions are of few kinds: %v", answers)
			}
		})
	}
}

func show(q *gen.Question) string {
	var b strings.Builder
	for i, o := range q.System.Objects[1:] {
		fmt.Fprintf(&b, "object %d: %+v\n", i+1, o)
	}
	for i, th := range q.System.Threads {
		fmt.Fprintf(&b, "thread %d: %+v\n", i, th)
	}
	for i, e := range q.System.Events {
		fmt.Fprintf(&b, "%2d: t%d after %d: %v o%d val %v cond %v outcome %d delta %d partner %d child %d cases %v at %d pending %v\n",
			i, e.Thread, e.Prev, e.Op, e.Obj, e.Val, e.Cond, e.Outcome, e.Delta, e.Partner, e.Child, e.Cases, e.At, e.Pending)
	}
	fmt.Fprintf(&b, "goal %+v\ngiven %v\nassume %v\n", q.Goal, q.Given, q.Assume)
	return b.String()
}

func ask(t *testing.T, s solve.Solver, q *gen.Question, seed uint64) solve.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	session, err := s.New(q.System)
	if err != nil {
		t.Fatalf("seed %d: %s: %v\n%v", seed, s.Name(), err, q.System)
	}
	defer session.Close()
	session.Add(q.Given...)
	r, err := session.Check(budget.Unlimited(ctx), q.Goal, q.Assume...)
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, show(q))
	}
	return r
}
