package session

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

func steps(lines ...int) (out []report.Access) {
	for _, l := range lines {
		out = append(out, report.Access{File: "a.go", Line: l, Goroutine: "g"})
	}
	return out
}

func chain(n int) *report.Cause {
	c := &report.Cause{Runs: 30}
	for i := range n - 1 {
		c.Orders = append(c.Orders, report.Order{Before: i, After: i + 1})
	}
	return c
}

// TestCovers: which findings show the bug of another.
func TestCovers(t *testing.T) {
	failure := func(lines ...int) *report.Finding {
		return &report.Finding{ID: "f", Entry: "TestX", Kind: "panic", RootCause: steps(lines...), Cause: chain(len(lines))}
	}
	race := func(id string, lines ...int) *report.Finding {
		return &report.Finding{ID: id, Entry: "TestX", Kind: "data-race", RootCause: steps(lines...)}
	}
	second := failure(1, 2, 9)
	second.ID = "g"
	unlike := failure(2, 1)
	unlike.ID = "g"
	late := failure(1, 2, 3)
	late.TimeDependent = &report.TimeDependent{}
	elsewhere := race("r", 1, 2)
	elsewhere.Entry = "TestY"
	unexplained := failure(1, 2, 3)
	unexplained.Cause = nil
	steps23 := failure(1, 2, 3)
	steps23.ID = "g"
	byRace := failure(2, 3)
	byRace.Cause, byRace.Class = nil, "data-race"
	uncounted := func(add, wait int) *report.Finding {
		r := race("r", add, wait)
		r.RootCause[0].Op, r.RootCause[1].Op = "add", "wait"
		return r
	}
	torn := failure(3, 5, 7)
	torn.Class = "atomicity-violation"
	torn.Failure = report.Place{File: "a.go", Line: 12}
	behind := race("s", 8, 9)
	behind.Behind = steps(5, 4)
	for name, c := range map[string]struct {
		f, other *report.Finding
		want     bool
	}{
		"race within the torn lines":        {torn, race("r", 4, 6), true},
		"race partly outside them":          {torn, race("r", 4, 8), false},
		"race where the failure is told":    {torn, race("r", 5, 12), true},
		"race on what a race handed over":   {race("r", 4, 5), behind, true},
		"race that handed something else":   {race("r", 4, 6), behind, false},
		"race within the lines of an order": {failure(3, 5, 7), race("r", 4, 6), false},
		"Add and Wait between the steps":    {failure(1, 4, 6, 9), uncounted(2, 7), true},
		"an Add before all steps":           {failure(3, 4, 6, 9), uncounted(2, 7), false},
		"Add and Wait of another cause":     {unexplained, uncounted(2, 2), false},
		"race of two steps":                 {failure(1, 2, 3), race("r", 2, 3), true},
		"race whose sides are at one line":  {failure(1, 2, 3), race("r", 2), true},
		"race with a side that is no step":  {failure(1, 2, 3), race("r", 2, 7), false},
		"race in another target":            {failure(1, 2, 3), elsewhere, false},
		"failure without orders":            {unexplained, race("r", 2, 3), false},
		"failure explained by the race":     {byRace, race("r", 2, 3), true},
		"failure of a race of two steps":    {second, byRace, false},
		"failure of a race of its steps":    {steps23, byRace, true},
		"failure that needs a slow machine": {late, race("r", 2, 3), false},
		"a race never tells of a failure":   {race("r", 1, 2), failure(1, 2), false},
		"an order in common":                {failure(1, 2, 3), second, true},
		"the order the other way round":     {failure(1, 2), unlike, false},
		"the same two lines":                {race("r", 4, 5), race("s", 5, 4), true},
		"another line":                      {race("r", 4, 5), race("s", 4, 6), false},
	} {
		if got := covers(c.f, c.other); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSignsAreKept: what else a bug leads to is in the stored finding, too.
func TestSignsAreKept(t *testing.T) {
	root := t.TempDir()
	st, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(Options{}, nil)
	s.env, s.store, s.stored = &target.Env{Module: root}, st, st.Cache()
	s.plan([]target.Target{{Package: "m", Entry: "TestX", Dir: root}})
	release := func(f report.Finding) {
		f.Package, f.Entry = "m", "TestX"
		s.Release(&hunt.Found{Job: s.jobs[0], Caught: &search.Finding{}, Finding: &f, Fail: &trace.Trace{}})
	}
	release(report.Finding{Kind: "panic", Message: "boom", Confirmed: report.Controlled, RootCause: steps(1, 2, 3), Cause: chain(3)})
	release(report.Finding{Kind: "data-race", Message: "data race on x", Confirmed: report.RaceProved, RootCause: steps(2, 3)})
	all, errs := st.List()
	if len(errs) > 0 || len(all) != 1 {
		t.Fatalf("%d findings, %v", len(all), errs)
	}
	f := all[0].Finding
	if f.AlsoSeen() != "the same bug was also seen as: data race on x" || f.Confirmed != report.RaceProved {
		t.Errorf("%+v", f)
	}
	if _, err := st.Trace(all[0], stored.Failing); err != nil {
		t.Error(err)
	}
}

// TestSameAsTheHost: a finding with the cause of one that was taken back names the
// finding that tells of that, whichever was published first.
func TestSameAsTheHost(t *testing.T) {
	s := newSession(Options{}, nil)
	s.env = &target.Env{Module: t.TempDir()}
	s.plan([]target.Target{{Package: "m", Entry: "TestX", Dir: s.env.Module}})
	release := func(f report.Finding) *report.Finding {
		f.Package = "m"
		s.Release(&hunt.Found{Job: s.jobs[0], Caught: &search.Finding{}, Finding: &f, Fail: &trace.Trace{}})
		return &f
	}
	race := report.Finding{Entry: "TestX", Kind: "data-race", Message: "data race on x", RootCause: steps(2, 3)}
	first := release(race)
	refers := func(entry string) {
		f := race
		f.Entry, f.RootCause, f.SameAs = entry, nil, first.ID
		release(f)
	}
	refers("TestBefore")
	host := release(report.Finding{Entry: "TestX", Kind: "panic", Message: "boom", RootCause: steps(1, 2, 3), Cause: chain(3)})
	refers("TestAfter")
	for _, f := range s.rep.Findings {
		if f.ID != host.ID && f.SameAs != host.ID {
			t.Errorf("%s: same cause as %q, want %q", f.Entry, f.SameAs, host.ID)
		}
	}
	if len(s.rep.Findings) != 3 {
		t.Errorf("%d findings, want 3", len(s.rep.Findings))
	}
}

// TestOneBugIsOneFinding: whatever is published first, the failure stays, names the
// race, and is as well proved.
func TestOneBugIsOneFinding(t *testing.T) {
	for name, raceFirst := range map[string]bool{"race first": true, "failure first": false} {
		t.Run(name, func(t *testing.T) {
			s := newSession(Options{Dir: module(t, "TestX")}, func(progress.Update) {})
			failure := report.Finding{ID: "f", Entry: "TestX", Kind: "panic", Confirmed: report.Controlled, RootCause: steps(1, 2, 3), Cause: chain(3)}
			race := report.Finding{ID: "r", Entry: "TestX", Kind: "data-race", Message: "data race on x", Confirmed: report.RaceProved, RootCause: steps(2, 3)}
			all := []report.Finding{failure, race, race}
			if raceFirst {
				all = []report.Finding{race, failure, race, failure}
			}
			for _, f := range all {
				if !s.isAnotherSign(&f) {
					s.gather(&f)
					s.publish(&f)
				}
			}
			if len(s.rep.Findings) != 1 {
				t.Fatalf("%d findings, want 1", len(s.rep.Findings))
			}
			f := s.rep.Findings[0]
			if f.Kind != "panic" || len(f.Also) != 1 || f.Also[0].Message != "data race on x" || f.Confirmed != report.RaceProved {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestAlsoIsSaidOnce: what was published before it was explained has a shorter message.
func TestAlsoIsSaidOnce(t *testing.T) {
	early := &report.Finding{Kind: "data-race", Message: "data race"}
	full := &report.Finding{Kind: "data-race", Message: "data race on x"}
	for _, order := range [][]*report.Finding{{early, full}, {full, early}, {full, full}} {
		var also []report.Also
		for _, f := range order {
			also = addAlso(also, f)
		}
		if len(also) != 1 || also[0].Message != full.Message {
			t.Errorf("%+v", also)
		}
	}
}

// TestRacesOfTwoFunctions: what tests of a package show at other lines of the same two
// functions, on the same variable, is one bug; on another variable it may be another.
func TestRacesOfTwoFunctions(t *testing.T) {
	s := newSession(Options{Dir: module(t, "TestX")}, func(progress.Update) {})
	race := func(entry, on string, line int, file string) *report.Finding {
		f := &report.Finding{ID: entry, Package: "m", Entry: entry, Kind: raced, RootCause: []report.Access{
			{File: file, Line: line, Op: "write", Var: on, Func: "m.(*dev).reboot"}, {File: "a.go", Line: line + 10, Op: "read", Var: on, Func: "m.(*dev).work"}}}
		f.SameAs = s.elsewhere(f)
		s.publish(f)
		return f
	}
	race("TestA", "d.mode", 3, "a.go")
	for entry, f := range map[string]*report.Finding{
		"TestA": race("TestB", "d.mode", 4, "a.go"),
		"":      race("TestC", "d.name", 5, "a.go"),
	} {
		if f.SameAs != entry {
			t.Errorf("%s is the same as %q, want %q", f.ID, f.SameAs, entry)
		}
	}
	race("TestD", "x", 3, "a_test.go")
	if f := race("TestE", "x", 4, "a_test.go"); f.SameAs != "" {
		t.Error("races of test functions are their own")
	}
}
