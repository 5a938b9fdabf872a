package cause

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// drawn is a run of events drawn at random: by goroutines that lock, select, send,
// count and write, each of them what weigh prefers.
func drawn(rng *rand.Rand, goroutines, events int, weigh ...trace.Op) *trace.Trace {
	t := &trace.Trace{Goroutines: make([]trace.Goroutine, goroutines+1), Objects: make([]trace.Object, 9), Stacks: make([][]trace.Frame, 20), Hash: rng.Uint64()}
	for g := 1; g <= goroutines; g++ {
		t.Goroutines[g] = trace.Goroutine{ID: trace.GID(g), Path: "0." + strconv.Itoa(g), Key: uint64(g)}
	}
	for i := range t.Objects {
		t.Objects[i] = trace.Object{ID: trace.ObjID(i), Name: "x" + strconv.Itoa(i)}
	}
	for i := range t.Stacks {
		t.Stacks[i] = []trace.Frame{{File: "a.go", Line: i}}
	}
	count := make([]uint32, goroutines+1)
	for range events {
		g := 1 + rng.IntN(goroutines)
		count[g]++
		op := weigh[rng.IntN(len(weigh))]
		e := trace.Event{G: trace.GID(g), Op: op, Obj: trace.ObjID(1 + rng.IntN(8)), Stack: trace.StackID(rng.IntN(20)), Count: count[g], Value: 1}
		if op == trace.OpReadRange || op == trace.OpWriteRange {
			e.Aux = 1 << 12
		}
		t.Events = append(t.Events, e)
	}
	return t
}

// shuffled is a run in which the goroutines of t do the same in another order.
func shuffled(rng *rand.Rand, t *trace.Trace) *trace.Trace {
	out := *t
	out.Hash = rng.Uint64()
	out.Events = nil
	of := map[trace.GID][]trace.Event{}
	order := make([]trace.GID, len(t.Events))
	for i, e := range t.Events {
		of[e.G], order[i] = append(of[e.G], e), e.G
	}
	rng.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
	for _, g := range order {
		out.Events, of[g] = append(out.Events, of[g][0]), of[g][1:]
	}
	return &out
}

// shuffler is a runner of shuffled runs, of which every second one passes.
type shuffler struct {
	mu  sync.Mutex
	rng *rand.Rand
	t   *trace.Trace
}

func (s *shuffler) Run(ctx context.Context, _ run.Spec) (*run.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &run.Result{Trace: shuffled(s.rng, s.t)}
	if s.rng.IntN(2) == 0 {
		r.Outcome.Kind = trace.Passed
	} else {
		r.Outcome.Kind = trace.Panicked
	}
	return r, ctx.Err()
}

var mixes = map[string][]trace.Op{
	"locks": {trace.OpLock}, "dones": {trace.OpWGDone}, "selects": {trace.OpSelect, trace.OpSelectCase},
	"ranges": {trace.OpReadRange, trace.OpWriteRange}, "messages": {trace.OpSend, trace.OpRecv},
	"memory": {trace.OpRead, trace.OpRead, trace.OpRead, trace.OpWrite}, "atomics": {trace.OpAtomicRMW, trace.OpAtomicLoad},
	"mixed": {trace.OpLock, trace.OpWGDone, trace.OpWGWait, trace.OpSend, trace.OpRecv, trace.OpRead, trace.OpWrite},
}

func find(tr *trace.Trace, rng *rand.Rand, opt Options) (*Cause, error) {
	opt.Same = func(r *run.Result) bool { return r.Outcome.Kind == trace.Panicked }
	opt.Passes = func(r *run.Result) bool { return r.Outcome.Kind == trace.Passed }
	return Find(context.Background(), &shuffler{rng: rng, t: tr}, &run.Result{Trace: tr}, opt)
}

// TestLongRuns: the literals of the longest runs that are looked at are few, and the
// search ends soon after its time, whatever the goroutines do and however many there are.
func TestLongRuns(t *testing.T) {
	for name, ops := range mixes {
		for _, goroutines := range []int{100, 10000} {
			t.Run(name+strconv.Itoa(goroutines), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(1, 2))
				tr := drawn(rng, goroutines, maxEvents, ops...)
				start := time.Now()
				c, err := find(tr, rng, Options{Budget: 200 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				if len(c.all) > 5*maxLiterals {
					t.Errorf("%d literals", len(c.all))
				}
				if took := time.Since(start); took > 5*time.Second { // mostly 0.3 s; of slow machines
					t.Errorf("took %v", took)
				}
			})
		}
	}
}

// TestEqualCandidates: a run's literals, whose order decides between those that explain
// as much, are the same each time.
func TestEqualCandidates(t *testing.T) {
	for name, ops := range mixes {
		tr := drawn(rand.New(rand.NewPCG(3, 4)), 30, 400, ops...)
		first := candidates(tr, len(tr.Events))
		for range 5 {
			if again := candidates(tr, len(tr.Events)); !slices.Equal(first, again) {
				t.Errorf("%s: other literals, or in another order", name)
				break
			}
		}
	}
}

// TestDamagedRuns: events with goroutines, objects and stacks that a run does not have
// are no reason to panic.
func TestDamagedRuns(t *testing.T) {
	var all []trace.Op
	for op := trace.OpNone; op <= trace.OpCollect; op++ {
		all = append(all, op)
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		tr := drawn(rng, 4, 200, all...)
		for range 20 {
			e := &tr.Events[rng.IntN(len(tr.Events))]
			odd := rng.Uint64N(50)
			switch rng.IntN(4) {
			case 0:
				e.G = trace.GID(odd)
			case 1:
				e.Obj = trace.ObjID(odd)
			case 2:
				e.Stack = trace.StackID(odd)
			case 3:
				e.Aux, e.Value = odd<<32|odd, -odd
			}
		}
		if _, err := find(tr, rng, Options{Runs: 20, Held: 5}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCutOffRuns: of a run that was recorded in part it is not known what it lacks.
func TestCutOffRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	tr := drawn(rng, 3, 60, trace.OpRead, trace.OpWrite)
	pass := shuffled(rng, tr)
	pass.Truncated, pass.Events = true, pass.Events[:10]
	c, err := find(tr, rng, Options{Runs: 1, Known: []*trace.Trace{pass}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Late == pass {
		t.Error("it was compared with the rest of the run")
	}
}
