package analysis

import (
	"fmt"

	"github.com/hocket-dev/hocket/internal/words"
)

// Version of the report's JSON form.
const Version = 1

// Report is what the sources say of packages: pairs of places that may
// conflict, most suspicious first. The JSON names are a contract.
type Report struct {
	Version int     `json:"version"`
	Package string  `json:"package"` // import path; several are separated by spaces
	MS      float64 `json:"ms"`      // milliseconds, loading included
	Lines   int     `json:"lines"`   // of the files that were analyzed
	Pairs   []Pair  `json:"pairs"`
	Cycles  []Cycle `json:"cycles"`
	// Errors are packages or functions that gave less than the whole, a line each.
	Errors []string `json:"errors"`
	// Cut is what the limits left out, nil if nothing.
	Cut *Cut `json:"cut,omitempty"`
}

// Cut is where a limit was reached, so that operations were left out and pairs
// may be missing.
type Cut struct {
	Functions int `json:"functions"` // that do more than 400 operations, with what they call
	Entries   int `json:"entries"`   // ways into the program with more than 1,500
	Deep      int `json:"deep"`      // functions whose calls go deeper than nine
}

// Words is the cut as one line.
func (c *Cut) Words() string {
	return fmt.Sprintf("not everything was looked at: %s with more than %d operations, %s with more than %d, %s with calls deeper than %d",
		words.Count(c.Functions, "function"), maxEvents, words.CountOf(c.Entries, "entry", "entries"), maxEntry, words.Count(c.Deep, "function"), maxDepth)
}

// Kind of a conflict.
type Kind string

// The kinds of pairs.
const (
	Race       Kind = "race"       // no lock in common, one of them a write
	Atomicity  Kind = "atomicity"  // Then relies on what Sides[0] saw, Sides[1] may come between
	Contention Kind = "contention" // the same lock: which of them is first decides
	Deadlock   Kind = "deadlock"   // each may wait for what the other holds
	Notify     Kind = "notify"     // a condition's signal and its wait may miss each other
	Channel    Kind = "channel"    // send or close against close, a message against the end
	Order      Kind = "order"      // torn down, or declared done, while it is in use
)

// Pair is two places that may conflict when goroutines run at once.
type Pair struct {
	Rank  int     `json:"rank"`  // from 1
	Score float64 `json:"score"` // 0 to 1; comparable within a report only
	Kind  Kind    `json:"kind"`
	What  string  `json:"what"`  // "field count of Cache"
	Why   string  `json:"why"`   // one line
	Sides []Side  `json:"sides"` // two
	// Then is where the goroutine of Sides[0] relies on what it saw there
	// (atomicity only): the failing order is Sides[0], Sides[1], Then.
	Then *Side `json:"then,omitempty"`
	// Doubt is why the pair is likely no bug, "" if it may well be one.
	Doubt string `json:"doubt,omitempty"`
	// Seen are the ids of findings that show the pair, if it was tried.
	Seen []string `json:"seen,omitempty"`
}

// Side is a place and what is done there.
type Side struct {
	File      string   `json:"file"`       // relative to the module's root, or "module@version/path"
	Line      int      `json:"line"`       // from 1
	Column    int      `json:"column"`     // of bytes, from 1
	EndColumn int      `json:"end_column"` // exclusive, in the same line
	Func      string   `json:"func"`       // "(*Cache).Get", "main.func1"
	Op        string   `json:"op"`         // read, write, lock, unlock, rlock, wait, signal, send, receive, close, select, ...
	Locks     []string `json:"locks"`
	Goroutine string   `json:"goroutine"` // how it is started
	// In is the small accessor that the place calls, if the place is a call of
	// one that serves several places.
	In   string `json:"in,omitempty"`
	Call *Call  `json:"call,omitempty"` // who calls the function, on this way
	// Column and EndColumn counted in code points, as SARIF wants them.
	PointColumn    int `json:"-"`
	PointEndColumn int `json:"-"`
}

// Call is where a function is called.
type Call struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Cycle is locks that are taken in orders which exclude each other.
type Cycle struct {
	Locks []string `json:"locks"`
	Why   string   `json:"why"`
	Edges []Edge   `json:"edges"`
}

// Edge of a cycle: Wanted is waited for At while Held is held.
type Edge struct {
	Held   string `json:"held"`
	Wanted string `json:"wanted"`
	At     Side   `json:"at"`
}

// What is shown without being asked for.
const (
	enough   = 0.5  // score
	most     = 25   // pairs
	doubtful = 0.49 // score of a pair that is likely no bug, at most
)

// Suspicious are the pairs worth showing without being asked for, and how many
// there are besides.
func (r *Report) Suspicious() (shown []Pair, left int) {
	n := 0
	for n < len(r.Pairs) && n < most && r.Pairs[n].Score >= enough {
		n++
	}
	return r.Pairs[:n], len(r.Pairs) - n
}
