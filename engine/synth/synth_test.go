package synth

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// load reads the program of an archive below testdata.
func load(t *testing.T, name string) (*Program, string) { return loadEntry(t, name, "main") }

// loadEntry is load of main or a test.
func loadEntry(t *testing.T, name, entry string) (*Program, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := testmodule.New(t, string(text))
	p, err := Load(context.Background(), Source{Dir: dir, Package: "example.com/" + name, Entry: entry, Main: entry == "main", GoRoot: runtime.GOROOT()})
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func play(t *testing.T, p *Program, s run.Spec) (*run.Result, run.Played) {
	t.Helper()
	r, made, err := p.Play(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r, made
}

// The program checks its own results; that it is right itself shows on Go.
func TestLikeGo(t *testing.T) {
	p, dir := load(t, "checks")
	for seed := range uint64(20) {
		r, made := play(t, p, run.Spec{Strategy: run.POS, Seed: seed})
		if r.Outcome.Kind != trace.Passed || made.Why != "" {
			t.Fatalf("seed %d: %s %s %s", seed, r.Outcome.Kind, r.Outcome.Message, made.Why)
		}
	}
	if testing.Short() {
		return
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("on Go: %v\n%s", err, out)
	}
}

func TestEqualSpecsEqualRuns(t *testing.T) {
	p, _ := load(t, "checks")
	for seed := range uint64(5) {
		spec := run.Spec{Strategy: run.Random, Seed: seed, Record: run.Every}
		a, x := play(t, p, spec)
		b, y := play(t, p, spec)
		if a.Hash != b.Hash || len(a.Trace.Events) != len(b.Trace.Events) || x.Work != y.Work {
			t.Errorf("seed %d: two runs differ", seed)
		}
		again, _ := play(t, p, run.Spec{Strategy: run.Replay, Schedule: a.Schedule})
		if again.Hash != a.Hash || again.Diverged {
			t.Errorf("seed %d: its schedule gives another run", seed)
		}
	}
}

// What depends on something unknown has no verdict, and says on what.
func TestUnknown(t *testing.T) {
	for name, why := range map[string]string{
		"unknown": "what os.Getenv returns", "array": "what crypto/sha256.Sum256 returns",
		"order": "the order in which sort.Slice leaves equal elements", "errortype": "which type an error has",
	} {
		p, _ := load(t, name)
		r, made := play(t, p, run.Spec{Strategy: run.Replay})
		if r.Outcome.Kind != trace.StepLimit || made.Why != why {
			t.Errorf("%s: %s: %q", name, r.Outcome.Kind, made.Why)
		}
	}
}

// Subtests tell whether they failed, and clean up when they end.
func TestSubtests(t *testing.T) {
	for entry, want := range map[string]trace.OutcomeKind{"TestSubs": trace.Passed, "TestFails": trace.TestFailed} {
		p, _ := loadEntry(t, "tests", entry)
		r, made := play(t, p, run.Spec{Strategy: run.Replay})
		if r.Outcome.Kind != want || made.Why != "" {
			t.Errorf("%s: %s %s %s", entry, r.Outcome.Kind, r.Outcome.Message, made.Why)
		}
	}
}

// log.Fatal ends the program without what is deferred.
func TestFatalEnds(t *testing.T) {
	p, _ := load(t, "ends")
	r, made := play(t, p, run.Spec{Strategy: run.Replay})
	if r.Outcome.Kind != trace.Panicked || r.Outcome.Message != "panic: exit" || made.Why != "" {
		t.Errorf("%s %q: %q", r.Outcome.Kind, r.Outcome.Message, made.Why)
	}
}

// A failure behind two branches that the plain run does not take is found in the
// model, and the branches are told.
func TestUntakenBranches(t *testing.T) {
	p, _ := load(t, "untaken")
	plain, before := play(t, p, run.Spec{Strategy: run.Replay})
	if plain.Outcome.Kind != trace.Passed {
		t.Fatal(plain.Outcome)
	}
	taken := map[run.Branch]bool{}
	for _, b := range before.Branches {
		taken[b] = true
	}
	for seed := range uint64(2000) {
		r, made := play(t, p, run.Spec{Strategy: run.POS, Seed: seed})
		if r.Outcome.Kind != trace.Panicked {
			continue
		}
		conds := map[string]bool{}
		for _, b := range made.Branches {
			if !taken[b] {
				conds[b.Cond] = b.Taken
			}
		}
		if !conds["g.open.Load()"] || !conds["left < 0"] {
			t.Errorf("flipped: %v", conds)
		}
		if r.Outcome.Message != "panic: nothing is left" {
			t.Error(r.Outcome.Message)
		}
		return
	}
	t.Error("not found")
}
