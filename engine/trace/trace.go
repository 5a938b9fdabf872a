// Package trace holds what one controlled run of a program did: its
// goroutines, the objects they touched, the events in the order in which they
// happened, the schedule that produced them and how the run ended.
//
// Invariants (Check checks them for every decoded trace):
//   - Events are in execution order: one goroutine runs at a time, so the
//     order is total and Event.Seq equals the index.
//   - A goroutine's first event is OpStart (except the main goroutine) and
//     follows its OpSpawn; nothing follows its OpEnd.
//   - Between OpLock and OpUnlock of a mutex by one goroutine no other
//     goroutine has OpLock on it; readers exclude writers.
//   - Names of goroutines and objects do not depend on the schedule.
package trace

import "github.com/hocket-dev/hocket/engine/image"

// Version of the trace file format.
const Version = 7

// GID numbers goroutines of one trace in order of creation, from 1 (main).
// It depends on the schedule; Goroutine.Path does not. 0 is the runtime itself.
type GID uint32

// StackID indexes Trace.Stacks; 0 is the empty stack.
type StackID uint32

// ObjID indexes Trace.Objects; 0 is "no object".
type ObjID uint32

// Frame is one call frame, innermost first in a stack. File is absolute as the
// compiler saw it; inlined frames have been expanded.
type Frame = image.Frame

// Goroutine is one goroutine of a run.
type Goroutine struct {
	ID      GID
	Parent  GID     // 0 for main
	Index   int     // how many goroutines the parent had started before, from 1
	Path    string  // schedule-independent name: "0" is main, "0.2" its second child, "0.t2.1" the first goroutine of its second timer, ...
	Key     uint64  // 64-bit hash of Path, as the runtime and schedules use it
	Func    string  // entry function, full name
	Display string  // for people: "worker", "worker#2"; closures take the enclosing function: "main.func1" -> "main.func1"
	Spawn   StackID // where it was started
	Ended   bool
}

// timerIndex marks the index of a goroutine that a timer started: it counts the
// timer's firings.
const timerIndex = 1 << 31

// ByTimer reports whether a timer started the goroutine, for a time.AfterFunc
// function: no OpSpawn precedes it, and its Parent is the goroutine that made
// the timer.
func (g Goroutine) ByTimer() bool { return g.Parent != 0 && g.Index&timerIndex != 0 }

// ObjKind says what an object is.
type ObjKind uint8

const (
	ObjUnknown ObjKind = iota
	ObjGlobal          // package variable
	ObjHeap            // allocated object
	ObjChan            // channel
)

// MapHeader is the Elem of the object that stands for a map's content: delete,
// clear and assignment to an element write it, all other operations read it.
const MapHeader = "map header"

// Object is a location or synchronisation object of a run.
type Object struct {
	ID    ObjID
	Kind  ObjKind
	Addr  uint64  // in this run only
	Size  int     // of the accessed element in bytes, 0 if unknown
	Name  string  // schedule-independent: "main.probing+0" or "alloc:<goroutine path>:<func>:<file base>:<line>#<n>+<offset>"
	Var   string  // for people: "probing.v", "flight.free", "chan int (made in main.go:12)"; never empty
	Type  string  // Go type of the accessed element if known ("int", "sync.Mutex", "chan int")
	Alloc StackID // where it was allocated; 0 for globals
	Elem  string  // MapHeader, or reflect's kind of the accessed element ("int32", "bool", "ptr"; of the value inside for atomics), "" if unknown
	Born  int     // index of the first event after its allocation; an earlier object may have had the same address
}

// Event is one step of a run.
type Event struct {
	Seq   int
	G     GID
	Op    Op
	Obj   ObjID
	Stack StackID // call stack of the operation, innermost user-visible frame first (runtime, sync and atomic internals are cut off)
	// Value is the value read, written or returned where Op documents one.
	// For OpWrite of a trace it is the value that the next access finds
	// there, filled in when decoding, if HasValue.
	Value    uint64
	HasValue bool
	Aux      uint64
	Count    uint32 // switch points that G had passed when the event happened: the position that a Schedule uses
	Time     int64  // virtual ns since the start of the run
}

