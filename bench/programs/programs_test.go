package programs

import (
	"testing"
)

// The suite and the table of the toolchain at hand are read in full.
func TestTheDistributionsTable(t *testing.T) {
	all, err := Kernels(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	without := 0
	for _, k := range all {
		if len(k.Leaks) == 0 {
			without++
		}
	}
	if len(all) < 60 || without > 5 {
		t.Errorf("%d kernels, %d without an expectation", len(all), without)
	}
}

func TestPatterns(t *testing.T) {
	for pattern, c := range map[string]struct{ entry, reason string }{
		`\(\*Store_x\)\.run\.func1\(.* \[sync\.RWMutex\.Lock\]`: {"Store_x.run.func1", "sync.RWMutex.Lock"},
		`\(*Replica_x\)\.tick\(.* \[sync\.Mutex\.Lock\]`:        {"Replica_x.tick", "sync.Mutex.Lock"},
		`X\.func2\.1.* \[chan receive \(nil chan\)\]`:           {"X.func2.1", "chan receive (nil chan)"},
		`X\(.* \[sync\.(RW)?Mutex\.Lock\]`:                      {"X", "sync.(RW)?Mutex.Lock"},
	} {
		l, err := ParseLeak(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if !l.Entry.MatchString(c.entry) || l.Entry.MatchString(c.entry+".1") || l.Reason != c.reason {
			t.Errorf("%s: %v, %s", pattern, l.Entry, l.Reason)
		}
	}
}
