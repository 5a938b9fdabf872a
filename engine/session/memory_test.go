package session

import (
	"slices"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// peterson is right if each store is seen at once.
const peterson = `
-- go.mod --
module example.com/peterson

go 1.26
-- peterson_test.go --
package peterson

import (
	"sync"
	"testing"
)

func TestPeterson(t *testing.T) {
	var want [2]bool
	var turn int32
	var mu sync.Mutex
	var inside, most int
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			want[i] = true
			turn = int32(1 - i)
			for range 20 {
				if !want[1-i] || turn == int32(i) {
					mu.Lock()
					inside++
					most = max(most, inside)
					mu.Unlock()
					mu.Lock()
					inside--
					mu.Unlock()
					break
				}
			}
			want[i] = false
		})
	}
	wg.Wait()
	if most > 1 {
		t.Error("two were inside at once")
	}
}
`

// Peterson's algorithm with plain variables races, and fails under TSO only; what was
// found there is not reported by a search under sequential consistency.
func TestFindUnderAMemoryModel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and searches a program")
	}
	dir := testmodule.New(t, peterson)
	find := func(memory string) *report.Finding {
		t.Helper()
		rep, err := Find(t.Context(), Options{Dir: dir, Memory: memory, Seed: 1, Budget: 90 * time.Second, FreeBuild: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(rep.Findings, func(f *report.Finding) bool { return f.Kind == "data-race" && f.Memory == "" }) {
			t.Errorf("%s: no race was found: %+v", memory, rep.Targets[0])
		}
		i := slices.IndexFunc(rep.Findings, func(f *report.Finding) bool { return f.Kind == "test-failure" })
		if i < 0 {
			return nil
		}
		return rep.Findings[i]
	}
	if f := find("sc"); f != nil {
		t.Errorf("under sequential consistency: %+v", f)
	}
	f := find("tso")
	if f == nil || f.Memory != "tso" || f.Replay.Failed == 0 || f.Replay.Failed < f.Replay.Runs {
		t.Fatalf("under TSO: %+v", f)
	}
	if f := find("sc"); f != nil {
		t.Errorf("a finding of TSO under sequential consistency: %+v", f)
	}
}
