package harness

import (
	"context"
	"fmt"
	"os"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
)

type debugging struct {
	run.Runner
	aim search.Aim
}

func (d debugging) Run(ctx context.Context, s run.Spec) (*run.Result, error) {
	r, err := d.Runner.Run(ctx, s)
	if err == nil {
		m := d.aim.Match(r)
		fmt.Fprintf(os.Stderr, "%s rec=%d seg=%d hold=%v hot=%d -> %s %q level %d score %.2f stands %d steps %d races %d\n", s.Strategy, s.Record, len(s.Schedule.Segments), s.Hold, len(s.Schedule.Hot), r.Outcome.Kind, r.Outcome.Message, m.Level, m.Score, len(r.Stands), r.Steps, len(r.Races))
	}
	return r, err
}
