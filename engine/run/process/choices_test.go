package process_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/trace"
)

// A schedule that lists the cases of selects decides them, sends and receives
// alike, under every seed.
func TestChoices(t *testing.T) {
	p := program(t, buildPlans(t, "ops"), "TestReadySelects")
	tr := full(t, p, run.Spec{})
	var at []trace.Choice
	for _, c := range choices(tr) {
		if g := tr.Goroutines; c.G == g[2].Key { // the test's
			at = append(at, c)
		}
	}
	if len(at) != 3 {
		t.Fatalf("%d selects, want 3", len(at))
	}
	// As the compiler numbers them: sends first.
	caseOf := map[rune]int{'b': 0}
	caseOf['a'], caseOf['c'] = receiveCases(t, p, at)
	for i, want := range []string{"abc", "cab", "bca", "aaa", "bbb", "ccc"} {
		for k, r := range want {
			at[k].Case = caseOf[r]
		}
		sched := trace.Schedule{Choices: at, SelectSeed: uint64(i)}
		r, err := p.Run(context.Background(), run.Spec{Schedule: sched})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Outcome.Output, "got "+want) {
			t.Errorf("want %s, got %s", want, r.Outcome.Output)
		}
		if fmt.Sprint(r.Schedule.Choices) != fmt.Sprint(at) {
			t.Errorf("the result's schedule has choices %v, want %v", r.Schedule.Choices, at)
		}
	}
}

// receiveCases are the numbers of the cases that receive from a and c.
func receiveCases(t *testing.T, p *process.Runner, at []trace.Choice) (a, c int) {
	t.Helper()
	at[0].Case = 1
	r, err := p.Run(context.Background(), run.Spec{Schedule: trace.Schedule{Choices: at[:1]}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(r.Outcome.Output, "got a") {
		return 1, 2
	}
	return 2, 1
}

// A goroutine that sleeps goes on before others that could run, if the schedule
// waits for it, and what was run can be repeated.
func TestAwait(t *testing.T) {
	p := program(t, buildPlans(t, "ops"), "TestSleeper")
	var sleeper, other uint64
	tr := full(t, p, run.Spec{})
	for _, g := range tr.Goroutines {
		switch g.Path {
		case "0.1.1":
			sleeper = g.Key
		case "0.1.2":
			other = g.Key
		}
	}
	run := func(segs ...trace.Segment) *run.Result {
		t.Helper()
		r, err := p.Run(context.Background(), run.Spec{Schedule: trace.Schedule{Segments: segs, Delay: int64(time.Hour)}})
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Run(context.Background(), run.Spec{Schedule: r.Schedule})
		if err != nil {
			t.Fatal(err)
		}
		if again.Hash != r.Hash || again.Diverged {
			t.Errorf("%v: the repetition differs (diverged: %v)", segs, again.Diverged)
		}
		return r
	}
	main := tr.Goroutines[2].Key
	const all = 1<<32 - 1
	toWait := trace.Segment{G: main, Until: all}
	tests := []struct {
		name string
		segs []trace.Segment
		want string
	}{
		{"default", nil, "abs"},
		{"not awaited", []trace.Segment{toWait, {G: other, Until: 2}, {G: sleeper, Until: all}}, "abs"},
		{"asleep, then awaited", []trace.Segment{toWait, {G: sleeper, Until: 1}, {G: other, Until: 2}, {G: sleeper, Until: all, Await: true}}, "asb"},
		{"awaited while asleep", []trace.Segment{toWait, {G: other, Until: 2}, {G: sleeper, Until: all, Await: true}}, "asb"},
		{"awaited first", []trace.Segment{toWait, {G: sleeper, Until: all, Await: true}}, "sab"},
		{"sleeps only", []trace.Segment{toWait, {G: sleeper, Until: 1, Await: true}, {G: other, Until: 2}}, "abs"},
		{"nobody of this name", []trace.Segment{toWait, {G: sleeper, Until: 1}, {G: 12345, Until: 1, Await: true}, {G: sleeper, Until: all}}, "sab"},
	}
	for _, tc := range tests {
		if r := run(tc.segs...); !strings.Contains(r.Outcome.Output, "order "+tc.want) {
			t.Errorf("%s: want %s, got %.300s", tc.name, tc.want, r.Outcome.Output)
		}
	}
}
