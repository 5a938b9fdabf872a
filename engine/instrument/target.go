package instrument

import (
	"os"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/overlay"
)

// Target is one program of the user's: a main package, or one test of a
// package. It says how the user would build and start it; each mode of
// building adds its own flags.
type Target struct {
	Dir        string   // the package's directory, absolute
	ImportPath string   // for messages and file names
	Test       bool     // a test binary (go test -c) rather than a main package
	Entry      string   // "main", or "TestX" or "TestX/sub"
	Flags      []string // build flags as the user gave them (-tags, -ldflags, ...)
	Env        []string // added to the environment, of the build and of the program
	Args       []string // of the program, after the test flags
	// Overlay stands for files of the user's in every build; nil: none.
	Overlay *overlay.Files
}

// Func is the name of the function in which the target begins.
func (t Target) Func() string {
	name, _, _ := strings.Cut(t.Entry, "/")
	return name
}

// RunArgs are the arguments with which the built program runs just this target.
// The caller sets timeouts: the test binary's own is off.
func (t Target) RunArgs() []string {
	if !t.Test {
		return t.Args
	}
	parts := strings.Split(t.Entry, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	args := []string{"-test.run=" + strings.Join(parts, "/"), "-test.timeout=0", "-test.count=1", "-test.paniconexit0=true"}
	return append(args, t.Args...)
}

// Environ is the process environment with the target's additions.
func (t Target) Environ(more ...string) []string {
	env := append(os.Environ(), "PWD="+t.Dir)
	return append(append(env, t.Env...), more...)
}
