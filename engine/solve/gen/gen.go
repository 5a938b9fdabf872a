// Package gen makes systems of chosen size and shape for measuring and testing
// solvers. A random program is simulated, so that the recorded order (At) is a
// valid schedule and every value is one that was really read.
//
// Invariants: equal shapes give equal systems; the answer of each goal is known
// by construction, and that of a reachable one comes with a schedule.
package gen

import (
	"fmt"
	"math/rand/v2"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// Kind of program.
type Kind string

const (
	// Locks: workers with lock regions over shared variables, some variables
	// without a lock, and near the end two workers that race, lose an update and
	// lock in opposite orders.
	Locks Kind = "locks"
	// Pipeline: producers, a channel, workers, a channel, one collector; the
	// first channel is closed when a WaitGroup says that the producers are done.
	Pipeline Kind = "pipeline"
)

// Kinds lists them all.
func Kinds() []Kind { return []Kind{Locks, Pipeline} }

// Shape says what to make.
type Shape struct {
	Kind   Kind
	Events int // about: within a few per cent from 300 on
	// Threads is the number of workers (at least 2; 0: 8), Objects that of locks
	// with three variables each (0: one lock per two workers).
	Threads, Objects int
	Cap              int // of the channels of Pipeline; 0: rendezvous
	// Histories: writes are constants and every read is bound to the value that
	// it took, as in systems made from runs of which nothing else is known;
	// goals are then about alternatives of reads. Otherwise writes are terms over
	// reads, and a fifth of the reads has a condition.
	Histories bool
	Seed      uint64
}

func (s Shape) String() string {
	values := "terms"
	if s.Histories {
		values = "histories"
	}
	return fmt.Sprintf("%s/%s/%d", s.Kind, values, s.Events)
}

// Instance is a system with goals whose answers are known.
type Instance struct {
	Shape  Shape
	System *constraint.System
	Goals  []Goal
}

// Goal with its answer.
type Goal struct {
	constraint.Goal
	// Witness makes a schedule that reaches the goal; nil: there is none.
	Witness func() []constraint.EventID
}

// Reachable says whether a schedule reaches the goal.
func (g Goal) Reachable() bool { return g.Witness != nil }

// Make simulates a program of the shape.
func Make(shape Shape) *Instance {
	if shape.Threads == 0 {
		shape.Threads = 8
	}
	shape.Threads = max(shape.Threads, 2)
	if shape.Objects == 0 {
		shape.Objects = max(1, shape.Threads/2)
	}
	for try := uint64(0); ; try++ {
		if in := attempt(shape, try); in != nil {
			return in
		}
	}
}

// attempt simulates one program: nil if it never came to its planted part.
func attempt(shape Shape, try uint64) *Instance {
	s := &sim{
		sys:       &constraint.System{Objects: []constraint.Object{{}}},
		rng:       rand.New(rand.NewPCG(shape.Seed, uint64(shape.Events)<<8|try)),
		histories: shape.Histories,
		sent:      map[constraint.EventID]uint64{},
	}
	s.state = make([]object, 1)
	s.sys.Events = make([]constraint.Event, 0, shape.Events+shape.Events/8)
	var goals []Goal
	switch shape.Kind {
	case Locks:
		goals = makeLocks(s, shape)
	case Pipeline:
		goals = makePipeline(s, shape)
	default:
		panic("gen: no such kind: " + string(shape.Kind))
	}
	if goals == nil {
		return nil
	}
	return &Instance{Shape: shape, System: s.sys, Goals: goals}
}

// Recorded is the recorded order of a system made here: all events with a
// place in it, by At.
func Recorded(sys *constraint.System) []constraint.EventID {
	order := make([]constraint.EventID, 0, len(sys.Events))
	for e := range sys.Events {
		if sys.Events[e].At >= 0 {
			order = append(order, constraint.EventID(e)) // events are made in this order
		}
	}
	return order
}
