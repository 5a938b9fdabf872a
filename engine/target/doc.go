// Package target finds what can be run: the Go toolchain and module that a
// folder belongs to, and in the packages that patterns name, each top-level
// test, example and main function.
//
// Invariants:
//   - Nothing is built or run here, and no file is written: discovery costs
//     one "go list" and the parsing of test files.
//   - A package that can't be loaded is a Problem with its place, never an
//     error: the others are still returned.
//   - Every error is one line: what failed, where, and what to do.
//   - This package knows nothing of schedules or of how targets are built.
package target

import "github.com/hocket-dev/hocket/engine/overlay"

// Target is one thing to search: a test, an example or a main function.
type Target struct {
	Package string // import path
	Dir     string // folder of the package
	// Module is the root of the module that holds the package; for a
	// dependency it lies in the module cache.
	Module string
	// Entry is how people and findings call it: "main", "TestX", "TestX/sub".
	Entry string
	Main  bool
	// TestRun is the -test.run value that selects exactly this entry.
	TestRun string
	Args    []string // of the program
	// Overlay stands for files of the build; nil: none.
	Overlay *overlay.Files
}

// Problem is a package that can't be searched, and why.
type Problem struct {
	Package string
	Pos     string // "file.go:3:1", may be empty
	Err     string // one line
}

func (p Problem) String() string {
	if p.Pos != "" {
		return p.Package + ": " + p.Pos + ": " + p.Err
	}
	return p.Package + ": " + p.Err
}

// Flags are the build flags that change what is compiled.
type Flags struct {
	Tags    string `json:"tags,omitempty"`
	Ldflags string `json:"ldflags,omitempty"`
	Mod     string `json:"mod,omitempty"`
	Modfile string `json:"-"`               // in place of go.mod; never kept
	Short   bool   `json:"short,omitempty"` // -test.short
}

// List returns the flags that "go list" needs to see the same files.
func (f Flags) List() []string {
	var args []string
	if f.Tags != "" {
		args = append(args, "-tags="+f.Tags)
	}
	if f.Mod != "" {
		args = append(args, "-mod="+f.Mod)
	}
	if f.Modfile != "" {
		args = append(args, "-modfile="+f.Modfile)
	}
	return args
}

// Query says which targets are wanted.
type Query struct {
	Patterns []string // as for go test; none means "."
	Run      string   // as go test -run; empty means all
	Flags    Flags
	Args     []string
	Overlay  *overlay.Files // nil: the files on disk
}
