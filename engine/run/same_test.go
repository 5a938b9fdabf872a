package run

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// TestMovedLinesAreNoFix: lines that an edit above has moved are the same failure.
func TestMovedLinesAreNoFix(t *testing.T) {
	at := func(fn string, line int) trace.Frame { return trace.Frame{Func: fn, File: "/m/a.go", Line: line} }
	fails := func(message, fn string, line int) *Result {
		return &Result{Outcome: trace.Outcome{Kind: trace.TestFailed, Message: message}, Place: at(fn, line)}
	}
	stuck := func(frames ...trace.Frame) *Result {
		r := &Result{Outcome: trace.Outcome{Kind: trace.Deadlocked}, BlockedAt: frames}
		for range frames {
			r.Outcome.Blocked = append(r.Outcome.Blocked, trace.Blocked{Reason: "mutex"})
		}
		return r
	}
	races := func(write bool, first, second int) *Result {
		return &Result{Outcome: trace.Outcome{Kind: trace.Passed},
			Races: []RacePair{{First: at("f", first), Second: at("g", second), FirstWrite: true, SecondWrite: write}}}
	}
	signature := func(r *Result) string {
		if len(r.Races) > 0 {
			return RaceSignature(r.Races[0]).String()
		}
		return SignatureOf(r).String()
	}
	for _, c := range []struct {
		name       string
		found, now *Result
		same       bool
	}{
		{"failure, moved", fails("want 1", "f", 9), fails("want 1", "f", 10), true},
		{"failure, another message", fails("want 1", "f", 9), fails("no answer", "f", 9), false},
		{"failure, another function", fails("want 1", "f", 9), fails("want 1", "g", 9), false},
		{"deadlock, moved", stuck(at("f", 9), at("f", 11), at("g", 30)), stuck(at("f", 10), at("f", 12), at("g", 31)), true},
		{"deadlock, elsewhere", stuck(at("f", 9), at("g", 30)), stuck(at("f", 9), at("h", 30)), false},
		{"race, moved", races(true, 9, 30), races(true, 10, 31), true},
		{"race, the read of the same statement", races(true, 9, 30), races(false, 9, 30), true},
	} {
		if got := FailsAs(c.now, signature(c.found)); got != c.same {
			t.Errorf("%s: the same: %v, want %v (%q)", c.name, got, c.same, signature(c.found))
		}
	}
}

// TestEarlierRaceSignature: findings on disk name what each side of a race did.
func TestEarlierRaceSignature(t *testing.T) {
	const earlier = "data-race:  at read m.g (a.go:30); write m.f (a.go:9)"
	now := RaceSignature(RacePair{First: trace.Frame{Func: "m.f", File: "/m/a.go", Line: 9}, Second: trace.Frame{Func: "m.g", File: "/m/a.go", Line: 31}})
	if !SameButLines(earlier, now.String()) {
		t.Errorf("%q is another race than %q", earlier, now)
	}
}
