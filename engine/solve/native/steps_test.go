package native_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/budget"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

// Equal questions take equally many steps, and end the same way where these are
// too few.
func TestNativeTakesTheSameSteps(t *testing.T) {
	gaveUp := 0
	for _, kind := range gen.Kinds() {
		in := gen.Make(gen.Shape{Kind: kind, Events: 200, Histories: true, Seed: 3})
		for _, g := range in.Goals {
			free := ask(t, in, g, 1<<40)
			if free.Status == solve.Unknown {
				t.Errorf("%s: %s", kind, free.Reason)
			}
			for _, limit := range []int64{free.used, free.used - 1, free.used / 2} {
				if limit < 0 {
					continue
				}
				r, again := ask(t, in, g, limit), ask(t, in, g, limit)
				if r.Status != again.Status || r.used != again.used {
					t.Errorf("%s, %d steps: %v after %d, then %v after %d", kind, limit, r.Status, r.used, again.Status, again.used)
				}
				if limit == free.used && r.Status != free.Status {
					t.Errorf("%s, %d steps: %v, want %v", kind, limit, r.Status, free.Status)
				}
				if r.Status == solve.Unknown {
					gaveUp++
				} else if r.Status != free.Status {
					t.Errorf("%s, %d steps: %v, want %v", kind, limit, r.Status, free.Status)
				}
			}
		}
	}
	if gaveUp == 0 {
		t.Error("no limit was too low")
	}
}

type answer struct {
	solve.Result
	used int64
}

func ask(t *testing.T, in *gen.Instance, g gen.Goal, limit int64) answer {
	t.Helper()
	s, err := native.New().New(in.System)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	steps := budget.New(context.Background(), limit)
	r, err := s.Check(steps, g.Goal)
	if err != nil {
		t.Fatal(err)
	}
	return answer{r, steps.Used()}
}
