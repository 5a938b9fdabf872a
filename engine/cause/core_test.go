package cause_test

import (
	"context"
	"testing"

	"github.com/hocket-dev/hocket/engine/cause"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/sim"
)

func TestKnown(t *testing.T) {
	for name, p := range map[string]func(*sim.Thread){"lost": sim.LostUpdate(2, 1), "init": sim.UseBeforeInit, "order": sim.LockOrder, "signal": sim.LostSignal} {
		t.Run(name, func(t *testing.T) {
			runner := sim.New(p)
			var failing *run.Result
			for seed := range uint64(1000) {
				r, err := runner.Run(context.Background(), run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full})
				if err != nil {
					t.Fatal(err)
				}
				if r.Failed() {
					failing = r
					break
				}
			}
			sig := run.SignatureOf(failing)
			c, err := cause.Find(context.Background(), runner, failing, cause.Options{
				Same:   func(r *run.Result) bool { return r.Failed() && run.SignatureOf(r) == sig },
				Passes: func(r *run.Result) bool { return !r.Failed() }})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v %q held %d runs %d passed %d", c.Core, c.Why, c.Held, c.Runs, c.Passed)
			for i, e := range failing.Trace.Events {
				t.Logf("%d: g%d %v obj %d val %d", i, e.G, e.Op, e.Obj, e.Value)
			}
		})
	}
}
