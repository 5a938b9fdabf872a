package process

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

func TestPanicMessage(t *testing.T) {
	for _, tt := range []struct{ name, out, want string }{
		{"none", "hello\n", ""},
		{"plain", "panic: boom\n\ngoroutine 1 [running]:\n", "panic: boom"},
		{"after output", "x\npanic: boom\n\ngoroutine 1 [running]:\n", "panic: boom"},
		{"repanicked by testing", "panic: boom [recovered, repanicked]\n\ngoroutine 7 [running]:\n", "panic: boom"},
		{"replaced", "panic: once [recovered]\n\tpanic: twice\n\ngoroutine 7 [running]:\n", "panic: twice"},
		{"in a deferred function", "panic: first\n\tpanic: second\n\ngoroutine 7 [running]:\n", "panic: second"},
		{"several lines", "panic: one\n\ttwo\n\ngoroutine 7 [running]:\n", "panic: one"},
		{"with a signal", "panic: runtime error: bad\n[signal SIGSEGV: x]\n\ngoroutine 7 [running]:\n", "panic: runtime error: bad"},
		{"printed before", "panic: printed by the program\n\ngoroutine 1\npanic: real\n\ngoroutine 7 [running]:\n\tpanic: no\n", "panic: real"},
	} {
		if got := panicMessage(tt.out); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTestMessage(t *testing.T) {
	frames := []trace.Frame{{Func: "testing.(*common).Fail", File: "/go/src/testing/testing.go", Line: 9}, {File: "/m/a_test.go", Line: 12}}
	for _, tt := range []struct {
		name, out string
		at        []trace.Frame
		want      string
	}{
		{"none", "PASS\n", nil, ""},
		{"without log", "--- FAIL: TestX (0.00s)\n", nil, "TestX failed"},
		{"last before the verdict", "    a_test.go:3: note\n    a_test.go:4: wrong\n--- FAIL: TestX (0.00s)\n", nil, "wrong"},
		{"first after it", "--- FAIL: TestX (0.00s)\n    a_test.go:4: wrong\n    a_test.go:5: more\n", nil, "wrong"},
		{"by frame", "    a_test.go:12: wrong\n    a_test.go:13: note\n--- FAIL: TestX (0.00s)\n", frames, "wrong"},
		{"of a parallel test", "=== NAME  TestX/a\n    a_test.go:11: x\n=== NAME  TestX/b\n    a_test.go:12: wrong\n--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/b (0.00s)\n", frames, "wrong"},
		{"several lines", "    a_test.go:12: \n        Error Trace:\t/m/a_test.go:12\n        Error:      \tNot equal: \n                    \texpected: 1\n--- FAIL: TestX\n", frames, "Not equal:"},
		{"empty first line", "    a_test.go:12: \n        then this\n--- FAIL: TestX\n", frames, "then this"},
		{"nothing said", "    a_test.go:12: \n--- FAIL: TestX\n", frames, "failed at a_test.go:12"},
		{"unlike a log", "see a_test.go:12: x\n    a_test.go:7: y\n--- FAIL: TestX\n", frames, "y"},
	} {
		if got := testMessage(tt.out, tt.at); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
