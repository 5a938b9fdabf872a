package process_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// What the trace says of an operation is enough to know what it read and wrote,
// and what else a select could have done.
func TestRecordedValues(t *testing.T) {
	tr := full(t, program(t, buildPlans(t, "ops"), "TestRecorded"), run.Spec{})
	var got []string
	for _, e := range tr.Events {
		f, ok := tr.UserFrame(e.Stack)
		if !ok || f.Func != "plans.TestRecorded" || isPlain(e.Op) {
			continue
		}
		aux := e.Aux
		if e.Op == trace.OpSelect {
			aux = uint64(uint32(aux))
		}
		got = append(got, fmt.Sprintf("%v %d %d", e.Op, int64(e.Value), aux))
	}
	const room = 1 << 32
	want := []string{
		"atomic-add 5 0", "atomic-add 4 5", "atomic-add 9 4",
		"atomic-old 9 0", "atomic-cas 1 4294967295", // the new value, -1
		"atomic-old 7 0", "atomic-cas 0 4294967295", // the value found
		"chan-len 0 0",
		fmt.Sprintf("send 1 %d", room|1|trace.AuxTry),
		"chan-len 1 0",
		// Sends first, receives from the end, as the compiler numbers them.
		fmt.Sprintf("select-case 0 %d", room|1), fmt.Sprintf("select-case 1 %d", room), "select-case 2 0", "select 1 3",
		fmt.Sprintf("recv 0 %d", room|trace.AuxTry),
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What an atomic.Value holds is told apart from what it held, and every method is
// one event, the first Store and one that panics included.
func TestRecordedContents(t *testing.T) {
	tr := full(t, program(t, buildPlans(t, "ops"), "TestContents"), run.Spec{})
	letters := map[uint64]string{0: "nil"}
	letter := func(v uint64) string {
		if letters[v] == "" {
			letters[v] = string(rune('a' + len(letters) - 1))
		}
		return letters[v]
	}
	var got []string
	for _, e := range tr.Events {
		if f, ok := tr.UserFrame(e.Stack); !ok || f.Func != "plans.TestContents" && f.Func != "plans.TestContents.func1" {
			continue
		}
		switch e.Op {
		case trace.OpAtomicLoad, trace.OpAtomicStore, trace.OpAtomicOld:
			got = append(got, fmt.Sprintf("%v %s", e.Op, letter(e.Value)))
		case trace.OpAtomicRMW:
			got = append(got, fmt.Sprintf("swap %s for %s", letter(e.Value), letter(e.Aux)))
		case trace.OpAtomicCAS:
			got = append(got, fmt.Sprintf("%v %d %s", e.Op, e.Value, letter(e.Aux)))
		}
		if typ := tr.Object(e.Obj).Type; trace.OpAtomicLoad <= e.Op && e.Op <= trace.OpAtomicCAS && typ != "atomic.Value" {
			t.Errorf("%v is of a %q", e.Op, typ)
		}
	}
	want := []string{
		"atomic-load nil", "atomic-cas 1 a", "atomic-load a", "atomic-store b", "swap c for b",
		"atomic-cas 1 d", "atomic-cas 0 d", "atomic-load d",
		"atomic-load nil", "atomic-store e", "atomic-load e", "atomic-load e",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Goroutines that timers start are named after the timer, however often it and
// others fire, and in which order.
func TestTimerPaths(t *testing.T) {
	p := program(t, buildPlans(t, "ops"), "TestTimerNames")
	want := []string{"0", "0.1", "0.1.1", "0.1.1.t1.1", "0.1.t1.1", "0.1.t1.2", "0.1.t2.1", "0.1.t3.1", "0.1.t3.1.1"}
	for seed := range uint64(4) {
		tr := full(t, p, run.Spec{Strategy: run.Random, Seed: seed, Schedule: trace.Schedule{ClockStep: int64(seed) * 400_000}})
		var got []string
		for _, g := range tr.Goroutines[1:] {
			got = append(got, g.Path)
			if key, ok := trace.KeyOfPath(g.Path); !ok || g.Key != key {
				t.Errorf("seed %d: the key of %s is %d", seed, g.Path, g.Key)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("seed %d:\ngot  %q\nwant %q", seed, got, want)
		}
	}
}

// A run too large to be recorded whole is recorded where memory is shared.
func TestFullOfLargeRuns(t *testing.T) {
	p := program(t, buildPlans(t, "ops"), "TestLarge")
	var before *run.Result
	for range 2 {
		r, err := p.Run(t.Context(), run.Spec{Record: run.Full, Strategy: run.Random, Seed: 3, Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if r.Processes < 2 || r.Trace.Truncated {
			t.Errorf("%d processes, truncated: %v", r.Processes, r.Trace.Truncated)
		}
		if err := trace.Check(r.Trace); err != nil {
			t.Errorf("the trace is wrong: %v", err)
		}
		n := 0
		for _, e := range r.Trace.Events {
			if f, ok := r.Trace.UserFrame(e.Stack); ok && isPlain(e.Op) && strings.HasPrefix(f.Func, "plans.TestLarge") {
				n++
			}
		}
		if n < 6 || n > 20 { // sum is read and written three times
			t.Errorf("%d accesses are recorded", n)
		}
		if before != nil && before.Hash != r.Hash {
			t.Error("two runs differ")
		}
		before = r
	}
}

// Where passing runs share memory that a failing run's goroutine has for itself, its own
// accesses are recorded if they are asked for.
func TestKeptPlaces(t *testing.T) {
	p := program(t, buildPlans(t, "ops"), "TestShareLate")
	places := func(tr *trace.Trace) (n int) {
		for _, e := range tr.Events {
			if st := tr.Stack(e.Stack); isPlain(e.Op) && len(st) > 0 && strings.HasPrefix(st[0].Func, "plans.TestShareLate") {
				n++
			}
		}
		return n
	}
	var shared, alone *run.Result
	for seed := uint64(0); seed < 80 && (shared == nil || alone == nil); seed++ {
		strategy := run.Random
		if seed%2 == 1 {
			strategy = run.PCT // in which one may run for long
		}
		r, err := p.Run(t.Context(), run.Spec{Record: run.Full, Strategy: strategy, Seed: seed, Depth: 2, Length: 200})
		if err != nil {
			t.Fatal(err)
		}
		if places(r.Trace) > 0 {
			shared = r
		} else {
			alone = r
		}
	}
	if shared == nil || alone == nil {
		t.Fatal("one of the two orders was not seen")
	}
	again, err := p.Run(t.Context(), run.Spec{Record: run.Full, Strategy: run.Replay, Schedule: alone.Schedule, Keep: shared.Trace.PlainPlaces()})
	if err != nil {
		t.Fatal(err)
	}
	if again.Hash != alone.Hash || places(again.Trace) != 2 { // it is made and read
		t.Errorf("the same run: %v, %d accesses recorded", again.Hash == alone.Hash, places(again.Trace))
	}
}
