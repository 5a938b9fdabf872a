package reach

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/trace"
)

func then(fn string, line int) dump.Frame {
	return dump.Frame{Func: "m." + fn, File: "/ci/build/m/a.go", Line: line}
}
func now(fn string, line int) trace.Frame {
	return trace.Frame{Func: "m." + fn, File: "/src/m/a.go", Line: line}
}

func waiting(reason string, frames ...dump.Frame) dump.Goroutine {
	return dump.Goroutine{Count: 1, Reason: reason, Frames: frames, Created: then("main", 3)}
}

func stand(reason string, frames ...trace.Frame) run.Stand {
	return run.Stand{Reason: reason, Frames: frames, Spawn: now("main", 3)}
}

func ended(kind trace.OutcomeKind, message string, stands ...run.Stand) *run.Result {
	return &run.Result{Outcome: trace.Outcome{Kind: kind, Message: message}, Stands: stands}
}

// TestLevels: what is the same state, the same failure, and neither.
func TestLevels(t *testing.T) {
	lock, recv := "sync.Mutex.Lock", "chan receive"
	deadlock := &dump.State{Kind: dump.Deadlock, Goroutines: []dump.Goroutine{
		waiting(lock, then("take", 7), then("main.func1", 20)), waiting(recv, then("main", 30)), {Count: 1, Reason: "force gc (idle)"}}}
	failing := dump.Goroutine{Count: 1, Reason: "running", Failing: true, Frames: []dump.Frame{{Func: "panic", File: "/go/src/runtime/panic.go", Line: 1}, then("put", 9)}}
	panics := &dump.State{Kind: dump.Panic, Message: "row 7 is gone", Goroutines: []dump.Goroutine{failing, waiting(lock, then("take", 7)), waiting("sleep", then("tick", 50))}}
	many := &dump.State{Kind: dump.TimeOut, Goroutines: []dump.Goroutine{{Count: 5000, Reason: "semacquire", Frames: []dump.Frame{then("take", 7)}}}}
	moved := &dump.State{Kind: dump.Deadlock, Goroutines: []dump.Goroutine{waiting(lock, then("take", 0))}}
	took, received := stand(lock, now("take", 7), now("main.func1", 20)), stand(recv, now("main", 30))
	put := stand(run.Failing, now("put", 9))
	for _, c := range []struct {
		name  string
		state *dump.State
		run   *run.Result
		want  search.Level
	}{
		{"deadlock", deadlock, ended(trace.Deadlocked, "", received, took), search.SameState},
		{"another line", deadlock, ended(trace.Deadlocked, "", received, stand(lock, now("take", 8), now("main.func1", 20))), search.Elsewhere},
		{"another caller", deadlock, ended(trace.Deadlocked, "", received, stand(lock, now("take", 7), now("main.func1", 21))), search.Elsewhere},
		{"another reason", deadlock, ended(trace.Deadlocked, "", received, stand("sync.RWMutex.RLock", now("take", 7), now("main.func1", 20))), search.Elsewhere},
		{"one more waits", deadlock, ended(trace.Deadlocked, "", received, took, stand(recv, now("f", 1))), search.Elsewhere},
		{"one more could go on", deadlock, ended(trace.Deadlocked, "", received, took, stand(run.Runnable, now("f", 1))), search.SameState},
		{"one is missing", deadlock, ended(trace.Deadlocked, "", took), search.Elsewhere},
		{"they leak", deadlock, ended(trace.Leaked, "", received, took), search.Elsewhere},
		{"it passes", deadlock, ended(trace.Passed, "", received, took), search.Elsewhere},

		{"panic", panics, ended(trace.Panicked, "panic: row 12 is gone", put, stand(lock, now("take", 7))), search.SameState},
		{"panic, others elsewhere", panics, ended(trace.Panicked, "panic: row 12 is gone", put), search.SameFailure},
		{"panic, one could go on", panics, ended(trace.Panicked, "panic: row 12 is gone", put, stand(run.Runnable, now("take", 7))), search.SameFailure},
		{"another panic there", panics, ended(trace.Panicked, "panic: no rows", put, stand(lock, now("take", 7))), search.Elsewhere},
		{"that panic elsewhere", panics, ended(trace.Panicked, "panic: row 7 is gone", stand(run.Failing, now("put", 10)), stand(lock, now("take", 7))), search.Elsewhere},

		{"very many", many, ended(trace.Deadlocked, "", stand(lock, now("take", 7)), stand(lock, now("take", 7))), search.SameState},
		{"none of very many", many, ended(trace.Deadlocked, "", received), search.Elsewhere},
		{"line not known", moved, ended(trace.Deadlocked, "", stand(lock, now("take", 99))), search.SameState},
		{"line not known, another function", moved, ended(trace.Deadlocked, "", stand(lock, now("put", 99))), search.Elsewhere},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := New(c.state).Match(c.run); got.Level != c.want {
				t.Errorf("level %d, want %d (score %.2f)", got.Level, c.want, got.Score)
			}
		})
	}
}

// TestScore: the nearer, the larger.
func TestScore(t *testing.T) {
	g := New(&dump.State{Kind: dump.Deadlock, Goroutines: []dump.Goroutine{waiting("chan send", then("put", 7), then("run", 20)), waiting("select", then("loop", 9))}})
	loop := stand("select", now("loop", 9))
	runs := []*run.Result{
		ended(trace.Deadlocked, "", stand("chan receive", now("other", 1))),
		ended(trace.Deadlocked, "", loop),
		ended(trace.Deadlocked, "", loop, stand("select", now("x", 1), now("run", 20))),
		ended(trace.Deadlocked, "", loop, stand("chan send", now("put", 6), now("run", 20))),
		ended(trace.Deadlocked, "", loop, stand("chan send", now("put", 7), now("run", 19))),
		ended(trace.Deadlocked, "", loop, stand("chan send", now("put", 7), now("run", 20))),
	}
	last := 0.0
	for i, r := range runs {
		got := g.Match(r).Score
		if got <= last || got > 1 {
			t.Errorf("run %d: score %.3f after %.3f", i, got, last)
		}
		last = got
	}
	if last != 1 {
		t.Errorf("the state itself has %.3f", last)
	}
}

// TestRace: the two accesses, in any order.
func TestRace(t *testing.T) {
	g := New(&dump.State{Kind: dump.DataRace, Race: &dump.Race{Accesses: [2]dump.Access{
		{Frames: []dump.Frame{{Func: "runtime.mapassign", File: "/go/src/runtime/map.go", Line: 1}, then("put", 7), then("main.func1", 20)}},
		{Frames: []dump.Frame{then("get", 9)}},
	}}})
	pair := func(a, b trace.Frame) run.RacePair { return run.RacePair{First: a, Second: b} }
	for _, c := range []struct {
		pair run.RacePair
		want bool
	}{
		{pair(now("put", 7), now("get", 9)), true},
		{pair(now("get", 9), now("put", 7)), true},
		{pair(now("get", 9), now("get", 9)), false},
		{pair(now("put", 7), now("put", 7)), false},
		{pair(now("put", 8), now("get", 9)), false},
	} {
		if got := g.MatchRace(c.pair); got != c.want {
			t.Errorf("%v: %v", c.pair, got)
		}
	}
	if holds := g.Holds(); len(holds) != 2 || len(g.Hot()) != 2 {
		t.Errorf("holds %v, hot %v", holds, g.Hot())
	}
}
