package cause_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

// TestOtherwise: without an order that suffices for the failure the program does not
// fail, or less often; what the program enforces can't be left out.
func TestOtherwise(t *testing.T) {
	runner := sim.New(sim.LostUpdate(2, 1))
	var failing *run.Result
	for seed := uint64(0); failing == nil || !failing.Failed(); seed++ {
		r, err := runner.Run(context.Background(), run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
		if err != nil {
			t.Fatal(err)
		}
		failing = r
	}
	sig := run.SignatureOf(failing)
	opt := cause.Options{
		Same:   func(r *run.Result) bool { return r.Failed() && run.SignatureOf(r) == sig },
		Passes: func(r *run.Result) bool { return !r.Failed() },
	}
	c, err := cause.Find(context.Background(), runner, failing, opt)
	if err != nil || len(c.Core) < 2 {
		t.Fatal(c, err)
	}
	for _, l := range c.Core {
		if l.Late {
			continue
		}
		got, err := cause.Otherwise(context.Background(), runner, failing, l, 20, opt)
		if err != nil || got.Runs != 20 || got.Failed == got.Runs || got.Orders == 0 || got.Made < got.Runs {
			t.Errorf("without %+v: %+v, %v", l, got, err)
		}
		again, _ := cause.Otherwise(context.Background(), runner, failing, l, 20, opt)
		if again != got {
			t.Errorf("again without %+v: %+v, not %+v", l, again, got)
		}
	}
	first, last := -1, -1
	for i, e := range failing.Trace.Events {
		if first < 0 && cause.Counts(e.Op) {
			first = i
		}
		if e.G != failing.Trace.Events[max(first, 0)].G && cause.Counts(e.Op) {
			last = i
		}
	}
	enforced := cause.Literal{Before: first, After: last} // main's first event, and one of a goroutine that it starts later
	if got, err := cause.Otherwise(context.Background(), runner, failing, enforced, 5, opt); err != nil || got.Runs > got.Made {
		t.Errorf("without what is enforced: %+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := cause.Otherwise(ctx, runner, failing, c.Core[0], 20, opt); err != nil || got.Runs > 0 {
		t.Errorf("cancelled: %+v, %v", got, err)
	}
}
