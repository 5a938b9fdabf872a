// Package report holds the words of an answer: the findings, targets and
// figures that the command line prints, the store keeps and editors show.
//
// Invariants:
//   - The JSON names are a contract with users: fields are added, never
//     renamed or removed.
//   - Files are machine-independent names (package site); lines and columns
//     start at 1, columns count bytes.
//   - Plain data: this package computes nothing but wording.
package report

// Version of the JSON object.
const Version = 1

// Status of a target.
type Status string

const (
	Failing         Status = "failing"
	NotReached      Status = "not-reached"      // nothing of it was tried
	Clean           Status = "clean"            // the whole space was covered or proved
	Searched        Status = "searched"         // the planned search was completed
	CutShort        Status = "cut-short"        // budget or interrupt before that
	NotControllable Status = "not-controllable" // the same schedule gave different runs
	FailsAlways     Status = "fails-always"     // under every schedule: not a concurrency bug
	Error           Status = "error"            // could not be built or run
)

// Report is the answer to one find.
type Report struct {
	Version  int        `json:"version"`
	Package  string     `json:"package"` // the patterns as given
	Targets  []*Target  `json:"targets"`
	Findings []*Finding `json:"findings"`
	// Recorded is what came of following the recorded run that the search is of; nil:
	// it is of none.
	Recorded *Recording `json:"recorded,omitempty"`
	// Warnings are things the user should know about the search as a whole.
	Warnings []string `json:"warnings,omitempty"`
}

// Target is what became of one test or main function.
type Target struct {
	Package          string  `json:"package"`
	Entry            string  `json:"entry"`
	Runs             int     `json:"runs"`              // processes started
	Distinct         int     `json:"distinct"`          // different interleavings among them
	ObservedFailures int     `json:"observed_failures"` // runs of the search that failed
	Modelled         float64 `json:"modelled"`          // share of shared events that a model of the program predicts
	SharedEvents     int     `json:"shared_events"`
	Status           Status  `json:"status"`
	Error            string  `json:"error,omitempty"`
	Note             string  `json:"note,omitempty"`
	Searched         Spent   `json:"searched"`
	NeedsMS          int64   `json:"needs_ms,omitempty"` // estimate of what the rest of the search takes at most
	// Withheld is what was seen in runs and is not reported as a finding.
	Withheld []Withheld `json:"withheld,omitempty"`
}

// Withheld is something that was seen and is no finding, with the reason.
type Withheld struct {
	Kind    string `json:"kind"` // of a finding, or "time-out"
	Message string `json:"message"`
	Why     string `json:"why"`
}

// Spent says what a search cost. An attempt is a process start.
type Spent struct {
	Strategy     string `json:"strategy,omitempty"`
	Attempts     int    `json:"attempts"`
	Planned      int    `json:"planned,omitempty"` // attempts that the whole search would take
	Earlier      int    `json:"earlier,omitempty"` // attempts of earlier searches of the same program, which this one continues
	Flips        int    `json:"flips"`
	Depth        int    `json:"depth"`
	Width        int    `json:"width"`
	FromDatabase int    `json:"from_database"`
	Synthesized  int    `json:"synthesized"`
	Predicted    int    `json:"predicted"` // failures that a solver found possible before any run showed them
	Happened     int    `json:"happened"`  // of those, such that their run showed
	// Started counts the runs of the program that a model of it was fitted to, before
	// Synthesized runs of the model; of those, FromDatabase follow recorded runs. Flipped are outcomes of conditions on the way to a
	// failure that none of the runs started from had.
	Started int    `json:"started_from,omitempty"`
	Flipped []Flip `json:"flipped,omitempty"`
	// NoModel says why no model of the program was used any more.
	NoModel string `json:"no_model,omitempty"`
	SolveMS int64  `json:"solve_ms"`
	TotalMS int64  `json:"total_ms"`
}

// Level of confirmation that a finding reached.
type Level string

const (
	Native     Level = "native"     // ordinary build and runtime, by itself or with an order enforced at points
	Pinned     Level = "pinned"     // compiled as for production, hooks at the switches only
	Controlled Level = "controlled" // only under the controlled scheduler, or too seldom elsewhere
	RaceProved Level = "race"       // a data race proved on the execution
)

// Reached says how much a failing run shows of a state that was looked for.
type Reached struct {
	File       string `json:"file"`       // that tells of the state
	Kind       string `json:"kind"`       // what the file holds: "panic", "race report", "goroutine dump", ...
	Goroutines int    `json:"goroutines"` // of the state that are compared; 0 for a race
	Same       int    `json:"same"`       // of those, that stand where it says
	Whole      bool   `json:"whole"`      // it is the same state
	Words      string `json:"words"`      // "the same state as in FILE: 7 of 7 goroutines"
}

