package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/target"
)

// A finding that could not be stored says so, and the warning says what to do.
func TestUnkept(t *testing.T) {
	dir := module(t, "TestBug")
	findings := filepath.Join(dir, ".hocket", "findings")
	var once sync.Once
	broken := func(u progress.Update) {
		if u.Schedules == 0 {
			return
		}
		once.Do(func() { // a file in the way of its folder
			if err := os.RemoveAll(findings); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(findings, nil, 0o644); err != nil {
				t.Error(err)
			}
		})
	}
	p := &played{programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(2, 3)}}
	rep, err := find(t.Context(), Options{Dir: dir, Seed: 1}, broken, func(*target.Env) (ladder.Stages, error) { return p, nil })
	if err != nil || len(rep.Findings) != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
	if !rep.Findings[0].Unkept {
		t.Errorf("a finding that no command knows counts as kept")
	}
	if !slices.ContainsFunc(rep.Warnings, func(w string) bool {
		return strings.Contains(w, "is not kept: ") && strings.Contains(w, "fix that and search again")
	}) {
		t.Errorf("warnings %q", rep.Warnings)
	}
}
