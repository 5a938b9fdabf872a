// Command determinism checks the property on which Hocket is based: the same
// schedule, in another process, gives the same events.
//
//	go run ./bench/determinism [-pairs 1000] [-load 1] [-only name,name] [-kernels=false] [-once] [-cases FOLDER]
//
// Each pair is two processes of one program: one under the random schedule of a
// seed; then, in turn, another with the same seed, or one that replays the
// recorded schedule. Meanwhile -load threads keep processors busy. Events,
// steps and outcome must be equal. The garbage collector runs where programs
// ask for it: all kernels do.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
)

type options struct {
	pairs, load  int
	folder, only string
	kernels      bool
	once         bool
	seed         uint64
}

func main() {
	var o options
	flag.IntVar(&o.pairs, "pairs", 1000, "process pairs in all, spread over the programs")
	flag.IntVar(&o.load, "load", 1, "threads that spin meanwhile")
	flag.StringVar(&o.folder, "cases", "", "a folder of cases to run too")
	flag.BoolVar(&o.kernels, "kernels", true, "run the kernels of the Go distribution")
	flag.BoolVar(&o.once, "once", false, "start each kernel once, not as often in one process as the distribution does")
	flag.StringVar(&o.only, "only", "", "names of the programs to run, separated by commas")
	flag.Uint64Var(&o.seed, "seed", 1, "first seed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Setenv("GOEXPERIMENT", "goroutineleakprofile")
	ok, err := run(ctx, os.Stdout, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "determinism: "+err.Error())
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// subject is one program.
type subject struct {
	name string
	opt  engine.FindOptions
}

func subjects(ctx context.Context, dir string, o options) ([]subject, error) {
	var all []subject
	add := func(name string, opt engine.FindOptions) {
		if o.only == "" || slices.Contains(strings.Split(o.only, ","), name) {
			all = append(all, subject{name, opt})
		}
	}
	if o.folder != "" {
		cases, err := programs.Cases(o.folder, "", dir)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			entry := "^" + c.Truth.Entry + "$"
			add(c.Name, engine.FindOptions{Dir: c.Dir, Run: entry})
			add(c.Name+"-fixed", engine.FindOptions{Dir: c.Fixed, Run: entry})
		}
	}
	if o.kernels {
		home := dir + "/goker"
		if err := os.Mkdir(home, 0o755); err != nil {
			return nil, err
		}
		kernels, err := programs.Kernels(ctx, home)
		if err != nil {
			return nil, err
		}
		if o.once {
			if err := programs.Single(home); err != nil {
				return nil, err
			}
		}
		for _, k := range kernels {
			add(k.Name, engine.FindOptions{Dir: home, Args: []string{k.Name}})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no program is selected")
	}
	return all, nil
}

func run(ctx context.Context, w io.Writer, o options) (same bool, err error) {
	dir, err := os.MkdirTemp("", "hocket-determinism-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	all, err := subjects(ctx, dir, o)
	if err != nil {
		return false, err
	}
	defer spin(o.load)()
	t := table.New(w, "program           ", "pairs", "equal", "external", "hangs", "sec  ", "differences")
	var sum tally
	ran := 0
	// Also when it is interrupted: what was compared until then is known.
	defer func() {
		fmt.Fprintf(w, "\n%d of %d programs, %d pairs: %d equal, %d different, %d without a verdict (stopped by the time limit of a run)\n",
			ran, len(all), sum.pairs, sum.equal, len(sum.differ), sum.hangs)
	}()
	for i, s := range all {
		n := o.pairs*(i+1)/len(all) - o.pairs*i/len(all)
		if n == 0 {
			continue
		}
		start := time.Now()
		got, err := repeat(ctx, s, n, o.seed)
		sum.add(got)
		t.Row(s.name, got.pairs, got.equal, got.external, got.hangs, time.Since(start).Seconds(), strings.Join(got.differ, "; "))
		if err != nil {
			return false, fmt.Errorf("%s: %w", s.name, err)
		}
		ran++
	}
	return len(sum.differ) == 0, nil
}

// spin keeps n processors busy until it is stopped.
func spin(n int) (stop func()) {
	var done atomic.Bool
	for range n {
		go func() {
			runtime.LockOSThread()
			for !done.Load() {
			}
		}()
	}
	return func() { done.Store(true) }
}

// tally counts pairs.
type tally struct {
	pairs, equal, external, hangs int
	differ                        []string
}

func (t *tally) add(o tally) {
	t.pairs += o.pairs
	t.equal += o.equal
	t.external += o.external
	t.hangs += o.hangs
	t.differ = append(t.differ, o.differ...)
}

func repeat(ctx context.Context, s subject, n int, seed uint64) (tally, error) {
	var t tally
	p, err := harness.OpenProgram(ctx, s.opt)
	if err != nil {
		return t, err
	}
	defer p.Close()
	for i := range uint64(n) {
		a, err := p.Run(ctx, seed+i)
		if err != nil {
			return t, err
		}
		how := "same seed"
		b, err := (*harness.Ran)(nil), error(nil)
		if i%2 == 0 {
			b, err = p.Run(ctx, seed+i)
		} else {
			how = "replay"
			b, err = p.Again(ctx, a)
		}
		if err != nil {
			return t, err
		}
		t.compare(a, b, fmt.Sprintf("seed %d, %s", seed+i, how))
	}
	return t, nil
}

func (t *tally) compare(a, b *harness.Ran, what string) {
	t.pairs++
	if a.External+b.External > 0 {
		t.external++
	}
	switch {
	case a.Hang || b.Hang:
		t.hangs++
	case a.Hash == b.Hash && a.Steps == b.Steps && a.Kind == b.Kind && a.Message == b.Message:
		t.equal++
	default:
		t.differ = append(t.differ, fmt.Sprintf("%s: %s in %d steps, %s in %d steps (external %d, %d)",
			what, a.Kind, a.Steps, b.Kind, b.Steps, a.External, b.External))
	}
}
