package harness

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// SeekOptions of one search of a Program.
type SeekOptions struct {
	Strategy  string
	Seed      uint64
	Schedules int           // planned; 0 = DefaultSchedules
	Budget    time.Duration // 0 = none
}

// Sought is how a search without confirmation ended.
type Sought struct {
	Status    string // as in a report
	Reason    string // of statuses that need one
	Kind      string // of the first failure that replays, a data race left aside; "" if there is none
	Message   string
	Attempts  int           // schedules run up to and with the failing one; all that were if none failed
	Took      time.Duration // until the failing run had ended; the whole search if none failed
	RaceAfter int           // schedules up to the first data race; 0 = none
	NoModel   string        // why a strategy that uses a model of the program did not, or no more
	Always    bool          // every run failed in one way, or left goroutines blocked at the same places: no failure of some schedules only
}

// Seek searches for one failure and replays it, no more: to compare strategies.
// A data race does not end the search.
func (p *Program) Seek(ctx context.Context, o SeekOptions) (*Sought, error) {
	strategy, err := search.Make(o.Strategy, search.Config{Seed: o.Seed, Twin: func(ctx context.Context) (run.Twin, error) {
		return ladder.Twin(ctx, p.env, p.target, p.flags)
	}})
	if err != nil {
		return nil, err
	}
	if o.Schedules == 0 {
		o.Schedules = session.DefaultSchedules
	}
	watch := &stopwatch{Runner: p.runner, start: time.Now(), at: map[uint64]time.Duration{}}
	out := search.Run(ctx, watch, o.Budget, search.Options{
		Schedules: o.Schedules, Strategy: strategy, RaceExtra: o.Schedules, Blind: run.BlindOf(p.runner),
	}, nil)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if out.Status == search.Error {
		return nil, fmt.Errorf("%s", out.Reason)
	}
	s := &Sought{Status: string(out.Status), Reason: words.OneLine(out.Reason), Attempts: out.Schedules, Took: out.Elapsed, NoModel: out.NoTwin}
	for i := range out.Findings {
		f := &out.Findings[i]
		switch {
		case f.Signature.Kind == trace.Raced:
			if s.RaceAfter == 0 || f.Attempt < s.RaceAfter {
				s.RaceAfter = f.Attempt + 1
			}
		case s.Kind == "":
			s.Kind, s.Message = string(f.Signature.Kind), words.OneLine(f.Result.Outcome.Message)
			s.Attempts, s.Took = f.Attempt+1, watch.at[f.Result.Hash]
		}
	}
	s.Always = s.Kind == "" && (len(out.AlwaysLeaks) > 0 || out.Passed == 0 && out.Failed > 0)
	return s, nil
}

// stopwatch notes when a run of each kind had ended first.
type stopwatch struct {
	run.Runner
	start time.Time
	mu    sync.Mutex
	at    map[uint64]time.Duration // by hash
}

func (w *stopwatch) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	r, err := w.Runner.Run(ctx, spec)
	if err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if _, ok := w.at[r.Hash]; !ok {
			w.at[r.Hash] = time.Since(w.start)
		}
	}
	return r, err
}