// Finding is one bug.
type Finding struct {
	ID       string `json:"id"`
	Package  string `json:"package"`
	Entry    string `json:"entry"`
	Kind     string `json:"kind"`
	Class    string `json:"class"`
	Message  string `json:"message"`
	Sentence string `json:"sentence,omitempty"` // the explanation in one sentence
	Failure  Place  `json:"failure"`
	PathDep  bool   `json:"path_dependent"`
	// TimeDependent: it needs somebody to be slower than a timer; nil if not.
	TimeDependent *TimeDependent `json:"time_dependent,omitempty"`
	// Memory is the memory model under which it happens: tso or pso; "" is sequential
	// consistency.
	Memory   string `json:"memory,omitempty"`
	Schedule Shape  `json:"schedule"`
	Replay   Count  `json:"replay"`
	// Reached is set by a search for a state that a file tells of.
	Reached *Reached `json:"reached,omitempty"`
	// SameEvents counts the replays that took the very same steps.
	SameEvents int    `json:"same_events"`
	Confirmed  Level  `json:"confirmed"`
	Pinned     *Count `json:"pinned,omitempty"`
	Native     *Count `json:"native,omitempty"`
	// Recorded: it is the failure of that recorded run.
	Recorded *Recording `json:"recorded,omitempty"`
	// NativeNote says why the native confirmation is absent or weak.
	NativeNote string `json:"native_note,omitempty"`
	// Baseline are plain runs of the ordinary build, without an order.
	Baseline *Count `json:"baseline,omitempty"`
	// NeedsNoOrder: Native is the Baseline, in which it fails by itself at least as often
	// as with its order.
	NeedsNoOrder bool `json:"needs_no_order,omitempty"`
	// NativeOrder is what of the order was enforced in the runs of Native: "core", the
	// part that is needed, "schedule", that of the whole schedule, or "", none.
	NativeOrder string `json:"native_order,omitempty"`
	// OneProcessor: the runs of Native had GOMAXPROCS=1.
	OneProcessor bool `json:"native_one_processor,omitempty"`
	// Played counts the runs of Native in which the order was enforced to its end.
	Played int `json:"native_played,omitempty"`
	// Unplayed counts the failures of Native among the other runs.
	Unplayed  int      `json:"native_unplayed,omitempty"`
	RootCause []Access `json:"root_cause"`
	// Cause says which orders of the root cause suffice; nil if that is not known.
	Cause *Cause `json:"cause,omitempty"`
	// Behind are the accesses of the race that handed one goroutine what this race is on.
	Behind []Access `json:"-"`
	// Also are other failures that the same cause leads to.
	Also       []Also     `json:"also,omitempty"`
	Necessity  []Need     `json:"necessity,omitempty"`
	Blocked    []Blocked  `json:"blocked,omitempty"` // who waits where, for deadlocks and leaks
	Projection Projection `json:"projection"`
	Fixes      []Fix      `json:"fixes"`
	// NoFix says why none of Fixes is verified, "" where fixes were not looked for.
	NoFix  string `json:"no_fix,omitempty"`
	Search Spent  `json:"search"`
	// ExplainedMS is the time from the failing run to its explanation.
	ExplainedMS int64 `json:"explained_ms,omitempty"`
	// SameAs is the finding of another target that has the same cause and was
	// confirmed for both.
	SameAs string `json:"same_as,omitempty"`
	// Unfinished: the time ended before all that is done to confirm it was done.
	Unfinished bool `json:"unfinished,omitempty"`
	// Unkept: it could not be stored, so no command knows its id.
	Unkept bool     `json:"unkept,omitempty"`
	Others []string `json:"other_messages,omitempty"` // further failures of the same schedule or cause
}

// TimeDependent says who must be slower than which timer for a failure to happen.
type TimeDependent struct {
	Timer     string  `json:"timer"`               // where it was set, "file:line"; "" if that is not known
	Sleep     bool    `json:"sleep,omitempty"`     // it is a time.Sleep
	DelayMS   float64 `json:"delay_ms"`            // by how much, at least
	At        string  `json:"at"`                  // where the goroutine stands meanwhile, "file:line"; "" if that is not known
	Goroutine string  `json:"goroutine,omitempty"` // that is slower
	Others    []Place `json:"others,omitempty"`    // who must wait meanwhile, too
	More      int     `json:"more,omitempty"`      // delays that it needs beside this one
}

// Place is where something happened.
type Place struct {
	Goroutine string `json:"goroutine,omitempty"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column,omitempty"`
	Func      string `json:"func,omitempty"`
}

// Shape describes a schedule.
type Shape struct {
	Events      int `json:"events"`
	Switches    int `json:"context_switches"`
	Preemptions int `json:"preemptions"`
	// Minimal: no schedule that fails in this way has fewer preemptions, which is
	// proved. Otherwise they are the fewest that were found.
	Minimal bool `json:"minimal"`
	// Raw: nothing was done yet to make it shorter.
	Raw bool `json:"raw,omitempty"`
	// Irreducible: no switch can be left out; each was tried.
	Irreducible bool `json:"irreducible,omitempty"`
	// Found is the number of context switches of the run that was found first.
	Found  int `json:"found_switches,omitempty"`
	Runs   int `json:"runs,omitempty"`         // that were made to make it shorter
	Solves int `json:"solver_calls,omitempty"` // for the same
}

