package run

import (
	"context"
	"fmt"
)

// Verdict says whether equal specs give equal runs.
type Verdict struct {
	OK     bool
	Runs   int
	Reason string  // why not
	First  *Result // the run with which the others are compared
}

// Deterministic runs spec n times (at least twice), each a process of its own,
// and compares hashes and failures. It stops at the first difference.
func Deterministic(ctx context.Context, runner Runner, spec Spec, n int) (Verdict, error) {
	v := Verdict{OK: true}
	err := repeat(ctx, runner, spec, max(n, 2), func(r *Result) bool {
		v.Runs++
		if v.First == nil {
			v.First = r
			return true
		}
		if why := difference(v.First, r); why != "" {
			v.OK, v.Reason = false, why
		}
		return v.OK
	})
	return v, err
}

// difference says how two runs of one spec differ; "" if they don't.
func difference(a, b *Result) string {
	var why string
	switch {
	case a.Hang || b.Hang:
		if a.Hang && b.Hang {
			return "" // cut off by real time: nothing to compare
		}
		why = "one of two runs did not end"
	case SignatureOf(a) != SignatureOf(b):
		why = fmt.Sprintf("one run ended with %s, another with %s", a.Outcome.Kind, b.Outcome.Kind)
	case a.Hash != b.Hash && a.Steps != b.Steps:
		why = fmt.Sprintf("one run took %d steps, another %d", a.Steps, b.Steps)
	case a.Hash != b.Hash:
		why = "two runs took different operations"
	default:
		return ""
	}
	return "the same schedule gave different runs: " + why + DifferCause(a, b)
}

// Tally is the outcome of replaying a schedule many times.
type Tally struct {
	Runs     int
	Failed   int // same failure
	SameHash int // same hash as the first run
}

// All reports whether every run failed the same way along the same events.
func (t Tally) All() bool { return t.Runs > 0 && t.Failed == t.Runs && t.SameHash == t.Runs }

// Times replays spec n times and counts those that fail as same says.
func Times(ctx context.Context, runner Runner, spec Spec, same func(*Result) bool, n int) (Tally, error) {
	var t Tally
	var first uint64
	err := repeat(ctx, runner, spec, n, func(r *Result) bool {
		if t.Runs++; t.Runs == 1 {
			first = r.Hash
		}
		if same(r) {
			t.Failed++
		}
		if r.Hash == first {
			t.SameHash++
		}
		return true
	})
	return t, err
}

// repeat runs spec n times, several in parallel, until each says stop.
func repeat(ctx context.Context, runner Runner, spec Spec, n int, each func(*Result) bool) error {
	for w := Workers(0); n > 0; n -= w {
		specs := make([]Spec, min(n, w))
		for i := range specs {
			specs[i] = spec
		}
		results, err := RunEach(ctx, runner, specs)
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		for _, r := range results {
			if !each(r) {
				return nil
			}
		}
	}
	return nil
}
