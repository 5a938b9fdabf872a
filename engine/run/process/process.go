// Package process is the run.Runner of real programs: one process of a
// controlled binary for each Spec. Hocket and the process talk through the run
// file, whose layout package rt defines: the schedule goes in, what happened
// comes out, also of a process that was killed.
package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
)

// Limits of a run if its Spec has none.
const (
	DefaultTimeout = 10 * time.Second // real time
	DefaultSteps   = 2_000_000        // switch points
	DefaultVirtual = 10 * time.Minute // virtual time
)

const (
	defaultProcs = 4
	everyMax     = 200_000          // events of a run with Record Every
	smallMax     = 1 << 15          // events of a full run that is worth recording whole: more cost more than a process
	sharedMax    = 2 << 20          // events of a run that records those to memory known to be shared
	drain        = time.Millisecond // of virtual time, after main returned
)

// Runner runs a controlled binary, a process an attempt. It is the Runner of
// real programs.
type Runner struct {
	bin *instrument.Binary
	sym *site.Index
	dir string // of run files

	large atomic.Bool // a full run had more events than smallMax

	holdMu    sync.Mutex // guards what follows
	holdKey   string     // the packages of the holds asked for last
	holdCalls []site.CallPlace
}

// Blind lists calls of the program whose accesses no trace contains. An example's
// output, which decides whether it passes, is in no trace either.
func (p *Runner) Blind() []string {
	if t := p.bin.Target; t.Test && strings.HasPrefix(t.Entry, "Example") {
		return append(slices.Clip(p.bin.Blind), "the output of an example")
	}
	return p.bin.Blind
}

// Content identifies the program: equal ones do the same under a schedule.
func (p *Runner) Content() string { return p.bin.Content }

// shm is where run files live if there is one: they are shared memory.
const shm = "/dev/shm"

// New returns the runner of a binary with that binary's index, which all its
// runners should share. Close removes the run files.
func New(bin *instrument.Binary, sym *site.Index) (*Runner, error) {
	base := shm
	if st, err := os.Stat(base); err != nil || !st.IsDir() {
		base = ""
	}
	dir, err := temp.DirIn(base, "run")
	if err != nil {
		dir, err = temp.Dir("run")
	}
	if err != nil {
		return nil, fmt.Errorf("make a folder for run files: %w", err)
	}
	return &Runner{bin: bin, sym: sym, dir: dir}, nil
}

// Close removes the runner's files.
func (p *Runner) Close() error { return os.RemoveAll(p.dir) }

// Index is the binary's.
func (p *Runner) Index() *site.Index { return p.sym }

// Binary is the program that runs.
func (p *Runner) Binary() *instrument.Binary { return p.bin }

// Run implements Runner. A full run is one process, which records every access;
// what turns out not to be shared memory is left out afterwards. Only if that
// is too much to record, the run is repeated: which memory is shared is known
// then. For such a program, later runs first find that out without recording
// anything.
func (p *Runner) Run(ctx context.Context, spec run.Spec) (*run.Result, error) {
	if spec.Record != run.Full {
		res, _, err := p.once(ctx, spec, spec.Record, recording{max: everyMax})
		return res, err
	}
	rec := run.Full
	if p.large.Load() {
		rec = run.Light
	}
	first, shared, err := p.once(ctx, spec, rec, recording{max: smallMax, whole: true})
	if err != nil || first.Trace != nil {
		return first, err
	}
	p.large.Store(true)
	again := spec
	again.Strategy, again.Schedule, again.Collect = run.Replay, first.Schedule, nil
	for try := 2; ; try++ {
		// Helper threads' stacks may shift the heap between processes, so what
		// the recording run found shared must be what it watched.
		res, own, err := p.once(ctx, again, run.Full, recording{max: sharedMax, watch: shared})
		if err != nil {
			return nil, err
		}
		if res.Hash != first.Hash {
			return nil, fmt.Errorf("%s is not deterministic: two runs of one schedule differ after %d and %d steps%s",
				p.bin.Target.Entry, first.Steps, res.Steps, run.DifferCause(first, res))
		}
		res.Processes = try
		if shared == nil || sameWords(shared, own) {
			return res, nil
		}
		shared = own
		if try == 4 {
			shared = nil // watch everything
		}
	}
}

