package solve_test

import (
	"context"
	"errors"
	"testing"

	"github.com/hocket-dev/hocket/engine/solve"
	"github.com/hocket-dev/hocket/engine/solve/gen"
	"github.com/hocket-dev/hocket/engine/solve/native"
)

func TestStepsEndAContext(t *testing.T) {
	s := solve.NewSteps(context.Background(), 3)
	defer s.Close()
	for i := range 3 {
		if s.Err() != nil || s.Spent() || s.Used() != int64(i+1) {
			t.Fatalf("after %d steps: %v, spent %v, used %d", i+1, s.Err(), s.Spent(), s.Used())
		}
	}
	if err := s.Err(); !errors.Is(err, solve.ErrSteps) || !s.Spent() || s.Used() != 3 {
		t.Errorf("%v, spent %v, used %d; want all spent", err, s.Spent(), s.Used())
	}
	<-s.Done()
}

func TestStepsEndWithTheParent(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	s := solve.NewSteps(parent, 3)
	defer s.Close()
	cancel()
	<-s.Done()
	if err := s.Err(); !errors.Is(err, context.Canceled) || s.Spent() {
		t.Errorf("%v, spent %v; want cancelled", err, s.Spent())
	}
}

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
	steps := solve.NewSteps(context.Background(), limit)
	defer steps.Close()
	r, err := s.Check(steps, g.Goal)
	if err != nil {
		t.Fatal(err)
	}
	return answer{r, steps.Used()}
}
