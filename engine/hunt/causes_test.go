package hunt

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What a helper of tests checks may fail for many reasons; what the runtime reports at
// a place of the program, or where goroutines race and wait, is one bug.
func TestCause(t *testing.T) {
	for _, c := range []struct {
		s    run.Signature
		same bool
	}{
		{run.Signature{Kind: trace.Raced, Places: "write f (a.go:1); read g (a.go:2)"}, true},
		{run.Signature{Kind: trace.Deadlocked, Places: "f (a.go:1)"}, true},
		{run.Signature{Kind: trace.Panicked, Message: "panic: send on closed channel", Places: "f (a.go:1)"}, true},
		{run.Signature{Kind: trace.Panicked, Message: "panic: runtime error: invalid memory address or nil pointer dereference", Places: "f (a.go:1)"}, true},
		{run.Signature{Kind: trace.Panicked, Message: "panic: want # got #", Places: "check (a.go:1)"}, false},
		{run.Signature{Kind: trace.TestFailed, Message: "want # got #", Places: "check (a.go:1)"}, false},
		{run.Signature{Kind: trace.ExitCode, Message: "exit status #", Places: "fatal (a.go:1)"}, false},
		{run.Signature{Kind: trace.Raced}, false},
	} {
		if got := (&confirmation{caught: &search.Finding{Signature: c.s}}).cause(); (got != "") != c.same {
			t.Errorf("%v: cause %q", c.s, got)
		}
	}
}
