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
	breakfile.Place
	Edits []Edit
}

// Edit is a change of a statement's text. Positions count the statement's
// tokens from 0, those inside of blocks left out, and so are comments.
type Edit struct {
	Kind string // "" inserts; see edit.go for the others
	From int    // the first token that it is about
	To   int    // the last one
	// Text goes before token From, Then after token To.
	Text, Then string
	Case       int // of "select"
}
