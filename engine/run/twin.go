package run

import (
	"context"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Twin is a model of a program that can be run under a Spec, in far less time than a
// process takes: for strategies that try there what they then run in earnest. What a
// Twin shows is a hypothesis. It is for one goroutine.
type Twin interface {
	// Learn takes in a recorded run (Every) of the program: what its positions and hot
	// places are. It plays the run and says how much of it the model does, too.
	Learn(ctx context.Context, r *Result) (Fit, error)
	// Play runs the model. Specs and results are its own, in their keys and places.
	Play(ctx context.Context, s Spec) (*Result, Played, error)
	// Real is the schedule under which the program does what a recorded run of the
	// model did.
	Real(r *Result) trace.Schedule
}

// Fit is how much of a run of the program its Twin does, too.
type Fit struct {
	Shared   int // events of the program's own code on what goroutines share
	Modelled int // of those, that the model has at the same place with the same value
	Branches []Branch
	Shows    Signature // how the model's run fails; the zero Signature if it passes
}

// Played is what a run of a Twin was made of.
type Played struct {
	Branches []Branch // outcomes of conditions, each once, in the order of the run
	Work     int      // instructions
	Why      string   // there is no verdict, since something is not modelled; "" if there is one
}

// Branch is an outcome of a condition.
type Branch struct {
	ID    int // of the condition, in the Twin
	At    trace.Frame
	Cond  string // its text; "" if the sources have none
	Taken bool
}
