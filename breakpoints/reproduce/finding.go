package reproduce

import "github.com/hocket-dev/hocket/breakpoints/breakfile"

// Finding is a failure and what makes it happen.
type Finding struct {
	ID      string
	Message string // what fails, one line
	Entry   string // "main", "TestX" or "TestX/sub"
	// Flags are of the build ("-tags=x"), Args of the program: for a test, flags
	// of the test binary come first.
	Flags, Args []string
	Statements  []Statement
	Plan        string // as breakpoints.Parse reads it
	Judge       Judge
}

// Statement is one statement that gets points.
type Statement struct {
	Place  Place
	Points []int // numbers in the plan's steps
	Spawns []int // numbers in the plan's roles: goroutines are started here
	Edits  []Edit
}

// Edit is a change of a statement's text, one of several forms. Positions
// count the statement's tokens from 0; comments and what is inside of blocks
// are left out. -1 is the last token.
type Edit struct {
	// Form is "" for Text before token From and Then after token To;
	// "replace" for Text instead of those tokens;
	// "loop" for Text before each turn of a range loop over a channel;
	// "select" for Text around the channel of the case that reads Case, in a
	// select of its own in front of the select.
	Form     string
	From, To int
	Text     string
	Then     string
	Case     string
	// Rank orders what comes to one position: the higher, the closer to the
	// token.
	Rank int
}

// Place is a statement by its fingerprint.
type Place = breakfile.Place
