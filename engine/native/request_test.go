package native

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/instrument/points"
)

// What a build has no place for is left out of the request's own plan, not of the
// caller's, who may use it for another build.
func TestConfirmLeavesTheCallersPlan(t *testing.T) {
	plan := func() *Plan {
		return &Plan{Dropped: make([]string, 0, 4), Steps: breakpoints.Plan{Steps: []breakpoints.Step{
			{ID: "a", Role: "/", Point: 1}, {ID: "b", Role: "/1#1", Point: 2, After: []breakpoints.Ref{{Step: "a"}}},
			{ID: "c", Role: "/1#2", Point: 3, After: []breakpoints.Ref{{Step: "b"}}},
		}}}
	}
	given := plan()
	ways, err := (&Request{Plan: given}).ways()
	if err != nil {
		t.Fatal(err)
	}
	own := ways[0].plan
	own.Steps.Dump = true
	own.leaveOut([]points.Skip{{Place: points.Place{ID: 2, Kind: points.At}, Reason: "no place"}})
	if len(own.Steps.Steps) != 2 || own.Steps.Steps[1].After[0].Step != "a" || len(own.Dropped) != 1 {
		t.Errorf("the plan without the step: %+v", own)
	}
	if !reflect.DeepEqual(given, plan()) {
		t.Errorf("the caller's plan became %+v", given)
	}
}

// A run that can't be made ends the rest: the next ones can't be made either.
func TestAnErrorEndsTheRuns(t *testing.T) {
	broken := errors.New("no such program")
	var started atomic.Int32
	counted := 0
	err := sideBySide(t.Context(), 100, 2, func(context.Context, int) (*attempt, error) {
		if started.Add(1) > 3 {
			return nil, broken
		}
		return &attempt{}, nil
	}, func(int, *attempt) { counted++ })
	if !errors.Is(err, broken) || counted != 3 || started.Load() > 5 {
		t.Errorf("%v after %d runs, of which %d count", err, started.Load(), counted)
	}
}

func TestAllRunsAreCountedOnce(t *testing.T) {
	seen := map[int]int{}
	err := sideBySide(t.Context(), 50, 3, func(context.Context, int) (*attempt, error) { return &attempt{}, nil },
		func(i int, _ *attempt) { seen[i]++ })
	if err != nil || len(seen) != 50 {
		t.Errorf("%d runs, %v", len(seen), err)
	}
}

func TestCancelledRunsAreNotCounted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	counted := 0
	err := sideBySide(ctx, 50, 1, func(_ context.Context, i int) (*attempt, error) {
		if i == 4 {
			cancel()
		}
		return &attempt{}, nil
	}, func(int, *attempt) { counted++ })
	if !errors.Is(err, context.Canceled) || counted != 4 {
		t.Errorf("%v with %d runs counted", err, counted)
	}
}

// The points of which the compiler complains are left out: those of the statement that
// it names, or else of the file.
func TestBlamedPointsAreLeftOut(t *testing.T) {
	places := []points.Place{{ID: 1, Kind: points.At, File: "/m/cron.go", Line: 211}, {ID: 2, Kind: points.At, File: "/m/cron.go", Line: 5},
		{ID: 3, Kind: points.At, File: "/m/x.go", Line: 211}}
	const dir = "/tmp/hocket-native-1.2-3/src/"
	for output, want := range map[string]int{
		"# example.com/m\n" + dir + "abcdef0123456789-cron.go:211:19: no\nmore": 1,
		"# example.com/m\n" + dir + "abcdef0123456789-cron.go:9:1: no":          2,
		"./x.go:211: no": 1,
		"go: open " + dir + "overlay.json: no such file": 0,
	} {
		if rest, blamed := withoutBlamed(places, output); len(blamed) != want || len(rest) != len(places)-want {
			t.Errorf("%q: %v", output, blamed)
		}
	}
}

func TestPrinted(t *testing.T) {
	if got := (&attempt{quit: true, output: "one\nSIGQUIT: quit\nPC=0x4 m=0\ngoroutine 0 gp=0x1"}).printed(); got != "one\n" {
		t.Errorf("printed %q", got)
	}
}

// A program that does not compile any more is the user's to mend, and no bug of
// Hocket's, which would end this test.
func TestBrokenProgram(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/prog\n\ngo 1.25\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {\n\tundefined()\n}\n")
	plan := &Plan{Places: []points.Place{{ID: 1, Kind: points.At, File: filepath.Join(dir, "main.go"), Line: 4}}}
	_, err := Confirm(t.Context(), Request{Target: instrument.Target{Dir: dir, Entry: "main"}, Plan: plan, Runs: 1,
		SameFailure: func(string, int) bool { return false }})
	var be *instrument.BuildError
	if !errors.As(err, &be) || !strings.Contains(be.Output, "undefined: undefined") {
		t.Errorf("error %v", err)
	}
}
