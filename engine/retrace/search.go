package retrace

import (
	"context"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
)

const (
	// delay is the virtual time that may pass while somebody could run: it did in the
	// recorded run.
	delay = 10 * time.Second
	// largest run, in switch points, whose operations are solved for.
	largest = 3000
)

// Search is what was tried.
type Search struct {
	Attempts int // runs of the program
	search.Pondered
	Found   bool
	Planned bool     // the attempt that was found had a computed order
	Best    *Attempt // the last one, if it is what was looked for, else the one that kept to the most
}

// Attempt is a run of the program.
type Attempt struct {
	Result *run.Result
	Kept   int // outcomes of branches, until each goroutine left its path
	Paths  int // goroutines that kept to their whole path
	first  *run.Taken
}

// Find makes at most so many attempts, until one fails as wanted. It tells of each. An
// error, or the end of ctx, leaves what was done until then.
func Find(ctx context.Context, r *Recorded, runner run.Runner, most int, wanted func(*run.Result) bool, tell func(n int, a *Attempt)) (*Search, error) {
	s := &Search{}
	along := search.NewAlong(r)
	other := newWander(r)
	for s.Attempts < most && ctx.Err() == nil {
		spec, ok := along.Next(ctx, s.Attempts)
		if !ok && along.Waits() { // all results are there
			spec, ok = along.Next(ctx, s.Attempts)
		}
		if s.Pondered = along.Pondered(); ctx.Err() != nil {
			break
		}
		computed := ok && s.Attempts > 0 // the first one only goes on as programs do
		if !ok {
			spec = other.next(ctx, s.Attempts)
		}
		res, err := runner.Run(ctx, spec)
		if err != nil {
			return s, err
		}
		s.Attempts++
		a := r.attempt(res)
		tell(s.Attempts, a)
		if wanted(res) {
			s.Best, s.Found, s.Planned = a, true, computed
			break
		}
		if s.Best == nil || a.Kept > s.Best.Kept {
			s.Best = a
		}
		other.observe(spec, a)
		if along.Observe(spec, res); res.Steps > largest {
			along.Stop("the program is too large")
		}
	}
	return s, ctx.Err()
}

func (r *Recorded) attempt(res *run.Result) *Attempt {
	ways, first := r.compare(res)
	a := &Attempt{Result: res, first: first}
	for key, path := range r.paths {
		if w := ways[key]; w != nil {
			if a.Kept += w.kept; !w.left && w.kept == len(path) {
				a.Paths++
			}
		}
	}
	return a
}

// Left implements search.Way.
func (r *Recorded) Left(res *run.Result) (map[uint64]uint32, int) {
	out, kept := map[uint64]uint32{}, 0
	ways, _ := r.compare(res)
	for key, w := range ways {
		kept += w.kept
		if w.left {
			out[key] = w.at
		}
	}
	return out, kept
}

// Fails implements search.Way: of a failed test a branch tells.
func (r *Recorded) Fails() bool { return r.crash || r.torn }

// Prepare implements search.Way.
func (r *Recorded) Prepare(s *run.Spec) {
	s.Tell = true
	s.Schedule.InputSeed, s.Schedule.Delay = r.seed, int64(delay)
}
