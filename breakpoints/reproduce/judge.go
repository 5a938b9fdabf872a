package reproduce

import "github.com/hocket-dev/hocket/breakpoints/breakfile"

// Judge tells a finding's failure from others. It is also the judge of entries
// of kind "schedule" in the breakpoints file, as JSON.
type Judge struct {
	Kind     string `json:"kind"` // "panic", "test-failure", "deadlock", "leak", "fatal", "exit", "data-race"
	Message  string `json:"message,omitempty"`
	Printed  bool   `json:"printed,omitempty"` // of a test: the message is in its output
	Entry    string `json:"entry,omitempty"`   // the top-level test
	ExitCode int    `json:"exit_code,omitempty"`
	// Blocked are the statements at which goroutines wait for ever.
	Blocked []breakfile.Place `json:"blocked,omitempty"`
	// Flags of the build and Args of the program with which it was seen.
	Flags []string `json:"flags,omitempty"`
	Args  []string `json:"args,omitempty"`
}
