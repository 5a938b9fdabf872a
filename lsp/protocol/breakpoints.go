package protocol

// MethodBreakpoints is Hocket's own: a notification to clients that have asked
// for it (experimental.hocketBreakpoints), and a request of any client.
const MethodBreakpoints = "hocket/breakpoints"

// BreakpointsParams ask for the concurrent breakpoints of a file's module.
type BreakpointsParams struct {
	URI URI `json:"uri"`
}

// Breakpoints are the concurrent breakpoints of a module, placed in the texts
// that the client shows.
type Breakpoints struct {
	Root        URI                `json:"root"`
	Breakpoints []Breakpoint       `json:"breakpoints"`
	Pending     *PendingBreakpoint `json:"pending,omitempty"`
	Problem     string             `json:"problem"` // why the file can't be read, ""
}

// Breakpoint is a concurrent breakpoint.
type Breakpoint struct {
	ID          string             `json:"id"`
	Kind        string             `json:"kind"`
	If          string             `json:"if"`
	Order       []int              `json:"order"` // sides in the order of their release
	Timeout     string             `json:"timeout"`
	IgnoreFirst int                `json:"ignoreFirst,omitempty"`
	AtMost      int                `json:"atMost,omitempty"`
	Off         bool               `json:"off"`
	Note        string             `json:"note"`
	Sides       []BreakpointSide   `json:"sides"`
	Last        *BreakpointOutcome `json:"last,omitempty"`
	Hover       string             `json:"hover"` // markdown
}

// BreakpointSide is one of its places.
type BreakpointSide struct {
	URI     URI    `json:"uri"`
	Range   Range  `json:"range"`
	Side    int    `json:"side"`    // from 1
	Of      int    `json:"of"`      // how many there are
	Order   int    `json:"order"`   // its place in the order of release, from 1
	Label   string `json:"label"`   // function that the place is in
	Changed string `json:"changed"` // why it may be another statement than was meant, ""
	Lost    string `json:"lost"`    // why it can't be found, ""; Range is then where it was
	Text    string `json:"text"`    // of the statement
}

// BreakpointOutcome is the result of its last runs.
type BreakpointOutcome struct {
	Runs   int    `json:"runs"`
	Hits   int    `json:"hits"`
	Failed int    `json:"failed"`
	When   string `json:"when"` // RFC 3339
}

// PendingBreakpoint is a first place that waits for the second one.
type PendingBreakpoint struct {
	URI   URI    `json:"uri"`
	Range Range  `json:"range"`
	Text  string `json:"text"`
}
