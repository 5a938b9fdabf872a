package play

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/record"
)

func TestFailureOf(t *testing.T) {
	for _, c := range []struct {
		name, output string
		exit         int
		outcome      record.Outcome
		want         string
	}{
		{"passed", "panic: no\n", 0, record.Passed, ""},
		{"panic", "hello\npanic: oversold\n\ngoroutine 1 [running]:\n", 2, record.Failed, "panic: oversold"},
		{"panic in a test", "--- FAIL: TestX (0.00s)\npanic: boom [recovered, repanicked]\n", 2, record.Failed, "panic: boom"},
		{"printed, not panicked", "panic: no\n--- FAIL: TestX (0.00s)\n    x_test.go:3: B\nFAIL\n", 1, record.Failed, "x_test.go:3: B"},
		{"printed, then panicked", "panic: no\npanic: A\n\tpanic: C\n\ngoroutine 7 [running]:\nx\n\ngoroutine 8 [sleep]:\n", 2, record.Failed, "panic: A"},
		{"recovered and printed, then panicked", "goroutine 7 [running]:\nx\npanic: A\n\ngoroutine 7 gp=0x1 m=0 [running]:\n", 2, record.Failed, "panic: A"},
		{"no stacks", "hello\npanic: A\n", 2, record.Failed, "panic: A"},
		{"fatal on the runtime's stack", "fatal error: out of memory\n\nruntime stack:\nx\n", 2, record.Failed, "fatal error: out of memory"},
		{"logged before", "--- FAIL: TestX (0.01s)\n    log.go:1: begin\n    x_test.go:12: got 3\nFAIL\n", 1, record.Failed, "x_test.go:12: got 3"},
		{"logged only", "--- FAIL: TestX (0.01s)\n    log.go:1: begin\nFAIL\n", 1, record.Failed, "TestX fails"},
		{"fatal", "fatal error: all goroutines are asleep - deadlock!\n", 2, record.Failed, "fatal error: all goroutines are asleep - deadlock!"},
		{"test", "=== RUN\n--- FAIL: TestX (0.01s)\n    x_test.go:12: got 3 want 4\n    x_test.go:13: more\nFAIL\n", 1, record.Failed, "x_test.go:12: got 3 want 4"},
		{"subtest", "--- FAIL: TestX (0.01s)\n    --- FAIL: TestX/a (0.01s)\n        x_test.go:12: got 3\nFAIL\n", 1, record.Failed, "x_test.go:12: got 3"},
		{"silent test", "--- FAIL: TestX (0.01s)\nFAIL\n", 1, record.Failed, "TestX fails"},
		{"exit", "a\nthe last line\n", 3, record.Failed, "exit status 3: the last line"},
		{"silent exit", "", 3, record.Failed, "exit status 3"},
		{"printed, then killed", "panic: no\n", 0, record.Killed, "killed by a signal"},
		{"aborted", "panic: A\n\ngoroutine 7 [running]:\nx\n", 0, record.Killed, "panic: A"},
		{"killed", "", 0, record.Killed, "killed by a signal"},
		{"hang", "SIGQUIT: quit\n", 2, record.Timeout, "did not end within the limit of a run"},
	} {
		if got := FailureOf(c.output, c.exit, c.outcome, func(place string) bool { return place == "log.go:1" }); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if !SameFailure("a_test.go:3: 17 of 80", "a_test.go:3: 4 of 80") || SameFailure("panic: a", "panic: b") {
		t.Error("SameFailure")
	}
	if got := FailedTest("--- PASS: TestA (0s)\n    --- FAIL: TestB/x (0s)\n--- FAIL: TestB (0s)\n"); got != "TestB" {
		t.Errorf("FailedTest: %q", got)
	}
}
