package run

import "github.com/hocket-dev/hocket/engine/trace"

// Stand is where a goroutine stood when a run had come to its end.
type Stand struct {
	// Frames are its calls outside the standard library, innermost first; none if it
	// was in the standard library's code alone.
	Frames []trace.Frame
	Spawn  trace.Frame // where it was started, outside the standard library ("" if unknown)
	Func   string      // what it was started with
	// Reason is what it waited for, in the runtime's words; Runnable if it could have
	// gone on, Failing if it is the one that failed.
	Reason string
}

// Reasons of goroutines that do not wait.
const (
	Runnable = trace.Runnable
	Failing  = "running"
)

// Hold says where goroutines are held back while others that are not can run: those
// that stand before an operation at one of its lines. What the strategy of a run
// would choose is put off, never forbidden; a run with holds is replayed by its
// schedule as any other.
type Hold struct {
	Lines  []HoldLine
	Most   int  // how many goroutines are held there at a time
	Skip   int  // how many that arrive go on before one is held
	Chance int  // in how many of 256 cases one that arrives after that is held
	Lock   bool // it is a lock, which one comes to wait for only while another one has it: for strategies
	Last   bool // those of other holds go on first
}

// HoldLine is a line of a file, with those that follow it up to To, or all lines of a
// function if Line is 0. File is as in trace.Frame.
type HoldLine struct {
	Func string
	File string
	Line int
	To   int // 0: Line alone
}
