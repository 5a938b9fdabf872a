package search

import (
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Aim is a state that a search is to bring about. It is used by several goroutines and
// never changes.
type Aim interface {
	// Match says how near a run came that was made with Spec.Stands.
	Match(r *run.Result) Match
	// MatchRace says whether a race of a run is the one that is wanted.
	MatchRace(p run.RacePair) bool
	// Holds are the places of the state: where a run that is led there lets goroutines
	// wait.
	Holds() []run.Hold
	// Ways are the functions on the way there, each as a hold of its own, the most
	// telling first: one that is late in one of them may come to fail there.
	Ways() []run.Hold
	// Wants are the goroutines that wait in the state, one for each.
	Wants() []Want
	// Fails is true if the state has a failure beside goroutines that wait.
	Fails() bool
	// Near says how near calls, innermost first, are to those of the state: from 0 to 1.
	Near(frames []trace.Frame) float64
	// Hot are places of accesses that are to be switch points, as in
	// trace.Schedule.Hot.
	Hot() []string
}

// Want is a goroutine that waits in the state.
type Want struct {
	// At says whether calls, innermost first, are those in which it waits.
	At func(frames []trace.Frame) bool
}

// Match is how near a run came to a state.
type Match struct {
	Level Level
	Score float64 // from 0 to 1: the larger, the nearer
}

// Level of a Match.
type Level int

const (
	Elsewhere   Level = iota
	SameFailure       // it failed in the same way; others stand elsewhere
	SameState
)
