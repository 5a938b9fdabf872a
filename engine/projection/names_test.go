package projection

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// A deadlock in a test also stops the main function that the go command wrote:
// no place to send people to.
func TestUserFramesLeaveTheTestMainOut(t *testing.T) {
	a := &analysis{fail: &run{Trace: &trace.Trace{}}}
	got := a.userFrames([]trace.Frame{
		{Func: "main.main", File: "_testmain.go", Line: 50},
		{Func: "example.com/pool.TestMove", File: "/m/pool_test.go", Line: 40},
	})
	if len(got) != 1 || got[0].Line != 40 {
		t.Errorf("got %v, want the test's frame only", got)
	}
}
