package forest

import "github.com/hocket-dev/hocket/engine/constraint"

// step is one event of a run as the model knows it. Up to deflt it says what
// the goroutine set out to do, which its history decides; then what came of it.
type step struct {
	thread int32 // index in Forest.threads
	op     constraint.Op
	thing  int32 // index in table.things; 0 = none
	delta  int64 // Add
	child  int32 // Spawn: index in Forest.threads; -1 otherwise
	timer  int32 // Spawn: index in Forest.timers, of all that it starts instead of child; 0 otherwise
	place  string
	plain  bool  // memory accessed by no atomic operation: it can race
	arms   []arm // of a channel operation
	deflt  bool  // it may give up
	stood  bool  // not begun yet: delta and deflt are guesses, and so is whether it reads or changes

	out     int8  // TryLock, TryRLock, Recv; gaveUp of a channel operation
	took    int32 // index in arms of what a channel operation did
	found   value // what a read found
	left    value // what a write left
	expects value // a compare-and-swap that failed: what was not there
	count   uint32
	seq     int32
	at      int // its place in the order of effects
}

const gaveUp = -1

// value is bits that may be unknown.
type value struct {
	bits  uint64
	known bool
}

// arm is one case of a select; other channel operations have one.
type arm struct {
	thing int32
	send  bool
}

// observed is what is kept of a trace.
type observed struct {
	number  int
	threads []int32 // that it had
	steps   []step  // in the order of effects
	ends    map[int32]ending
	trail   []*node           // by step: where its goroutine came to with it
	left    map[uint64]uint32 // SetLeft
	kept    int
}

// ending is how a goroutine's part of a run ended.
type ending struct {
	how     how
	next    step // of stands; of failed: in which it did, if in one
	blocked bool // of stands: it could not go on
	waits   bool // of stands: it is parked in it
	inside  bool // of failed: in next
}

type how uint8

const (
	open   how = iota // how it goes on is not known
	ended             // it returned
	failed            // it ended the program: a panic, os.Exit
	stands            // before next
)

func (s *step) reads() bool  { return s.op == constraint.Read || s.op == constraint.RMW }
func (s *step) writes() bool { return s.op == constraint.Write || s.op == constraint.RMW }