// recording bounds what one process records.
type recording struct {
	max   int      // events
	whole bool     // or nothing: what did not fit gives no trace
	watch []uint64 // granules of 8 bytes whose plain accesses count; nil: all
}

// sameWords compares two sets.
func sameWords(a, b []uint64) bool {
	if len(a) != len(b) {
		return false
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// once starts the program one time.
func (p *Runner) once(ctx context.Context, spec run.Spec, rec run.Record, what recording) (*run.Result, []uint64, error) {
	f, err := p.newRunFile(spec, rec, what)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	timeout := spec.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	start := time.Now()
	end, err := p.start(ctx, spec, f.name, timeout)
	if err != nil {
		return nil, nil, err
	}
	if rec == run.Full && what.whole && f.word(rt.WDropped) > 0 {
		rec = run.Light
	}
	res, err := p.read(f, end, rec, spec.Stands)
	if err != nil {
		return nil, nil, err
	}
	res.Duration, res.Processes = time.Since(start), 1
	return res, f.words(rt.WSharedOff), nil
}

// newRunFile writes a run's configuration, with its hot places as addresses of
// this binary.
func (p *Runner) newRunFile(spec run.Spec, rec run.Record, what recording) (*runFile, error) {
	pcs, err := p.sym.PCs(spec.Schedule.Hot)
	if err != nil {
		return nil, fmt.Errorf("find the places where a schedule switches: %w", err)
	}
	keep, err := p.sym.PCs(spec.Keep)
	if err != nil {
		return nil, fmt.Errorf("find the places that are recorded: %w", err)
	}
	hot, err := p.sym.Sites(pcs)
	if err != nil {
		return nil, fmt.Errorf("name the places where a schedule switches: %w", err)
	}
	stores, err := p.stores(spec.Schedule.Memory, pcs)
	if err != nil {
		return nil, err
	}
	f, err := newRunFile(p.dir, spec, pcs, stores, rec, what)
	if err != nil {
		return nil, fmt.Errorf("write run file: %w", err)
	}
	held, err := p.holds(spec.Hold)
	if err != nil {
		f.close()
		return nil, err
	}
	f.hold(spec.Hold, held)
	if p.bin.Collects {
		f.put(rt.WFlags, f.word(rt.WFlags)|rt.FlagCollect)
	}
	slices.Sort(hot)
	f.hot, f.keep = hot, keep
	return f, nil
}

// ending is how a process ended.
type ending struct {
	code   int
	hang   bool
	output string
}

func (p *Runner) start(ctx context.Context, spec run.Spec, runFile string, timeout time.Duration) (*ending, error) {
	runCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := p.command(runCtx, spec, runFile)
	out := &tail{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 200 * time.Millisecond // for subprocesses that hold the output open
	started, err := process.Start(ctx, cmd)
	if err == nil {
		var limit sync.WaitGroup
		watching, ended := context.WithCancel(runCtx)
		limit.Go(func() { limitTime(watching, cmd.Process.Pid, timeout, cancel) })
		err = started.Wait()
		ended()
		limit.Wait()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.ProcessState == nil {
		return nil, fmt.Errorf("start %s: %w", filepath.Base(p.bin.Path), err)
	}
	return &ending{
		code:   cmd.ProcessState.ExitCode(),
		hang:   errors.Is(context.Cause(runCtx), errTimeLimit),
		output: out.String(),
	}, nil
}

func (p *Runner) args(spec run.Spec) []string {
	args := p.bin.Target.RunArgs()
	if p.bin.Target.Test {
		args = append(args, "-test.v=true")
	}
	return append(args, spec.Args...)
}

// tail keeps the beginning and the end of what is written to it.
type tail struct {
	head, rest []byte
	max        int
	cut        bool
}

func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if room := t.max/2 - len(t.head); room > 0 {
		k := min(room, len(b))
		t.head = append(t.head, b[:k]...)
		b = b[k:]
	}
	t.rest = append(t.rest, b...)
	if over := len(t.rest) - t.max/2; over > t.max/2 {
		t.rest = append([]byte(nil), t.rest[over:]...)
		t.cut = true
	}
	return n, nil
}

func (t *tail) String() string {
	if t.cut {
		return string(t.head) + "\n[...]\n" + string(t.rest)
	}
	return string(t.head) + string(t.rest)
}

// read judges a run from its run file and the way the process ended.
func (p *Runner) read(f *runFile, end *ending, rec run.Record, stands bool) (*run.Result, error) {
	res := &run.Result{
		Hash:      f.word(rt.WHash),
		Steps:     int(f.word(rt.WSteps)),
		External:  int(f.word(rt.WExternal)),
		Collects:  p.bin.Collects,
		Awaits:    p.bin.Collects && f.word(rt.WAwaits) > 0,
		Inputs:    int(f.word(rt.WInputs)),
		Random:    f.word(rt.WRandom) > 0,
		Delayed:   time.Duration(f.word(rt.WDelayed)),
		Soonest:   time.Duration(f.word(rt.WSoonest)),
		TimedOut:  f.word(rt.WTimedOut) > 0,
		MemStats:  f.word(rt.WMemStats) > 0,
		ReadClock: f.word(rt.WClockRead) > 0,
		Diverged:  f.word(rt.WDiverged) > 0,
		Hang:      end.hang,
	}
	res.Pairs, res.Taken = f.pairs(), f.taken()
	var err error
	if res.Outside, err = p.outside(f); err != nil {
		return nil, err
	}
	if res.Alone, err = p.alone(f); err != nil {
		return nil, err
	}
	status := f.word(rt.WStatus)
	quiet := status == rt.StatusMainReturned || status == rt.StatusExit
	if rec == run.Light && quiet && end.code == 0 && !end.hang && f.word(rt.WRaceLen) == 0 && !f.anyLeak() && f.word(rt.WFailCount) == 0 && !stands {
		res.Outcome.Kind = trace.Passed
		res.Outcome.Output = end.output
		res.Schedule, res.Ends = f.schedule()
		return res, nil
	}
	var others []trace.Blocked
	t, err := trace.Decode(f.data, p.sym, trace.DecodeOptions{Shared: rec == run.Full, Keep: f.keep, Program: !p.bin.Target.Test, Stands: &others})
	if err != nil {
		return nil, err
	}
	res.Schedule, res.Ends = f.schedule()
	judge(&t.Outcome, end, t.Stack(t.Outcome.Stack))
	res.Outcome = t.Outcome
	t.Schedule = res.Schedule
	if at := t.FailureFrames(); len(at) > 0 {
		res.Place = at[0]
	}
	for _, b := range t.Outcome.Blocked {
		fr, _ := t.UserFrame(b.Stack)
		res.BlockedAt = append(res.BlockedAt, fr)
		if res.Place.File == "" && (t.Outcome.Kind == trace.Deadlocked || t.Outcome.Kind == trace.Leaked && b.Leaked) {
			res.Place = fr
		}
	}
	sites, err := p.sym.Sites(f.racePCs())
	if err != nil {
		return nil, err
	}
	for i, r := range t.Races {
		pair := run.RacePair{FirstWrite: r.First.Write, SecondWrite: r.Second.Write}
		pair.First, _ = t.UserFrame(r.First.Stack)
		pair.Second, _ = t.UserFrame(r.Second.Stack)
		if 2*i+1 < len(sites) {
			pair.FirstSite, pair.SecondSite = sites[2*i], sites[2*i+1]
		}
		res.Races = append(res.Races, pair)
	}
	res.Loose = loose(res)
	if stands {
		res.Stands = standsOf(t, others)
	}
	if rec != run.Light {
		res.Trace = t
	}
	return res, nil
}
