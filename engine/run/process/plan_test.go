package process_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// planned are the tests of testdata/plans/ops.txtar.
var planned = []string{
	"TestLocks", "TestRWLocks", "TestBuffered", "TestUnbuffered", "TestManySenders", "TestCond", "TestOnce",
	"TestAtomics", "TestValue", "TestSelect", "TestSleep", "TestTimers", "TestNested", "TestHot",
}

// buildPlans builds testdata/plans/NAME.txtar.
func buildPlans(t *testing.T, name string) *instrument.Binary {
	t.Helper()
	a, err := txtar.ParseFile("testdata/plans/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	builder := instrument.NewBuilder(t.TempDir())
	bin, err := builder.Control(context.Background(), instrument.Target{Dir: dir, ImportPath: "plans", Test: true})
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// program runs one test of a binary.
func program(t *testing.T, bin *instrument.Binary, entry string) *process.Runner {
	t.Helper()
	mine := *bin
	mine.Target.Entry = entry
	p, err := process.New(&mine, site.NewIndex(mine.Path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func full(t *testing.T, p *process.Runner, spec run.Spec) *trace.Trace {
	t.Helper()
	spec.Record, spec.Timeout = run.Full, 5*time.Minute // the machine may be busy
	r, err := p.Run(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	if r.Processes != 1 {
		t.Errorf("a full run took %d processes", r.Processes)
	}
	if r.Trace.Truncated {
		t.Fatal("too many events")
	}
	if err := trace.Check(r.Trace); err != nil {
		t.Errorf("the trace is wrong: %v", err)
	}
	return r.Trace
}

// performed is an operation as runs are compared by it.
type performed struct {
	g     string
	count uint32
	op    trace.Op
	obj   string
}

func (p performed) String() string { return fmt.Sprintf("%s@%d %v %s", p.g, p.count, p.op, p.obj) }

// operations are a trace's operations in linear order, and the plan that repeats
// them. Of plain accesses only those count that begin a block: they are hot. The
// others are recorded where memory is shared, which may differ between runs.
func operations(tr *trace.Trace) (ops []performed, moves []run.Move) {
	seen := map[run.Move]bool{}
	for _, i := range tr.Linear() {
		e := tr.Events[i]
		if e.G == 0 || notMoved(e.Op) || isPlain(e.Op) && !slices.Contains(tr.Schedule.Hot, tr.Sites[e.Stack]) {
			continue
		}
		g := tr.Goroutine(e.G)
		m := run.Move{G: g.Key, Count: e.Count, Choice: run.NoChoice}
		moves = append(moves, m)
		if seen[m] {
			continue
		}
		seen[m] = true
		ops = append(ops, performed{g.Path, e.Count, e.Op, tr.Object(e.Obj).Name})
	}
	return ops, moves
}

// once leaves out what is done with an earlier move of a block. A goroutine's
// last move stays: it finishes a block in which the goroutine parked.
func once(moves []run.Move) (out []run.Move) {
	last, begun := map[uint64]int{}, map[uint64]uint32{} // begun: the latest block + 1
	for i, m := range moves {
		last[m.G] = i
	}
	for i, m := range moves {
		if m.Count >= begun[m.G] || last[m.G] == i {
			out = append(out, m)
		}
		begun[m.G] = max(begun[m.G], m.Count+1)
	}
	return out
}

func notMoved(op trace.Op) bool {
	return op == trace.OpBlock || op == trace.OpUnblock || op == trace.OpTimer
}

func isPlain(op trace.Op) bool { return op >= trace.OpRead && op <= trace.OpWriteRange }

func comparePlan(t *testing.T, want, got []performed) {
	t.Helper()
	n := min(len(want), len(got))
	for i := range n {
		if want[i] != got[i] {
			from := max(0, i-6)
			t.Errorf("operation %d: planned %v, got %v\nplanned %v\ngot     %v", i, want[i], got[i], want[from:min(i+4, n)], got[from:min(i+4, n)])
			return
		}
	}
	if len(want) != len(got) {
		t.Errorf("planned %d operations, got %d; rest %v / %v", len(want), len(got), want[n:], got[n:])
	}
}

func TestPlan(t *testing.T) {
	none := run.NoChoice
	for _, c := range []struct {
		name  string
		moves []run.Move
		want  trace.Schedule
	}{
		{name: "nothing"},
		{"in a row are one segment, its choices each once",
			[]run.Move{{G: 1, Count: 2, Choice: none}, {G: 1, Count: 5, Choice: 0}, {G: 1, Count: 5, Choice: 0}, {G: 1, Count: 4, Choice: none}},
			trace.Schedule{Segments: []trace.Segment{{G: 1, Until: 5, Await: true}}, Choices: []trace.Choice{{G: 1, Count: 5}}}},
		{"a block is finished when its goroutine's turn comes again",
			[]run.Move{{G: 1, Count: 3, Choice: none}, {G: 2, Count: 1, Choice: 2}, {G: 1, Count: 3, Choice: none}},
			trace.Schedule{Segments: []trace.Segment{{G: 1, Until: 3, Await: true}, {G: 2, Until: 1, Await: true}, {G: 1, Until: 3, Await: true}},
				Choices: []trace.Choice{{G: 2, Count: 1, Case: 2}}}},
	} {
		if got := run.Plan(c.moves); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// The order of a run under a strategy, in which goroutines are blocked and woken,
// planned from its trace, gives the same operations in the same order.
func TestPlanRepeatsRuns(t *testing.T) {
	bin := buildPlans(t, "ops")
	for _, entry := range planned {
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			p := program(t, bin, entry)
			var hot []string
			if entry == "TestHot" {
				hot = hotSites(t, p)
			}
			for seed := range uint64(3) {
				strategy := []run.Strategy{run.POS, run.Random}[seed%2]
				how := trace.Schedule{SelectSeed: seed, Hot: hot}
				tr := full(t, p, run.Spec{Strategy: strategy, Seed: seed + 1, Schedule: how})
				want, moves := operations(tr)
				sched := tr.Schedule
				sched.Segments, sched.Choices, sched.SelectSeed = run.Plan(once(moves)).Segments, choices(tr), seed+99
				sched.Delay = int64(time.Hour)
				again := full(t, p, run.Spec{Strategy: run.Replay, Schedule: sched})
				got, _ := operations(again)
				comparePlan(t, want, got)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// choices are what the selects of a run chose.
func choices(tr *trace.Trace) (out []trace.Choice) {
	for _, e := range tr.Events {
		if e.Op == trace.OpSelect && int64(e.Value) >= 0 {
			out = append(out, trace.Choice{G: tr.Goroutine(e.G).Key, Count: e.Count, Case: int(e.Value)})
		}
	}
	return out
}

func hotSites(t *testing.T, p *process.Runner) []string {
	t.Helper()
	r, err := p.Run(context.Background(), run.Spec{Strategy: run.Random, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	var sites []string
	for _, race := range r.Races {
		sites = append(sites, race.FirstSite, race.SecondSite)
	}
	slices.Sort(sites)
	if len(sites) == 0 {
		t.Fatal("no race")
	}
	return slices.Compact(sites)
}
