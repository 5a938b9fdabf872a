package engine

import (
	"context"
	"errors"
	"time"
)

// RunBreaksOptions says what to run with the breakpoints of the module, and
// how often.
type RunBreaksOptions struct {
	Dir      string   // "" is the current folder
	Patterns []string // one package; none is "."
	Run      string   // as go test -run; "" is the whole test binary, as go test
	Args     []string // of the program
	Flags    Flags
	Race     bool          // build with the race detector
	N        int           // runs with breakpoints; 0 = 100
	Plain    int           // runs without, between the others; negative = min(N, 20)
	IDs      []string      // breakpoints to use; none is all that are not off
	Timeout  time.Duration // of one run; 0 = a minute
	// Overlay is as FindOptions.Overlay.
	Overlay map[string]string
}

// BreakRun is what the runs showed.
type BreakRun struct {
	Package     string         `json:"package"`
	Entry       string         `json:"entry"` // "main", "TestX", "" for all tests
	Runs        int            `json:"runs"`
	Hits        int            `json:"hits"` // runs in which some breakpoint was hit
	Failed      int            `json:"failed"`
	Failures    []BreakFailure `json:"failures"` // most frequent first
	Plain       PlainRuns      `json:"plain"`
	MS          float64        `json:"ms"` // median wall time of a run
	Breakpoints []BreakStat    `json:"breakpoints"`
	Output      string         `json:"output"` // of one failing run
	Notes       []string       `json:"notes"`
	Cut         bool           `json:"cut"` // ended by the caller before all runs
}

// BreakFailure is one way in which runs failed.
type BreakFailure struct {
	Message string `json:"message"`
	Count   int    `json:"count"`
}

// PlainRuns are those of the same program without breakpoints.
type PlainRuns struct {
	Runs     int            `json:"runs"`
	Failed   int            `json:"failed"`
	MS       float64        `json:"ms"` // median wall time of a run
	Failures []BreakFailure `json:"failures"`
}

// BreakStat is what became of one breakpoint in all runs.
type BreakStat struct {
	ID    string          `json:"id"`
	Hit   int             `json:"hit"` // runs in which it was hit
	Sides []BreakSideStat `json:"sides"`
	Notes []string        `json:"notes"`
	Lost  string          `json:"lost,omitempty"` // why it was left out
}

// BreakSideStat counts arrivals in all runs.
type BreakSideStat struct {
	Place     string `json:"place"` // "pool.go:41"
	Reached   int    `json:"reached"`
	Postponed int    `json:"postponed"`
	TimedOut  int    `json:"timed_out"`
	Released  int    `json:"released"` // let go early, since nobody else could go on
}

// RunningBreaks is the phase of RunBreaks; Schedules of Planned are done.
const RunningBreaks Phase = "running with breakpoints"

// RunBreaks builds the program with the module's breakpoints and runs it.
// Cancelled after the first run, it returns what there is, with Cut set.
func RunBreaks(ctx context.Context, opt RunBreaksOptions, progress Progress) (*BreakRun, error) {
	return nil, errors.New("break run is not built yet")
}
