package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/hunt"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/version"
)

// known are stages whose programs have contents, and are seen to run.
type known struct {
	*played
	content string
	mu      sync.Mutex
	seeds   map[uint64]bool // of the attempts that have one
}

func (k *known) Build(ctx context.Context, t target.Target, f target.Flags) (run.Runner, error) {
	r, err := k.played.Build(ctx, t, f)
	return knownRunner{r, k}, err
}

type knownRunner struct {
	run.Runner
	of *known
}

func (r knownRunner) Content() string { return r.of.content }

func (r knownRunner) Run(ctx context.Context, s run.Spec) (*run.Result, error) {
	if s.Strategy != run.Replay {
		r.of.mu.Lock()
		r.of.seeds[s.Seed] = true
		r.of.mu.Unlock()
	}
	return r.Runner.Run(ctx, s)
}

func (k *known) find(t *testing.T, opt Options) *report.Target {
	t.Helper()
	k.seeds = map[uint64]bool{}
	rep := findWith(t, t.Context(), k, opt)
	if len(rep.Targets) != 1 {
		t.Fatalf("%d targets", len(rep.Targets))
	}
	return rep.Targets[0]
}

// A search that was cut short is continued with other seeds, until the plan of both
// is completed; another program, an explicit seed and Fresh begin anew.
func TestTheNextSearchGoesOn(t *testing.T) {
	dir := module(t, "TestGood")
	k := &known{content: "1", played: &played{cost: 2 * time.Millisecond, programs: map[string]func(*sim.Thread){"TestGood": sim.Correct}}}
	opt := Options{Dir: dir, Strategy: "pos", Schedules: 2000, Budget: time.Second}
	first := k.find(t, opt)
	seeds := k.seeds
	if first.Status != report.CutShort || first.Searched.Attempts == 0 || first.Searched.Earlier != 0 || first.NeedsMS == 0 {
		t.Fatalf("the first search is %+v", first)
	}
	common := func() (n int) {
		for s := range k.seeds {
			if seeds[s] {
				n++
			}
		}
		return n
	}
	again := k.find(t, opt)
	if again.Searched.Earlier != first.Searched.Attempts || again.Searched.Planned != 2000-first.Searched.Attempts || common() > 0 {
		t.Errorf("after %d attempts the second search is %+v, %d seeds the same", first.Searched.Attempts, again, common())
	}
	opt.Budget = 20 * time.Second
	if last := k.find(t, opt); last.Status != report.Searched || last.Searched.Earlier == 0 {
		t.Errorf("the third search is %+v", last)
	}
	opt.Budget = time.Second
	for name, change := range map[string]func(*Options){
		"fresh":           func(o *Options) { o.Fresh = true },
		"another program": func(*Options) { k.content = "2" },
	} {
		o := opt
		change(&o)
		if l := k.find(t, o); l.Searched.Earlier != 0 || common() == 0 {
			t.Errorf("%s: %+v, %d seeds the same", name, l, common())
		}
	}
	opt.Seed = 7
	k.find(t, opt)
	seeds = k.seeds
	if k.find(t, opt); common() < len(seeds)/2 {
		t.Errorf("an explicit seed: %d of %d seeds the same", common(), len(seeds))
	}
}

// A proof is made once for a program.
func TestProofsAreReused(t *testing.T) {
	dir := module(t, "TestGood")
	k := &known{content: "1", played: &played{programs: map[string]func(*sim.Thread){"TestGood": sim.Correct}}}
	opt := Options{Dir: dir}
	if l := k.find(t, opt); l.Status != report.Clean || l.Runs == 0 {
		t.Fatalf("%+v", l)
	}
	if l := k.find(t, opt); l.Status != report.Clean || l.Runs != 0 || !strings.HasPrefix(l.Note, "proved earlier, unchanged: every behaviour of ") {
		t.Errorf("again: %+v", l)
	}
	opt.Fresh = true
	if l := k.find(t, opt); l.Runs == 0 {
		t.Errorf("fresh: %+v", l)
	}
	t.Setenv("HOCKET_TEST_SETTING", "on")
	if opt.Fresh = false; k.find(t, opt).Runs == 0 {
		t.Error("another environment")
	}
	k.content = "2"
	if l := k.find(t, opt); l.Runs == 0 {
		t.Errorf("changed: %+v", l)
	}
}

