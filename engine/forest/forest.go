package forest

import (
	"context"
	"fmt"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Forest holds what the runs of one program showed. Not safe for concurrent
// use.
type Forest struct {
	table    *table
	threads  []thread
	byPath   map[string]int32
	timers   []timer // [0] is none
	timerIDs map[string]int32
	regrow   bool // a timer started a thread that no run before showed
	runs     []*observed
	added    int
	nodes    int // nodes made since the last time the trees were made anew
	doubts   []string
	doubted  map[string]bool
	last     *builder // of the system made last
	raced    bool     // the detector saw a race
}

// thread is one goroutine over all runs.
type thread struct {
	path string
	key  uint64
	root *node
}

// New makes a forest without runs.
func New() *Forest {
	return &Forest{table: newTable(), byPath: map[string]int32{}, timers: make([]timer, 1), timerIDs: map[string]int32{}, doubted: map[string]bool{}}
}

// Add takes in a run and says how many events it showed that no run before
// did. Runs must be of one binary with equal input and equal hot places. The
// trace is not kept.
func (f *Forest) Add(t *trace.Trace) (fresh int, err error) {
	if len(t.Goroutines) < 2 {
		return 0, fmt.Errorf("the run has no goroutine")
	}
	r := f.read(t)
	f.raced = f.raced || len(t.Races) > 0
	f.added++
	f.runs = append(f.runs, r)
	before := f.nodes
	stale := f.table.arrange() || f.regrow
	f.regrow = false
	if stale && len(f.runs) > 1 || !f.merge(r) {
		was := f.nodes
		f.rebuild()
		return max(f.nodes-was, 0), nil
	}
	return f.nodes - before, nil
}

// rebuild makes the trees anew, after a thing turned out to be shared or not
// to be exact, or a timer to start a thread. Each round marks at least one thing more as not exact.
func (f *Forest) rebuild() {
	for {
		f.table.arrange()
		for i := range f.threads {
			f.threads[i].root = newRoot(int32(i))
		}
		f.nodes = 0
		ok := true
		for _, r := range f.runs {
			ok = f.merge(r) && ok
		}
		if ok {
			return
		}
	}
}

// SetRaced notes that a race is known from runs that were not added: no goals about
// races are made any more.
func (f *Forest) SetRaced() { f.raced = true }

// Runs is how many runs were added.
func (f *Forest) Runs() int { return f.added }

// Threads is how many goroutines the runs had between them.
func (f *Forest) Threads() int { return len(f.threads) }

// Incomplete lists why the runs may not be all that the program can do, a clause
// each; empty if no reason is known.
func (f *Forest) Incomplete() []string {
	out := slices.Clone(f.doubts)
	for i := range f.table.things { // a later run may tell it
		if th := &f.table.things[i]; th.kind == constraint.Channel && th.cap < 0 && !th.absent && len(th.locs) > 0 {
			out = append(out, "the capacity of a channel is not recorded: "+th.name)
		}
	}
	return out
}

func (f *Forest) doubt(why string) {
	if !f.doubted[why] {
		f.doubted[why] = true
		f.doubts = append(f.doubts, why)
	}
}

// thread finds a goroutine by its schedule-independent name.
func (f *Forest) thread(path string, key uint64) int32 {
	if id, ok := f.byPath[path]; ok {
		return id
	}
	id := int32(len(f.threads))
	f.byPath[path] = id
	f.threads = append(f.threads, thread{path: path, key: key, root: newRoot(id)})
	return id
}

// name is a location's name for people.
func (f *Forest) name(loc int32) string { return f.table.things[f.table.locs[loc].thing].name }

func (f *Forest) kind(loc int32) constraint.Kind {
	return f.table.things[f.table.locs[loc].thing].kind
}

// where is a node's place for people: its goroutine and how far it got.
func (f *Forest) where(n *node) string {
	if n.parent == nil {
		return "its start"
	}
	what := fmt.Sprint(n.op)
	if n.loc != 0 {
		what += " of " + f.name(n.loc)
	}
	return fmt.Sprintf("its operation %d (%s)", n.depth, what)
}

// TraceLimit is how many events a trace may have for FromTrace.
const TraceLimit = 200_000

// FromTrace makes the chain of one run: its events as they were, without a
// frontier, to ask what else could have come of them in another order. A trace
// beyond TraceLimit is refused: no solver would answer in time. No product code uses
// it yet: recorded runs will.
func FromTrace(t *trace.Trace) (*constraint.System, error) {
	if n := len(t.Events); n > TraceLimit {
		return nil, fmt.Errorf("the run has %d events; at most %d fit into one system", n, TraceLimit)
	}
	f := New()
	if _, err := f.Add(t); err != nil {
		return nil, err
	}
	b := f.known(context.Background())
	b.order()
	return b.sys, nil
}
