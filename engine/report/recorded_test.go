package report

import "testing"

func TestSameFailure(t *testing.T) {
	for _, c := range []struct {
		kind, message, line string
		want                bool
	}{
		{"test-failure", "lost updates: 30 of 80", "a_test.go:29: lost updates: 60 of 80", true},
		{"panic", "panic: oversold", "panic: oversold", true},
		{"panic", "panic: oversold", "panic: undersold", false},
		{"deadlock", "2 goroutines are blocked for ever", "fatal error: all goroutines are asleep - deadlock!", true},
		{"panic", "panic: x", "fatal error: all goroutines are asleep - deadlock!", false},
		{"leak", "1 goroutine", DoesNotEnd, true},
		{"panic", "", "", false},
	} {
		if got := SameFailure(c.kind, c.message, c.line); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestRecordingWords(t *testing.T) {
	r := Recording{Run: "x", Failure: "panic: y", Runs: 100, Failed: 98, LostRuns: 2, Lost: "at a.go:3"}
	if got, want := r.Words(), "recorded run x, followed on the ordinary scheduler, fails as it did in 98 of 100 runs; 2 left it: at a.go:3"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !r.Certain() || (&Recording{}).Certain() {
		t.Error("Certain")
	}
}