// Count is failures out of runs.
type Count struct {
	Runs   int `json:"runs"`
	Failed int `json:"failed"`
}

// Access is one step of the root cause.
type Access struct {
	Goroutine string `json:"goroutine"`
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column,omitempty"`
	Op        string `json:"op"`
	Var       string `json:"var"`
	Func      string `json:"func,omitempty"`
	Call      *Place `json:"call,omitempty"` // the caller's place when a shared helper does the access
}

// Cause is the few orders that suffice for a failure.
type Cause struct {
	Proved bool `json:"proved"`         // in every run that has them the program fails
	Runs   int  `json:"runs"`           // runs made that had them: each failed in the same way
	Made   int  `json:"made,omitempty"` // runs made in all, to find these orders and to test them
	// Compared is the number of orders of the failing run, and of the passing run that
	// it was compared with, among which they were looked for.
	Compared int     `json:"compared,omitempty"`
	Orders   []Order `json:"orders"`         // all of them together suffice
	Note     string  `json:"note,omitempty"` // why they were not tested as often as planned
}

// Order says that one access of the root cause came before another, by their indexes.
// Before is -1 if it is After that matters: what a select took.
type Order struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

// Also is a failure that is another sign of a finding's bug.
type Also struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
}

// Verdicts about a fix.
const (
	FixProved   = "proved"   // no schedule fails any more, which is proved
	FixSearched = "searched" // a search that finds the failure without it finds none with it
)

// Fix is a repair of a finding, as edits of the texts that it was computed for.
type Fix struct {
	Title string `json:"title"`
	Kind  string `json:"kind"` // "extend-lock", "new-lock", "order", "loop-condition", "other"
	// Verified is FixProved, FixSearched, or "": then Reason says why.
	Verified  string `json:"verified"`
	Schedules int    `json:"schedules"` // searched with the fix, all tests together
	Reason    string `json:"reason,omitempty"`
	// Tells are what it changes beside the failure, a sentence each.
	Tells []string `json:"tells,omitempty"`
	// Regions are the lines, before the fix, that it makes atomic.
	Regions []Region  `json:"regions,omitempty"`
	Edits   []FixEdit `json:"edits"`
	// Dependency is the module that it changes, "" for the main module. Then it can't
	// be applied: it is a patch for its authors.
	Dependency string `json:"dependency,omitempty"`
	// Order says what the finding's order did on the ordinary build of the fix.
	Order string `json:"order,omitempty"`
	// Diff is the fix as a unified diff, for people.
	Diff string `json:"diff,omitempty"`
	MS   int64  `json:"ms,omitempty"` // from the start of the work on fixes to the verdict
	// Before and After are the median times of plain runs of the test without and with
	// it, if it was slower in each of ten pairs of them, by a fifth at least.
	Before float64 `json:"before_ms,omitempty"`
	After  float64 `json:"after_ms,omitempty"`
}

// Region is a range of lines, both included, and the lock that makes it atomic.
type Region struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
	With string `json:"with,omitempty"`
}

// FixEdit replaces what lies from Start up to End by Text. Columns count bytes.
type FixEdit struct {
	File  string `json:"file"`
	Start Pos    `json:"start"`
	End   Pos    `json:"end"`
	Text  string `json:"text"`
}

// Pos is a position in a file; both start at 1.
type Pos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Need is the measured answer to "is this switch needed?".
type Need struct {
	From    string `json:"from"` // goroutines
	To      string `json:"to"`
	Place   Place  `json:"place"`   // where From is stopped
	Preempt bool   `json:"preempt"` // From could have gone on
	Runs    int    `json:"runs"`    // without the switch
	Failed  int    `json:"failed"`
	Orders  int    `json:"orders,omitempty"` // different ones among the runs, 0 if not counted
}

// Blocked is a goroutine that waits for ever, or many that wait at one place.
type Blocked struct {
	Place
	Count  int    `json:"count,omitempty"`  // of several, of which Goroutine is one
	On     string `json:"on"`               // "send on chan int (made in a.go:3)"
	Holder string `json:"holder,omitempty"` // who holds the lock
}

// Projection counts what differs from the nearest passing run.
type Projection struct {
	Events        int `json:"events"`
	EventsFull    int `json:"events_full"`
	Dataflows     int `json:"dataflows"`
	DataflowsFull int `json:"dataflows_full"`
	Branches      int `json:"branches"`
	// Reordered are further events, which both runs have in another order: writes to
	// the same memory, and acquisitions of the same lock.
	Reordered int `json:"reordered,omitempty"`
}