// Delay is a goroutine that could run while the clock passed to a timer: it was
// slower than the timer. All those of one passing of the clock have one Time; the
// one that had run last comes first.
type Delay struct {
	G     GID
	Stack StackID // where it stood
	Count uint32  // the switch points that it had passed
	Time  int64   // virtual ns since the start of the run, before the clock passed
	NS    int64   // by how much it passed
	Maker GID     // the goroutine that made the timer, or that slept
	Timer uint32  // the timer's number among those of its maker; 0 is a sleep
}

// Kind of outcome of one run.
type OutcomeKind string

const (
	Passed      OutcomeKind = "passed"
	Panicked    OutcomeKind = "panic"
	TestFailed  OutcomeKind = "test-failure"
	Deadlocked  OutcomeKind = "deadlock" // no goroutine can run any more, main has not finished
	Leaked      OutcomeKind = "leak"     // finished or cut off, and goroutines are blocked forever
	Raced       OutcomeKind = "data-race"
	FatalError  OutcomeKind = "fatal"    // concurrent map writes, unlock of unlocked mutex, ...
	ExitCode    OutcomeKind = "exit"     // os.Exit != 0 without any of the above
	Livelock    OutcomeKind = "livelock" // those that can run loop, and nothing changes what they wait for
	StepLimit   OutcomeKind = "limit"    // step, virtual or real time limit: no verdict
	InternalErr OutcomeKind = "internal"
)

// Outcome says how a run ended.
type Outcome struct {
	Kind      OutcomeKind
	Message   string  // "panic: seatgate: oversold", "fatal error: ..."; one line
	Goroutine GID     // the goroutine that failed, 0 if none
	Stack     StackID // where
	ExitCode  int
	Blocked   []Blocked // goroutines that can never go on (deadlock, leak)
	Cut       bool      // of a leak: the program did not end, it was cut off at a limit
	Output    string    // tail of the program's own output
}

// Blocked describes one goroutine that is blocked forever.
type Blocked struct {
	G      GID
	Op     Op // the operation in which it waits
	Obj    ObjID
	Stack  StackID
	Reason string // the runtime's wait reason, e.g. "chan receive", "sync.Mutex.Lock"
	Leaked bool   // proved unreachable by the runtime's leak detector
	Holder GID    // who holds Obj (locks), 0 if nobody or unknown
}

// Looping is the Reason of a goroutine that is not blocked, but goes round in a
// loop, in a Livelock.
const Looping = "in a loop"

// Runnable is the Reason of a goroutine that is not blocked, in DecodeOptions.Stands.
const Runnable = "runnable"

// Race is two conflicting accesses without happens-before between them.
type Race struct {
	Obj           ObjID
	First, Second Access // in execution order
}

// Access is one side of a race.
type Access struct {
	G     GID
	Write bool
	Stack StackID // full stack, or a single frame if only the place is known
	Seq   int     // index of the event in Trace.Events, -1 if not recorded
}

// Trace is one run.
type Trace struct {
	Version    int
	GoVersion  string
	StdRoot    string      // folder of std's sources as the binary names them, e.g. "/usr/local/go/src"; "" if unknown
	Goroutines []Goroutine // index = GID; [0] is the runtime
	Objects    []Object    // index = ObjID; [0] is none
	Stacks     [][]Frame   // index = StackID; [0] is empty
	Sites      []string    // index = StackID: the instruction of the first frame, as Schedule.Hot names it; "" if unknown
	Events     []Event
	Races      []Race
	// Pending holds the operations that goroutines were about to perform at the
	// end although they could have gone on: Op and Obj are the operation's. The
	// one in which a goroutine failed is among them.
	Pending    []Event
	Delays     []Delay
	Schedule   Schedule
	Hash       uint64 // of goroutine keys, operations and places in order; equal for equal schedules
	Steps      int    // switch points passed
	VirtualNS  int64
	Outcome    Outcome
	Truncated  bool // the event section was full: later events are missing
	AllocsLost bool // the allocation section was full: later objects may go by an earlier one's name
	External   int  // external events (system calls that gave the processor away)
}
