package run_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/trace"
)

func TestDeterministic(t *testing.T) {
	var runs atomic.Int64
	loose := func(t *sim.Thread) {
		t.External()
		n := t.Int()
		for range runs.Add(1) {
			t.Add(n, 1)
		}
	}
	for name, tc := range map[string]struct {
		program func(*sim.Thread)
		ok      bool
		reason  string
	}{
		"controlled": {sim.LostUpdate(3, 3), true, ""},
		"external":   {loose, false, "1 system calls"},
	} {
		v, err := run.Deterministic(t.Context(), sim.New(tc.program), run.Spec{Strategy: run.POS, Seed: 7}, 6)
		if err != nil || v.OK != tc.ok || !strings.Contains(v.Reason, tc.reason) || v.First == nil {
			t.Errorf("%s: %+v %v", name, v, err)
		}
		if tc.ok && v.Runs != 6 {
			t.Errorf("%s: %d runs", name, v.Runs)
		}
	}
}

// failing is the first failing run of a random walk.
func failing(t *testing.T, r run.Runner) *run.Result {
	t.Helper()
	for seed := range uint64(1000) {
		got, err := r.Run(t.Context(), run.Spec{Strategy: run.Random, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		if got.Failed() {
			return got
		}
	}
	t.Fatal("no failing schedule")
	return nil
}

func TestTimes(t *testing.T) {
	runner := sim.New(sim.LostUpdate(2, 2))
	r := failing(t, runner)
	same := func(x *run.Result) bool { return run.SignatureOf(x) == run.SignatureOf(r) }
	n, err := run.Times(t.Context(), runner, run.ReplayOf(run.Spec{}, r), same, 25)
	if err != nil || n.Runs != 25 || !n.All() {
		t.Errorf("%+v %v", n, err)
	}
	n, err = run.Times(t.Context(), runner, run.Spec{}, same, 5)
	if err != nil || n.Failed != 0 || n.SameHash != 5 || n.All() {
		t.Errorf("%+v %v", n, err)
	}
}

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"panic: got 3,  want 15":                 "panic: got #, want #",
		"bad pointer 0xc000012345 in span\nmore": "bad pointer # in span",
		"got [3 1 0], want [1]":                  "got [#], want [#]",
		"TestX/001: sent 1.5s late":              "TestX/#: sent #.#s late",
		"fatal error: concurrent map writes":     "fatal error: concurrent map writes",
	} {
		if got := run.Normalize(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSignatures(t *testing.T) {
	f := func(line int) trace.Frame { return trace.Frame{Func: "m.f", File: "/x/f.go", Line: line} }
	blocked := func(at ...trace.Frame) *run.Result {
		return &run.Result{
			Outcome:   trace.Outcome{Kind: trace.Leaked, Blocked: make([]trace.Blocked, len(at))},
			BlockedAt: at,
		}
	}
	if run.SignatureOf(blocked(f(1), f(2), f(2))) != run.SignatureOf(blocked(f(2), f(1))) {
		t.Error("how many wait at a place counts")
	}
	if run.SignatureOf(blocked(f(1))) == run.SignatureOf(blocked(f(2))) {
		t.Error("places do not count")
	}
	p := run.RacePair{First: f(1), Second: f(2), SecondWrite: true}
	q := run.RacePair{First: f(2), Second: f(1), FirstWrite: true}
	if run.RaceSignature(p) != run.RaceSignature(q) {
		t.Error("the order of a race's accesses counts")
	}
	q.SecondWrite = true
	if run.RaceSignature(p) != run.RaceSignature(q) {
		t.Error("the read and the write of one statement are two races")
	}
	hang := &run.Result{Outcome: trace.Outcome{Kind: trace.Deadlocked}, Hang: true}
	if hang.Failed() || !blocked(f(1)).Failed() || !blocked(f(1)).Finished() {
		t.Error("what counts as a failure")
	}
}
