package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
)

// A second find replays what the first one found: at once when the bug is
// still there, and to learn that it is gone.
func TestKnownFindingsComeFirst(t *testing.T) {
	dir := module(t, "TestBug")
	p := &played{rates: [2]int{100, 100}, programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(3, 2)}}
	opt := Options{Dir: dir, Schedules: 300, Seed: 1}
	first := findWith(t, t.Context(), p, opt)
	if len(first.Findings) != 1 {
		t.Fatalf("%d findings, want 1", len(first.Findings))
	}
	id := first.Findings[0].ID

	opt.Seed = 2
	again := findWith(t, t.Context(), p, opt)
	if len(again.Findings) != 1 || again.Findings[0].ID != id {
		t.Fatalf("the second find gave %v, want finding %s", again.Findings, id)
	}
	if n := again.Findings[0].Search.Attempts; n != 1 {
		t.Errorf("the known failure was found in attempt %d, want 1", n)
	}
	if last := stored.OpenModule(dir).Findings().All[0].Last; last != nil {
		t.Errorf("the last replay is %+v although the finding itself says more", last)
	}

	// Fixed: the sources change, and the program with them.
	src := filepath.Join(dir, "m_test.go")
	text, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(src, append(text, "\n// fixed\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	p.programs["TestBug"] = sim.Correct
	last := func() *stored.LastReplay { return stored.OpenModule(dir).Findings().All[0].Last }
	short := opt
	short.Strategy, short.Schedules, short.Budget = "pos", 1_000_000, 500*time.Millisecond
	told := ""
	search := func(opt Options) report.Status {
		t.Helper()
		told = ""
		rep, err := find(t.Context(), opt, func(u progress.Update) { told += u.Message + "\n" },
			func(*target.Env) (ladder.Stages, error) { return p, nil })
		if err != nil {
			t.Fatal(err)
		}
		return statuses(rep)["TestBug"]
	}
	if s := search(short); s != report.CutShort || !strings.Contains(told, "finding "+id+" is outdated: m_test.go changed; ") {
		t.Fatalf("the short search is %s, told %s", s, told)
	}
	if l := last(); l == nil || l.Runs == 0 || l.Failed != 0 || l.SameSources || l.Outcome != stored.Outdated {
		t.Errorf("the last replay is %+v, want 0 failures on other sources, which says nothing yet", l)
	}
	few := opt
	few.Strategy, few.Schedules = "pos", 2
	if s := search(few); s != report.Searched || strings.Contains(told, "is fixed: ") || last().Outcome != stored.Outdated {
		t.Errorf("a search that is smaller than the one that found it is %s, told %s, and the finding counts as %s", s, told, last().Outcome)
	}
	if s := search(opt); s != report.Clean || !strings.Contains(told, "finding "+id+" is fixed: ") {
		t.Errorf("the fixed test is %s, want clean; told %s", s, told)
	}
	if l := last(); l == nil || l.Runs == 0 || l.Failed != 0 || l.SameSources || l.Outcome != stored.Fixed {
		t.Errorf("the last replay is %+v, want 0 failures on other sources, and fixed after a search", l)
	}
	search(short)
	if l := last(); l.Outcome != stored.Fixed || strings.Contains(told, id) {
		t.Errorf("%+v: a shorter search of the same sources takes nothing back; told %s", l, told)
	}
}

// A failure that a replay showed on the very sources is not called fixed because a
// search and a few replays under control miss it.
func TestWhatFailsIsNotFixed(t *testing.T) {
	dir := module(t, "TestBug")
	p := &played{rates: [2]int{100, 100}, programs: map[string]func(*sim.Thread){"TestBug": sim.LostUpdate(3, 2)}}
	opt := Options{Dir: dir, Schedules: 300, Seed: 1}
	if rep := findWith(t, t.Context(), p, opt); len(rep.Findings) != 1 {
		t.Fatalf("%d findings, want 1", len(rep.Findings))
	}
	src := filepath.Join(dir, "m_test.go")
	text, err := os.ReadFile(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(src, append(text, "\n// edited\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	records, _ := st.List()
	r := records[0]
	roots := site.Roots{Module: dir}
	l := r.NewReplay(store.Sum(roots, dir, r.Files()), r.GoVersion, r.Hocket)
	l.Level, l.Runs, l.Failed = "native", 100, 98
	if err := st.PutReplay(r.Finding.ID, l); err != nil {
		t.Fatal(err)
	}
	p.programs["TestBug"] = sim.Correct // what the controlled build shows
	findWith(t, t.Context(), p, opt)
	last := stored.OpenModule(dir).Findings().All[0].Last
	if last == nil || last.Outcome != stored.Fails || last.Level != "native" || last.Failed != 98 {
		t.Errorf("the last replay is %+v, want the 98 failures of the ordinary build", last)
	}
}

// A finding of which no passing run is known, and that the ordinary build shows each time,
// is taken back when every schedule turns out
// to fail so; one with a passing run is not.
func TestWhatFailsAlwaysIsTakenBack(t *testing.T) {
	for _, passing := range []bool{false, true} {
		dir := module(t, "TestBug")
		always := false
		p := &played{rates: [2]int{100, 100}, programs: map[string]func(*sim.Thread){"TestBug": func(t *sim.Thread) {
			ready := t.Int()
			t.Go(func(t *sim.Thread) { t.Store(ready, 1) })
			if t.Load(ready) == 1 || always {
				t.Panic("too early")
			}
		}}}
		opt := Options{Dir: dir, Schedules: 300, Seed: 1}
		if rep := findWith(t, t.Context(), p, opt); len(rep.Findings) != 1 {
			t.Fatalf("%d findings, want 1", len(rep.Findings))
		}
		st, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		records, _ := st.List()
		r := records[0]
		r.Finding.Baseline = &report.Count{Runs: 10, Failed: 10}
		traces := map[string][]byte{}
		if passing {
			if traces[stored.Passing], err = st.Trace(r, stored.Passing); err != nil {
				t.Fatal(err)
			}
		}
		if err := st.Put(r, traces, nil); err != nil {
			t.Fatal(err)
		}
		always = true
		rep := findWith(t, t.Context(), p, opt)
		left, _ := st.List()
		if len(rep.Findings) != 0 || statuses(rep)["TestBug"] != report.FailsAlways || (len(left) == 1) != passing {
			t.Errorf("passing run kept: %v; status %s, %d findings, %d left in the store (signature %s)", passing, statuses(rep)["TestBug"], len(rep.Findings), len(left), r.Signature)
		}
	}
}
