package native

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// The programs in testdata each have a bug and, in "//fixed:" comments, the
// lines of a corrected twin: line numbers are the same in both.
var programs = []struct{ name, entry string }{
	{"checkact.go", "main"},
	{"inversion.go", "main"},
	{"lostsignal.go", "main"},
	{"doubleclose.go", "main"},
	{"sendlocked.go", "main"},
	{"quitselect_test.go", "TestDrain"},
	{"alias_test.go", "TestAlias"},
	{"leak_test.go", "TestFirst"},
	{"repanic.go", "main"},
}

// A failing controlled run makes the ordinary build fail nearly always; its
// plan never makes the corrected twin fail.
func TestConfirm(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	builder := instrument.NewBuilder(t.TempDir())
	for _, p := range programs {
		t.Run(strings.TrimSuffix(p.name, ".go"), func(t *testing.T) {
			ctx := t.Context()
			buggy, fixed := makeProgram(t, p.name, p.entry, false), makeProgram(t, p.name, p.entry, true)
			fail := failingTrace(t, ctx, builder, buggy)
			rep, err := Confirm(ctx, Request{Target: buggy, Trace: fail, Runs: 50})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Failed*20 < rep.Runs*19 {
				t.Errorf("buggy: failed %d of %d, played %d, stuck %d, unplayed %d\n%s%q %v\n%s", rep.Failed, rep.Runs, rep.Played, rep.Stuck,
					rep.Unplayed, rep.Plan.Steps, rep.Plan.Dropped, rep.Plan.Places, rep.Why)
			}
			plan, err := DerivePlan(fail)
			if err != nil {
				t.Fatal(err)
			}
			for i := range plan.Places {
				plan.Places[i].File = filepath.Join(fixed.Dir, p.name)
			}
			start := time.Now()
			rep, err = Confirm(ctx, Request{Target: fixed, Trace: fail, Plan: &plan, Runs: 25})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Failed+rep.Other > 0 {
				t.Errorf("fixed: failed %d, unplayed %d, other %d of %d\n%s%s", rep.Failed, rep.Unplayed, rep.Other, rep.Runs, rep.Plan.Steps, rep.Why)
			}
			if rep.TimedOut > 0 {
				t.Errorf("fixed: %d plans ended by timeout, want stuck (%v in all)", rep.TimedOut, time.Since(start))
			}
		})
	}
}

var fixedLine = regexp.MustCompile(`(?m)^(\s*).*//fixed:(.*)$`)

// makeProgram writes a testdata program as a module.
func makeProgram(t *testing.T, name, entry string, fixed bool) instrument.Target {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	if fixed {
		src = fixedLine.ReplaceAll(src, []byte("$1$2"))
	}
	dir := t.TempDir()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, name), string(src))
	write(t, filepath.Join(dir, "go.mod"), "module example.com/prog\n\ngo 1.25\n")
	return instrument.Target{Dir: dir, ImportPath: "example.com/prog", Entry: entry, Test: entry != "main"}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// failingTrace searches under control, at random, and records the failing run
// as it was found.
func failingTrace(t *testing.T, ctx context.Context, b *instrument.Builder, target instrument.Target) *trace.Trace {
	t.Helper()
	bin, err := b.Control(ctx, target)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer runner.Close()
	spec := run.Spec{Args: target.RunArgs()}
	for seed := range uint64(600) {
		spec.Strategy, spec.Seed, spec.Schedule.SelectSeed = run.POS, seed+1, seed+1
		if seed%2 == 0 {
			spec.Strategy = run.Random
		}
		r, err := runner.Run(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Failed() {
			for _, race := range r.Races {
				spec.Schedule.Hot = append(spec.Schedule.Hot, race.FirstSite, race.SecondSite)
			}
			slices.Sort(spec.Schedule.Hot)
			spec.Schedule.Hot = slices.Compact(spec.Schedule.Hot)
			continue
		}
		again := run.Spec{Args: spec.Args, Strategy: run.Replay, Schedule: r.Schedule, Record: run.Full}
		full, err := runner.Run(ctx, again)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %s %s", seed+1, full.Outcome.Kind, full.Outcome.Message)
		return full.Trace
	}
	t.Fatal("no failing schedule found")
	return nil
}

// Cancelling ends everything within a second, whatever the program does.
func TestCancel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a program")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/prog\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"time\"\n\nfunc main() {\n\ttime.Sleep(time.Hour)\n}\n")
	target := instrument.Target{Dir: dir, Entry: "main"}
	plan := &Plan{Places: []points.Place{{ID: 1, Kind: points.At, File: filepath.Join(dir, "main.go"), Line: 6}}}
	request := Request{Target: target, Plan: plan, BuildDir: t.TempDir(), SameFailure: func(string, int) bool { return false }}
	request.Runs, request.Timeout = 1, 200*time.Millisecond
	if rep, err := Confirm(t.Context(), request); err != nil || rep.Runs != 1 || rep.Failed != 0 {
		t.Fatalf("a program that never ends: %+v, %v", rep, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	request.Runs, request.Timeout = 1000, time.Hour
	start := time.Now()
	if _, err := Confirm(ctx, request); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that the context ended", err)
	}
	if d := time.Since(start); d > 4*time.Second {
		t.Errorf("cancelled after %v", d)
	}
}
