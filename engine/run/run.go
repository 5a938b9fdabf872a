// Package run says what a run of a program is: what is requested (Spec), how it
// ended (Result), who makes runs (Runner), when two failures are the same
// (Signature), how hard a schedule is to follow (Counts), and whether a
// schedule decides the run (Deterministic, Times). It is data and functions
// over any Runner: nothing here starts a process. A Spec decides a run
// completely, together with the program.
package run

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/trace"
)

// Record says how much a run records.
type Record int

const (
	Light Record = iota // outcome, schedule, races: for searching
	Full                // the whole trace, with stacks, values and object names
	Every               // as Full, with the memory that only one goroutine uses
)

// Strategy names what decides at switch points after the schedule's segments.
type Strategy string

const (
	Replay Strategy = "replay" // the default rule of trace.Schedule
	Random Strategy = "random"
	POS    Strategy = "pos"
	PCT    Strategy = "pct"
	// Ordered keeps Spec.Orders where it can, and does as Replay else.
	Ordered Strategy = "ordered"
)

// Spec is one attempt: a self-contained value.
type Spec struct {
	Strategy Strategy
	Seed     uint64         // of the strategy; unused by Replay
	Depth    int            // PCT change points
	Length   int            // PCT: expected steps
	Schedule trace.Schedule // its segments come first, whatever the strategy
	Collect  []int          // switch points of the run, by number, before which the collector runs; at most MaxCollect
	Orders   []Order        // of strategy Ordered
	Record   Record
	Keep     []string      // places of plain accesses (trace.Trace.Sites) that Full records even if only one goroutine uses that memory
	Pairs    bool          // fill in Result.Pairs
	Stands   bool          // fill in Result.Stands
	Tell     bool          // fill in Result.Taken
	Hold     []Hold        // where goroutines are held, after the segments of Schedule
	Args     []string      // of the program
	Dir      string        // working directory; "" = the package's folder, as go test does
	Env      []string      // added to the environment
	Timeout  time.Duration // real time; 0 = 10 s
	Steps    int           // switch point limit; 0 = default
	Virtual  time.Duration // virtual time limit; 0 = 10 min
}

// Order holds goroutine G back before its operation Count until goroutine After has
// begun its operation AfterCount. Counts are those of trace.Event.
type Order struct {
	G, After          uint64 // Goroutine.Key
	Count, AfterCount uint32
}

// MaxCollect is how often a strategy may let the collector run.
const MaxCollect = 2

// Result is how a run ended. Schedule replays it exactly.
type Result struct {
	Outcome   trace.Outcome // stacks are set in the trace only
	Place     trace.Frame   // where it failed: the innermost frame outside std ("" if unknown)
	Schedule  trace.Schedule
	Hash      uint64
	Steps     int
	Races     []RacePair
	External  int
	Inputs    int           // times that an order of map elements was drawn: another Schedule.InputSeed may give another run
	Random    bool          // random bytes of the operating system were asked for, which Schedule.InputSeed draws
	Collects  bool          // the program could tell when the collector runs: Spec.Collect and Schedule.Collections matter
	Awaits    bool          // with Collects: something was made in this run, after packages were initialised, by which to tell
	Alone     bool          // none of its goroutines could run beside another, and nothing else was a choice: it has one schedule
	Delayed   time.Duration // virtual time that passed while some goroutine could run, see trace.Schedule.Delay
	Soonest   time.Duration // the shortest time for which a timer was set; 0: there was none
	MemStats  bool          // the program has read how much was allocated, which others and the runtime add to
	TimedOut  bool          // it failed at a time-out of its own, whose timer fired only because others were delayed
	ReadClock bool          // the program has read the clock, which another schedule may find at another time
	Outside   string        // why the first external event can't be controlled, a sentence ("" if none)
	Loose     bool          // under a weaker memory model a store raced that did not wait as others: the outcome is none of the model
	Diverged  bool          // a segment's goroutine could not run
	Hang      bool          // the real-time limit ended it
	Duration  time.Duration
	Processes int          // how many were started for the run; 0 is not known
	Trace     *trace.Trace // not with Record Light
	Pairs     []ReadsFrom  // only with Spec.Pairs: by ID, each once
	Stands    []Stand      // only with Spec.Stands: where the goroutines stood that had not ended
	Taken     []Taken      // only with Spec.Tell, of programs whose sources tell it: outcomes of branches, in order

	// Ends says why each of Schedule.Segments ended; same length, or nil if
	// unknown. It is needed to tell preemptions from other switches.
	Ends []EndReason
	// BlockedAt is where each of Outcome.Blocked waits: the innermost frame
	// outside std. Same length; leaks and deadlocks are told apart by it.
	BlockedAt []trace.Frame
}

// EndReason says why a goroutine stopped running at the end of a segment. The
// numbers are those of the run file's pick section.
type EndReason uint8

const (
	Preempted EndReason = iota // it could have gone on
	Blocked
	Ended
	Yielded // runtime.Gosched, or a spinning goroutine that was made to yield
)

// Taken is a branch that a goroutine took.
type Taken struct {
	G       uint64 // Goroutine.Key
	Outcome uint32 // of the branch: twice its number, from 0, and 1 if the condition was true
	Count   uint32 // switch points that the goroutine had passed
}

// RacePair is a race as a light run reports it.
type RacePair struct {
	First, Second           trace.Frame // innermost frames outside std
	FirstSite, SecondSite   string      // for Schedule.Hot
	FirstWrite, SecondWrite bool
}

// Runner runs attempts of one program. Implementations are safe for
// concurrent use; cancelling ctx kills the process.
type Runner interface {
	Run(ctx context.Context, spec Spec) (*Result, error)
}

// Pauser is implemented by Runners whose runs can stand still, to be read from outside.
type Pauser interface {
	// Pause lets a run stand still when goroutine g (Goroutine.Key) has passed count
	// switch points, before its next one, and calls f with the process, which is killed
	// when f returns. Variables are where a run of spec with the same Record has them.
	Pause(ctx context.Context, spec Spec, g uint64, count uint32, f func(ctx context.Context, pid int) error) error
}

// ReplayOf returns base, changed to replay r exactly.
func ReplayOf(base Spec, r *Result) Spec {
	base.Strategy, base.Schedule = Replay, r.Schedule
	return base
}

// ContentOf identifies the program of a runner: equal ones do the same under a
// schedule. It is "" if the runner can't tell.
func ContentOf(r Runner) string {
	if c, ok := r.(interface{ Content() string }); ok {
		return c.Content()
	}
	return ""
}

// BlindOf lists the calls of a program whose accesses no trace contains.
func BlindOf(r Runner) []string {
	if b, ok := r.(interface{ Blind() []string }); ok {
		return b.Blind()
	}
	return nil
}
