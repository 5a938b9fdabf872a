package breakfile

import "encoding/json"

// Name of the file in the folder .hocket.
const Name = "breakpoints.json"

// Folder of the module in which the file is.
const Folder = ".hocket"

// Version of the format that this package reads and writes.
const Version = 1

// File is the content of breakpoints.json.
type File struct {
	Version int `json:"version"`
	// Used is the number of the highest id that was given and is not listed any
	// more, if it is above those listed.
	Used        int           `json:"used,omitempty"`
	Breakpoints []*Breakpoint `json:"breakpoints"`

	extra map[string]json.RawMessage // of a later version
}

// Kinds of breakpoints. The empty kind means Conflict.
const (
	Conflict   = "conflict"
	Race       = "race"
	Contention = "contention"
	Atomicity  = "atomicity"
	Deadlock   = "deadlock"
	Notify     = "notify"
	Order      = "order"
	Scheduled  = "schedule" // made from a finding: a chain of points with an order
)

// Breakpoint is one concurrent breakpoint.
type Breakpoint struct {
	ID     string  `json:"id"` // "b1", "b2", ...
	Kind   string  `json:"kind"`
	Places []Place `json:"places"` // side 1 first
	// If is a Go expression over the variables of the sides: "t1.p == t2.p".
	If string `json:"if,omitempty"`
	// Order is the order in which the sides go on, a permutation of 1..n; nil
	// is 1..n.
	Order []int `json:"order,omitempty"`
	// Timeout of a pause as Go writes durations, "" for the default.
	Timeout     string    `json:"timeout,omitempty"`
	IgnoreFirst int       `json:"ignore_first,omitempty"` // meetings that pass before the first hit
	AtMost      int       `json:"at_most,omitempty"`      // hits, 0 for no limit
	Off         bool      `json:"off,omitempty"`
	Note        string    `json:"note,omitempty"`
	Package     string    `json:"package,omitempty"` // where it was set from; for a schedule: what to run
	Entry       string    `json:"entry,omitempty"`
	Schedule    *Schedule `json:"schedule,omitempty"`

	extra map[string]json.RawMessage
}

// Place is one side: a statement by its fingerprint.
type Place struct {
	// File as in findings: relative to the module's root, or
	// "module@version/path".
	File   string `json:"file"`
	Line   int    `json:"line"`   // when it was set, from 1
	Column int    `json:"column"` // in bytes, from 1
	// Func is the enclosing function as Go names it, without the package:
	// "(*Cache).Get", "TestX.func1", "init.0"; a literal of a package-level
	// variable is "handlers.func2".
	Func string `json:"func"`
	// Text is the statement with one space between tokens and no comments; the
	// body of a function literal is left out, and so is what a head heads.
	Text string `json:"text"`
	// Nth, from 0, among the Of equal texts (0: one) in the outermost function
	// around it, that of Func without ".func1".
	Nth int `json:"nth,omitempty"`
	Of  int `json:"of,omitempty"`
	// Before and After are the texts of the neighbours in the outermost
	// function, "" at its start and end.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Around is what stands around it, as hashes (see around.go).
	Around string `json:"around,omitempty"`
	// Elsewhere counts equal texts in other functions of the file.
	Elsewhere int `json:"elsewhere,omitempty"`
	// Others are the functions that have those, as hashes of their names (see
	// renamedfunc.go).
	Others string `json:"others,omitempty"`
	// Twins are other functions of the file that read the same around an equal
	// statement: it is not looked for in them.
	Twins []string `json:"twins,omitempty"`
	// Timeout of this side's pause, "" for the breakpoint's.
	Timeout string `json:"timeout,omitempty"`
	Point   *Point `json:"point,omitempty"` // only of schedules

	extra map[string]json.RawMessage
}

// Renewed is the place with the fingerprint of another: what was chosen for it
// stays.
func (p Place) Renewed(by Place) Place {
	by.Timeout, by.Point, by.extra = p.Timeout, p.Point, p.extra
	return by
}

// Point says how a place of a schedule is instrumented.
type Point struct {
	ID   int    `json:"id"`
	Kind string `json:"kind"`
	Op   string `json:"op,omitempty"`
	Func string `json:"func,omitempty"`
	Nth  int    `json:"nth,omitempty"`  // from 1: of several such operations on the line
	Call string `json:"call,omitempty"` // what is called, if the operation is inside that
	Case int    `json:"case,omitempty"`
	Line int    `json:"line,omitempty"` // of the operation, below the statement's first
}

// Schedule is what a breakpoint made from a finding plays.
type Schedule struct {
	Finding string `json:"finding"`
	Message string `json:"message"` // of the failure
	Kind    string `json:"kind"`    // of the failure: "panic", "deadlock", ...
	Plan    string `json:"plan"`    // as breakpoints.Plan reads it
	Test    bool   `json:"test,omitempty"`
	TestRun string `json:"test_run,omitempty"`
	// Judge is what tells the failure from others, in the words of whoever
	// wrote the schedule.
	Judge json.RawMessage `json:"judge,omitempty"`

	extra map[string]json.RawMessage
}

// Location is where a place is in a text. Lines and columns start at 1,
// columns count bytes; the end is the first column after it.
type Location struct {
	Line, Column       int
	EndLine, EndColumn int
	Func               string // the function that it is in now
	Text               string // as it reads now
	Moved              bool   // another line, or another function
	Changed            bool   // it reads differently
	Why                string // the reason for Moved or Changed, one line; "" if neither
}

// LostError: a place can't be found for sure.
type LostError struct {
	Place Place
	Why   string // one line
}

func (e *LostError) Error() string { return e.Why }
