package postmortem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// standing reads the passing run where it stands still.
type standing struct {
	f Failed
	r run.Runner
	t *trace.Trace // of the run

	seen map[int]map[string]string // what variables had at an operation, by path
}

// mostGoroutines are looked at to choose among those that come as near.
const mostGoroutines = 6

func roots(f Failed, goroutine int64) core.Roots {
	return core.Roots{Package: f.Package, Goroutine: goroutine, User: isUser}
}

func isUser(file, fn string) bool { return !isStd(dump.Frame{Func: fn, File: file, Line: 1}) }

// values are the variables when an operation is about to happen: those of packages, and
// what they and the calls of its goroutine lead to.
func (s *standing) values(ctx context.Context, event int, packages func(string) bool) (out []core.Value, err error) {
	p, ok := s.r.(run.Pauser)
	if !ok {
		return nil, errors.New("runs of this program can't stand still")
	}
	e := s.t.Events[event]
	spec := run.Spec{Strategy: run.Replay, Schedule: s.t.Schedule, Record: run.Full}
	err = p.Pause(ctx, spec, s.t.Goroutine(e.G).Key, max(e.Count, 1)-1, func(ctx context.Context, pid int) error {
		prog, err := core.Attach(ctx, pid)
		if err != nil {
			return err
		}
		defer prog.Close()
		out, _, err = prog.Values(ctx, core.Roots{Package: packages, Goroutine: prog.Current(), User: isUser})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the state of the passing run: %w", err)
	}
	return out, nil
}

// choose takes the operation of a goroutine that comes nearest to the end of an index,
// the last one of several. The goroutine is that whose variables are most like those of
// the core.
func (s *standing) choose(ctx context.Context, x Index, near alignment, before []core.Value) (Point, error) {
	then := textsOf(before)
	g, err := s.goroutine(ctx, near, then)
	if err != nil {
		return Point{}, err
	}
	in, loops, err := s.inRounds(ctx, x, g, then)
	if err != nil {
		return Point{}, err
	}
	if in != nil {
		near = nearest(s.t, x, in)
	}
	events := near.events[g]
	p := near.point(s.t, events[len(events)-1])
	p.Rounds, p.Round = loops, in != nil && loops == len(loopsOf(x, near.score))
	return p, nil
}

func none(string) bool { return false }

// inRounds are the operations of a goroutine in the rounds that the core's counters tell
// of the loops around the failure, the outermost first, and of how many of these: up to
// the first that the core does not show, or in whose round the goroutine did nothing.
// The rounds are parts of the index: what is nearest there is nearest of all (the paper's
// rules 5 to 7), whatever other rounds come to.
func (s *standing) inRounds(ctx context.Context, x Index, g trace.GID, then map[string]string) (in []int, loops int, err error) {
	block := uint32(0)
	for i, e := range s.t.Events {
		if e.G == g && e.Count > block { // a switch point: the run can stand still there
			in, block = append(in, i), e.Count
		}
	}
	all := loopsOf(x, nearness{calls: len(x)})
	for _, l := range all {
		counter, ok := counterOf(x[l.call].Func, x[l.call].Predicates[l.predicate], then)
		if !ok {
			break
		}
		within := slices.DeleteFunc(slices.Clone(in), func(i int) bool {
			return !l.around(visible(s.t.UserFrames(s.t.Events[i].Stack)), x)
		})
		from, err := s.first(ctx, within, counter.path, counter.value)
		if err != nil {
			return nil, 0, err
		}
		to, err := s.first(ctx, within, counter.path, counter.value+1)
		if err != nil {
			return nil, 0, err
		}
		if from >= to {
			break
		}
		in = within[from:to]
		loops++
	}
	if loops == 0 {
		return nil, 0, nil
	}
	return in, loops, nil
}

// first is the number of operations before the first one at which a counter has at least
// a value. It counts up with the operations.
func (s *standing) first(ctx context.Context, events []int, path string, value int64) (int, error) {
	low, high := 0, len(events)
	for low < high {
		mid := (low + high) / 2
		n, ok, err := s.counted(ctx, events[mid], path)
		switch {
		case err != nil:
			return 0, err
		case !ok:
			return len(events), nil // it is not shown here: nothing can be told
		case n < value:
			low = mid + 1
		default:
			high = mid
		}
	}
	return low, nil
}

// counted is what a counter has at an operation; not ok if it is not shown there.
func (s *standing) counted(ctx context.Context, event int, path string) (n int64, ok bool, err error) {
	texts, known := s.seen[event]
	if !known {
		now, err := s.values(ctx, event, none)
		if err != nil {
			return 0, false, err
		}
		texts = textsOf(now)
		s.seen[event] = texts
	}
	n, err = strconv.ParseInt(texts[path], 10, 64)
	return n, err == nil, nil
}

// goroutine is the one whose variables have most values in common with the core.
func (s *standing) goroutine(ctx context.Context, near alignment, then map[string]string) (best trace.GID, err error) {
	var all []trace.GID
	for g := range near.events {
		all = append(all, g)
	}
	slices.Sort(all)
	if best = all[0]; len(all) == 1 {
		return best, nil
	}
	most := -1
	for _, g := range all[:min(len(all), mostGoroutines)] {
		events := near.events[g]
		now, err := s.values(ctx, events[len(events)-1], none)
		if err != nil {
			return 0, err
		}
		same := 0
		for _, v := range now {
			if text, ok := then[v.Path]; ok && text == v.Text {
				same++
			}
		}
		if same > most {
			best, most = g, same
		}
	}
	return best, nil
}

// count is a loop's counter in the core.
type count struct {
	path  string
	value int64
}

// counterOf is the counter of a loop that the core shows: what a counting build has put
// there, else a variable of the program.
func counterOf(fn string, p Predicate, then map[string]string) (count, bool) {
	for _, name := range []string{p.Rounds, p.Counter} {
		path := shortFunc(fn) + ": " + name
		if n, err := strconv.ParseInt(then[path], 10, 64); name != "" && err == nil {
			return count{path, n}, true
		}
	}
	return count{}, false
}

// shortFunc is a function without the folders of its package, as paths have it.
func shortFunc(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

func textsOf(values []core.Value) map[string]string {
	out := make(map[string]string, len(values))
	for _, v := range values {
		out[v.Path] = v.Text
	}
	return out
}
