package search_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
)

// Nothing is proved of a program whose input decides as well as the schedule.
func TestInputsSpeakAgainstProofs(t *testing.T) {
	for inputs, want := range []search.Status{search.Clean, search.Searched} {
		program := sim.New(sim.Correct)
		runner := runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
			r, err := program.Run(ctx, s)
			if err == nil {
				r.Inputs = inputs
			}
			return r, err
		})
		for _, name := range []string{"explore", "auto"} {
			opt := search.Options{Strategy: named(t, name, 1), Schedules: 60}
			if o := search.Run(ctx, runner, 0, opt, nil); o.Status != want {
				t.Errorf("%s, %d inputs: %s (%s), want %s", name, inputs, o.Status, o.Reason, want)
			}
		}
	}
}