// What is left of a write that was killed, or is of another version, costs a
// repetition only.
func TestUnreadableSearches(t *testing.T) {
	dir := module(t, "TestGood")
	k := &known{content: "1", played: &played{programs: map[string]func(*sim.Thread){"TestGood": sim.Correct}}}
	k.find(t, Options{Dir: dir})
	files, _ := filepath.Glob(filepath.Join(dir, ".hocket", "searches", "*.json"))
	if len(files) != 1 {
		t.Fatalf("files %q", files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"half":          string(whole[:len(whole)/2]),
		"empty":         "",
		"later version": strings.Replace(string(whole), `"format":1`, `"format":99`, 1),
	} {
		if err := os.WriteFile(files[0], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if l := k.find(t, Options{Dir: dir}); l.Status != report.Clean || l.Runs == 0 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// Packages with something unfinished come first, then changed ones, then those that
// were not reached; targets of a package stay together.
func TestOrderOfJobs(t *testing.T) {
	s := newSession(Options{}, nil)
	add := func(pkg, name string, b *before, earlier ...*hunt.Earlier) {
		j := &hunt.Job{Target: target.Target{Dir: pkg, Entry: name}, Earlier: earlier}
		s.befores[j] = b
		s.add(&report.Target{}, j)
	}
	same := func(l store.Search) *before {
		l.Sources = store.Sums{"a.go": "1"}
		return &before{sources: store.Sums{"a.go": "1"}, last: &l}
	}
	changed := same(store.Search{})
	changed.sources = store.Sums{"a.go": "2"}
	add("p", "proved", same(store.Search{Proved: "yes", Spent: true}))
	add("p", "open", same(store.Search{Status: "cut-short"}))
	add("q", "missed", same(store.Search{Status: "not-reached"}))
	add("q", "spent", same(store.Search{Spent: true}))
	add("r", "changed", changed)
	add("r", "new", &before{})
	add("u", "whole", same(store.Search{}), &hunt.Earlier{Confirmed: true})
	add("u", "unfinished", same(store.Search{}), &hunt.Earlier{Unfinished: true})
	s.order()
	var got []string
	for _, j := range s.jobs {
		got = append(got, j.Entry)
	}
	if want := []string{"unfinished", "whole", "changed", "new", "missed", "spent", "open", "proved"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What is taken back is neither in the report nor in the store, unless an earlier
// search stored it.
func TestTakenBack(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	st, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for round := range 2 {
		s := newSession(Options{}, nil)
		s.env, s.store, s.stored = &target.Env{Module: root}, st, st.Cache()
		s.plan([]target.Target{{Package: "m", Entry: "TestX", Dir: root}})
		release := func(line int) (*search.Finding, string) {
			f := &hunt.Found{Job: s.jobs[0], Caught: &search.Finding{}, Signature: fmt.Sprint("panic ", line),
				Finding: &report.Finding{Package: "m", Entry: "TestX", Kind: "panic", Failure: report.Place{File: "a.go", Func: fmt.Sprint(line), Line: line}}}
			s.Release(f)
			return f.Caught, f.Finding.ID
		}
		kept, id := release(1)
		gone, other := release(2)
		if ids = append(ids, id); round == 1 {
			s.Drop(kept)
		}
		s.Drop(gone)
		s.releaseHeld()
		if n := len(s.snapshot().Findings); n != 1-round {
			t.Errorf("round %d: %d findings", round, n)
		}
		if _, err := st.Get(id); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		if left, _ := filepath.Glob(filepath.Join(st.Dir(), "findings", other+"*")); len(left) > 0 {
			t.Errorf("round %d: left %q", round, left)
		}
	}
	if ids[0] != ids[1] {
		t.Errorf("ids %q", ids)
	}
}

// An exploration begins with the same schedules whatever its seed: it can't go on,
// but what it proved holds, in the environment that it was proved in.
func TestExplorationsBeginAnew(t *testing.T) {
	for strategy, want := range map[string]hunt.Past{
		"pos":            {Seed: 2, Tried: 100, Proved: "yes"},
		search.Exploring: {Proved: "yes"},
	} {
		s := newSession(Options{Schedules: 3000}, nil)
		j := &hunt.Job{Strategy: strategy, Schedules: 3000}
		l := &store.Search{Program: "p", Hocket: version.Build(), Searches: 2, Tried: 100, Proved: "yes", Environ: environ()}
		s.befores[j] = &before{last: l}
		if got := s.Past(j, "p"); got.Seed != want.Seed || got.Tried != want.Tried || got.Proved != want.Proved {
			t.Errorf("%s: %+v, want %+v", strategy, got, want)
		}
		if l.Environ = "another"; s.Past(j, "p").Proved != "" {
			t.Errorf("%s: a proof of another environment", strategy)
		}
	}
}
