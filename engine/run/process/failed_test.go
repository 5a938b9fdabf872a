package process_test

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A failure is told where it happens: a test whose check failed before it hangs does not
// hang at that check, and a status is given where the program ends itself.
func TestPlaceOfFailure(t *testing.T) {
	const program = `package odd

import (
	"os"
	"testing"
)

func TestHangs(t *testing.T) {
	t.Error("wrong")
	<-make(chan int)
}

func TestFails(t *testing.T) { t.Error("wrong") }

func TestExits(t *testing.T) {
	defer println("never")
	os.Exit(3)
}
`
	for entry, p := range programEntries(t, program, "TestHangs", "TestFails", "TestExits") {
		r, err := p.Run(t.Context(), run.Spec{Strategy: run.Replay, Record: run.Full})
		if err != nil {
			t.Fatal(err)
		}
		o := r.Outcome
		switch entry {
		case "TestHangs":
			if o.Kind != trace.Deadlocked || o.Stack != 0 || o.Goroutine != 0 || len(o.Blocked) == 0 {
				t.Errorf("%s: %s at stack %d of goroutine %d, %d blocked", entry, o.Kind, o.Stack, o.Goroutine, len(o.Blocked))
			}
		case "TestFails":
			if at, ok := r.Trace.UserFrame(o.Stack); o.Kind != trace.TestFailed || !ok || at.Line != 13 {
				t.Errorf("%s: %s at line %d, want 13", entry, o.Kind, at.Line)
			}
		case "TestExits":
			if at, ok := r.Trace.UserFrame(o.Stack); o.Kind != trace.ExitCode || !ok || at.Line != 17 {
				t.Errorf("%s: %s at line %d, want 17", entry, o.Kind, at.Line)
			}
		}
	}
}
