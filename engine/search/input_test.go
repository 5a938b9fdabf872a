package search_test

import (
	"context"
	"strings"
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

// Nothing is proved of a program that reads the clock: what it finds there depends
// on the schedule, and no trace says how.
func TestReadingTheClockSpeaksAgainstProofs(t *testing.T) {
	for reads, want := range map[bool]search.Status{false: search.Clean, true: search.Searched} {
		program := sim.New(sim.Correct)
		runner := runnerFunc(func(ctx context.Context, s run.Spec) (*run.Result, error) {
			r, err := program.Run(ctx, s)
			if err == nil {
				r.ReadClock = reads
			}
			return r, err
		})
		opt := search.Options{Strategy: named(t, "explore", 1), Schedules: 60}
		o := search.Run(ctx, runner, 0, opt, nil)
		if o.Status != want || reads != strings.Contains(o.Reason, "reads the clock") {
			t.Errorf("reads %v: %s (%s), want %s", reads, o.Status, o.Reason, want)
		}
	}
}
