package process_test

import (
	"context"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
)

// A program may compare, hash and print addresses. They are the same in all runs of a
// schedule: whoever chose it, whatever is recorded, and whenever the runtime needed a
// thread.
func TestAddresses(t *testing.T) {
	bin, err := instrument.NewBuilder(t.TempDir()).Control(context.Background(), instrument.Target{Dir: "testdata/addresses", ImportPath: "odd"})
	if err != nil {
		t.Fatal(err)
	}
	bin.Target.Entry = "main"
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	runOf := func(spec run.Spec) *run.Result {
		t.Helper()
		spec.Timeout = time.Minute
		r, err := p.Run(context.Background(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for seed := range uint64(4) {
		first := runOf(run.Spec{Strategy: run.POS, Seed: seed})
		again := run.ReplayOf(run.Spec{}, first)
		for what, spec := range map[string]run.Spec{
			"again":    {Strategy: run.POS, Seed: seed},
			"replayed": again,
			"recorded": {Strategy: run.Replay, Schedule: again.Schedule, Record: run.Full},
			"paired":   {Strategy: run.Replay, Schedule: again.Schedule, Pairs: true},
		} {
			if r := runOf(spec); r.Outcome.Output != first.Outcome.Output || first.Outcome.Output == "" {
				t.Errorf("seed %d, %s: allocated elsewhere", seed, what)
			}
		}
	}
}
