// Package projection explains a failing run by what it does differently from
// a passing run of the same program on the same input: a differential
// path-schedule projection (Symbiosis §3.6, Cortex §3.4).
//
// The steps, a file each:
//
//	run.go      a trace with its data flow: which write each read saw
//	nearest.go  which of the passing runs is compared with
//	align.go the events of two runs matched, goroutine by goroutine
//	deps.go     what an event depends on: conditions, operands, arguments
//	slice.go    backwards from the failure over data flow and dependences
//	core.go     the orders that suffice (package cause) as units; tale.go tells them
//	led.go      what an order led to that is not about memory
//	suffice.go  which orders of the table suffice
//	ready.go    what said too early that something was ready; published.go the same where
//	            the failing run alone shows it, and of races
//	units.go    the few accesses whose order matters: "p, then w in between, then e";
//	            chosen by their shape where no orders are known (choose.go)
//	order.go    what synchronisation orders anyway
//	choose.go   which units make the explanation
//	channels.go what was done to a channel in which the run failed
//	collected.go what the garbage collector did
//	outlived.go goroutines that use the t of a test that has ended
//	blocked.go  deadlocks, leaks and livelocks, where nothing fails but all wait:
//	            who waits for whom; held.go, cycle.go and signals.go help
//	awaited.go  what let a waiter go on in a passing run
//	departure.go what the goroutine that should have come did instead
//	story*.go   the same told: clauses and steps
//	branches.go the conditions that went the other way
//	words.go    class and sentence; advice.go what must come first, as far as it was shown
//	race.go     data races
//	objects.go  what an object is called: as the source calls it (operands.go), what
//	            std makes or does by the user's call (outside.go); values.go
//	rows.go     the table; rows_apart.go what its columns say where they would read the same;
//	            places.go the places in sentences
//	counts.go   how much of the runs differs
//	flow.go     which row of the table saw the value of which
//	render*.go  text and markdown; draw below has pictures
//	walk.go     both runs step by step, the rows among them; walk_view.go what is shown
//	            of that, the rest folded
//
// Invariants:
//   - Everything reported is an event of the failing run, or an event of the
//     passing run that the failing run lacks (marked so), or the return by which a
//     goroutine left after such an event, where the source leaves no other.
//   - RootCause is in the order of the failing run and has at most MaxRoot
//     entries.
//   - A run without a passing counterpart, and a program without source text,
//     are explained too, in less detail.
//   - The result contains no path of this machine.
package projection

import (
	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

// MaxRoot bounds the root cause.
const MaxRoot = 8

// Input of Project.
type Input struct {
	Fail     *trace.Trace
	Pass     *trace.Trace     // passing run of the same input with the nearest schedule; nil if none is known
	Passes   []*trace.Trace   // more passing runs; the nearest of all, and of those of Cause, is chosen
	Switches []SwitchEvidence // what was measured about the failing schedule
	Cause    *cause.Cause     // the orders that suffice for the failure; nil: not looked for
	Races    []trace.Race     // races of Fail beyond Fail.Races
	Roots    site.Roots
	Files    *source.Files // nil reads from disk
}

// SwitchEvidence says how often the failure came when one context switch of
// the failing schedule was left out.
type SwitchEvidence struct {
	Switch trace.Switch
	Runs   int
	Failed int
}

// Class of a bug; the values are those of report.Finding.Class.
type Class string

const (
	Atomicity Class = "atomicity-violation"
	Order     Class = "order-violation"
	Deadlock  Class = "deadlock"
	Missed    Class = "missed-signal"
	DataRace  Class = "data-race"
	Misuse    Class = "channel-misuse"
	Other     Class = "other"
)

// Projection is the explanation: plain data.
type Projection struct {
	Kind      trace.OutcomeKind `json:"kind"`
	Message   string            `json:"message"`
	Failure   report.Place      `json:"failure"`
	Class     Class             `json:"class"`
	Sentence  string            `json:"sentence"`         // what happened
	MustNot   string            `json:"must"`             // what must hold instead; "" if unknown
	Region    *Region           `json:"region,omitempty"` // lines that must run undisturbed
	RootCause []report.Access   `json:"root_cause"`
	Cause     *report.Cause     `json:"cause,omitempty"` // which orders of the root cause suffice
	Rows      []Row             `json:"rows"`
	Counts    report.Projection `json:"counts"`
	Branches  []Branch          `json:"branches,omitempty"`
	Blocked   []report.Blocked  `json:"blocked,omitempty"`
	Evidence  []string          `json:"evidence,omitempty"` // measured, one line each
	PathDep   bool              `json:"path_dependent"`     // the failing run takes a branch that no passing run took
	Compared  bool              `json:"compared"`           // there was a passing run
	Pass      *trace.Trace      `json:"-"`                  // that one
	Steps     []Step            `json:"-"`                  // by index of RootCause
}

// Step is the event that a step of the root cause tells.
type Step struct {
	Event int  // of the failing run; -1 for a wait that never ends and a return
	Late  bool // it is an event of Pass that the failing run had not come to
}

// Region is a stretch of one function that another goroutine must not enter.
type Region struct {
	Goroutine string `json:"goroutine"`
	Func      string `json:"func"`
	File      string `json:"file"`
	From      int    `json:"from"`
	To        int    `json:"to"`
	Against   string `json:"against"` // the goroutine that came in between
}

// Row is a line of the table.
type Row struct {
	Goroutine string `json:"goroutine"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Code      string `json:"code"` // the source text, or the operation in words
	Failing   string `json:"failing"`
	Passing   string `json:"passing"`
	Differs   bool   `json:"differs"` // what Failing says is not what Passing says
	// Nearest is what the nearest passing run did, where Passing tells of another one.
	Nearest string `json:"nearest,omitempty"`
	// What pictures need (flow.go). Numbers of rows count from 1.
	Role      Role `json:"role,omitempty"`
	From      int  `json:"from,omitempty"`       // the row whose value this one saw in the failing run, 0 if that is none of the rows
	PassFrom  int  `json:"pass_from,omitempty"`  // the same of the passing run
	PassOrder int  `json:"pass_order,omitempty"` // which of the rows it is in the order of the passing run, 0 if that lacks it
	// The events that the row tells of, counted from 1, 0 where a run has none.
	Event     int `json:"event,omitempty"`
	PassEvent int `json:"pass_event,omitempty"`
}

// Role says what is special about a row, "" for a step as any.
type Role string

const (
	Fails       Role = "fails"        // the failing run ends here
	Waits       Role = "waits"        // for ever
	OnlyPassing Role = "only-passing" // the failing run did not come to it
)

// Branch is a condition that went another way.
type Branch struct {
	Goroutine string `json:"goroutine"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Cond      string `json:"cond"`
	Failing   string `json:"failing"`
	Passing   string `json:"passing"`
}
