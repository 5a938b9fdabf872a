package recordings

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/record/paths"
	"github.com/hocket-dev/hocket/engine/retrace"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// A controlled run of goroutines that don't decide about each other takes the paths that
// were recorded, all of them: outcomes have the same numbers, goroutines the same names,
// those of timers included, and random numbers and the order of small maps are the same.
// Fmt has a Pool inside, whose draws must not count.
const drawing = `-- go.mod --
module example.com/m

go 1.26
-- m_test.go --
package m

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"time"
)

type box struct {
	mu sync.Mutex
	n  int
}

func (b *box) add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n += n
}

func draw(b *box) {
	for range 12 {
		if rand.Intn(3) == 0 {
			b.add(1)
		}
		_ = fmt.Sprint(rand.Intn(9))
	}
	for k := range map[int]bool{1: true, 2: true, 3: true, 4: true} {
		if k > 2 {
			b.add(k)
		}
	}
}

func TestDraw(t *testing.T) {
	b := &box{}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			draw(b)
			wg.Go(func() { draw(b) })
		})
	}
	for range 2 {
		wg.Add(1)
		time.AfterFunc(time.Microsecond, func() {
			defer wg.Done()
			draw(b)
		})
	}
	wg.Wait()
	draw(b)
}
`

func TestControlledRunsTellRecordedPaths(t *testing.T) {
	ctx := t.Context()
	env, err := target.LoadEnv(ctx, testmodule.New(t, drawing))
	if err != nil {
		t.Fatal(err)
	}
	targets, _, err := target.Discover(ctx, env, target.Query{Patterns: []string{"."}})
	if err != nil || len(targets) != 1 {
		t.Fatal(targets, err)
	}
	cache, err := build.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	d, err := build.New(env)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	it := build.Target(env, targets[0], target.Flags{})
	rec, err := paths.Build(ctx, instrument.NewBuilder(cache), it, env.Roots().Name)
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	w, err := paths.Write(ctx, instrument.NewBuilder(cache), it, env.Roots().Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := sameProgram(rec.Program, w.Program); err != nil {
		t.Error(err)
	}
	told := targets[0]
	if told.Overlay, err = told.Overlay.Including(filepath.Join(cache, "overlay", "told"), w.Files); err != nil {
		t.Fatal(err)
	}
	runner, err := d.Runner(ctx, told, target.Flags{}, build.Control)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for seed := range uint64(3) {
		r, err := rec.Run(ctx, paths.Options{Seed: seed + 1})
		if err != nil {
			t.Fatal(err)
		}
		res, err := runner.Run(ctx, run.Spec{Strategy: run.Random, Seed: seed, Record: run.Full, Tell: true, Schedule: trace.Schedule{InputSeed: r.Seed}})
		if err != nil {
			t.Fatal(err)
		}
		taken := map[string][]uint64{}
		names := map[uint64]string{}
		for _, g := range res.Trace.Goroutines {
			names[g.Key] = g.Path
		}
		for _, b := range res.Taken {
			taken[names[b.G]] = append(taken[names[b.G]], uint64(b.Outcome))
		}
		with := 0
		for _, th := range r.Threads {
			if len(th.Tokens) == 0 {
				continue
			}
			with++
			if !slices.Equal(th.Tokens, taken[th.Name]) {
				t.Errorf("seed %d: goroutine %s took %v under control, and %v when it was recorded", r.Seed, th.Name, taken[th.Name], th.Tokens)
			}
			seen[fmt.Sprint(th.Tokens)] = true
		}
		if with != 9 || len(taken) != 9 {
			t.Errorf("seed %d: %d goroutines with paths, %d under control; want the test's, 6 and those of 2 timers", r.Seed, with, len(taken))
		}
		if left, kept := retrace.Of(r.Run).Left(res); len(left) > 0 || kept != len(res.Taken) {
			t.Errorf("seed %d: %d of %d outcomes are kept, left: %v", r.Seed, kept, len(res.Taken), left)
		}
	}
	if len(seen) < 9 {
		t.Errorf("%d different paths: they are not drawn at random", len(seen))
	}
}
