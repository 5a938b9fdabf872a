package main

import (
	"testing"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine/report"
)

func TestExpectedGoroutines(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		goroutine string
		on        string
		want      bool
	}{
		{`\(\*Store_x\)\.processRaft\.func1\(.* \[sync\.RWMutex\.Lock\]`, "Store_x.processRaft.func1#2", "lock Store_x.mu", true},
		{`\(\*Store_x\)\.processRaft\.func1\(.* \[sync\.RWMutex\.Lock\]`, "Store_x.processRaft.func1", "rlock Store_x.mu", false},
		{`\(*Replica_x\)\.tick\(.* \[sync\.Mutex\.Lock\]`, "Replica_x.tick#17", "lock mu", true},
		{`X\.func2\.1.* \[sync\.Mutex\.Lock\]`, "X.func2.1", "lock mu", true},
		{`X\.func2\.1.* \[sync\.Mutex\.Lock\]`, "X.func2", "lock mu", false},
		{`X\.func2\(.* \[chan receive\]`, "X.func2", "receive chan int", true},
		{`X\.func2\(.* \[chan receive\]`, "X.func2", "chan receive", true},
		{`X\.func2\(.* \[chan receive\]`, "X.func2", "chan send", false},
		{`X\.func2\(.* \[sync\.(RW)?Mutex\.Lock\]`, "X.func2", "sync.RWMutex.Lock", true},
		{`X\.func2\(.* \[sync\.WaitGroup\.Wait\]`, "X.func2", "wait wg", true},
		{`X\(.* \[sync\.(RW)?Mutex\.Lock\]`, "X", "lock mu", true},
	} {
		l, err := programs.ParseLeak(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		b := report.Blocked{On: c.on}
		b.Goroutine = c.goroutine
		if got := fits(l, b); got != c.want {
			t.Errorf("%s against %s, %s: %v", c.pattern, c.goroutine, c.on, got)
		}
	}
}
