package session

import (
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// exclusion is three programs that are right if each store is seen at once.
const exclusion = `
-- go.mod --
module example.com/mutex

go 1.26
-- mutex_test.go --
// Package mutex has mutual exclusion by plain variables: right if each store is seen at
// once, and wrong on processors with store buffers.
package mutex

import (
	"sync"
	"testing"
)

// both runs two goroutines and fails if they were inside at once.
func both(t *testing.T, enter func(i int) bool, leave func(i int)) {
	var inside [2]bool
	var counts [2]int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if !enter(i) {
				return
			}
			mu.Lock()
			inside[i] = true
			if inside[1-i] {
				counts[i]++
			}
			mu.Unlock()
			mu.Lock()
			inside[i] = false
			mu.Unlock()
			leave(i)
		})
	}
	wg.Wait()
	if counts[0]+counts[1] > 0 {
		t.Error("two were inside at once")
	}
}

func TestDekker(t *testing.T) {
	var want [2]bool
	turn := 0
	both(t, func(i int) bool {
		want[i] = true
		for range 20 {
			if !want[1-i] {
				return true
			}
			if turn != i {
				want[i] = false
				for range 20 {
					if turn == i {
						break
					}
				}
				if turn != i {
					return false
				}
				want[i] = true
			}
		}
		want[i] = false
		return false
	}, func(i int) { turn = 1 - i; want[i] = false })
}

func TestPeterson(t *testing.T) {
	var want [2]bool
	var turn int32
	both(t, func(i int) bool {
		want[i] = true
		turn = int32(1 - i)
		for range 20 {
			if !want[1-i] || turn == int32(i) {
				return true
			}
		}
		want[i] = false
		return false
	}, func(i int) { want[i] = false })
}

func TestBakery(t *testing.T) {
	var choosing [2]bool
	var number [2]int
	both(t, func(i int) bool {
		choosing[i] = true
		number[i] = 1 + max(number[0], number[1])
		choosing[i] = false
		for range 20 {
			if choosing[1-i] {
				continue
			}
			n := number[1-i]
			if n == 0 || n > number[i] || n == number[i] && 1-i > i {
				return true
			}
		}
		number[i] = 0
		return false
	}, func(i int) { number[i] = 0 })
}
`

// Mutual exclusion by plain variables races, and fails under TSO only; what was found
// there is not reported by a search under sequential consistency.
func TestFindUnderAMemoryModel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and searches a program")
	}
	dir := testmodule.New(t, exclusion)
	find := func(memory string) map[string]*report.Finding {
		t.Helper()
		rep, err := Find(t.Context(), Options{Dir: dir, Memory: memory, Seed: 1, Budget: 80 * time.Second, FreeBuild: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		fails, races := map[string]*report.Finding{}, map[string]bool{}
		for _, f := range rep.Findings {
			switch {
			case f.Kind == "test-failure":
				fails[f.Entry] = f
			case f.Kind == "data-race" && f.Memory == "":
				races[f.Entry] = true
			}
		}
		if len(races) != len(entries) {
			t.Errorf("%s: races of %v only", memory, races)
		}
		return fails
	}
	if f := find("sc"); len(f) > 0 {
		t.Errorf("under sequential consistency: %+v", f)
	}
	tso := find("tso")
	for _, entry := range entries {
		f := tso[entry]
		if f == nil || f.Memory != "tso" || f.Replay.Failed < f.Replay.Runs {
			t.Errorf("%s under TSO: %+v", entry, f)
			continue
		}
		t.Logf("%s: attempt %d", entry, f.Search.Attempts)
	}
	if f := find("sc"); len(f) > 0 {
		t.Errorf("findings of TSO under sequential consistency: %+v", f)
	}
}

var entries = []string{"TestDekker", "TestPeterson", "TestBakery"}
