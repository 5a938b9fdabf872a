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
}

// Bounds of what is read to choose among operations that are as near.
const (
	mostGoroutines = 6
	mostHalvings   = 12
)

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

// choose takes one of the operations that are as near: of the goroutine whose variables
// are most like those of the core, in the round of the loops around it that the core's
// counters tell; if they don't, the last one.
func (s *standing) choose(ctx context.Context, x Index, near alignment, before []core.Value) (Point, error) {
	then := textsOf(before)
	g, err := s.goroutine(ctx, near, then)
	if err != nil {
		return Point{}, err
	}
	events := near.events[g]
	p := near.point(s.t, events[len(events)-1])
	counters := countersOf(x, near.score.calls, then)
	if len(counters) == 0 {
		return p, nil
	}
	at, err := s.inRound(ctx, counters, events)
	if err != nil || at < 0 {
		return p, err
	}
	p = near.point(s.t, events[at])
	p.Round = true
	return p, nil
}

func none(string) bool { return false }

// inRound is the last operation in the round that counters tell; -1 if there is none, or
// the run does not show one of them.
func (s *standing) inRound(ctx context.Context, counters []count, events []int) (int, error) {
	low, high := 0, len(events)
	found := -1
	for range mostHalvings {
		if low >= high {
			break
		}
		mid := (low + high) / 2
		order, ok, err := s.round(ctx, counters, events[mid])
		switch {
		case err != nil || !ok:
			return -1, err
		case order < 0:
			low = mid + 1
		case order > 0:
			high = mid
		default: // a later one may be in the same round
			found, low = mid, mid+1
		}
	}
	return found, nil
}

// round says where an operation is beside the round that counters tell, as
// compareCounters does.
func (s *standing) round(ctx context.Context, counters []count, event int) (int, bool, error) {
	now, err := s.values(ctx, event, none)
	if err != nil {
		return 0, false, err
	}
	order, ok := compareCounters(counters, textsOf(now))
	return order, ok, nil
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

// countersOf are the counters of loops around the failure that the core shows, outermost
// first, up to the first that it does not show.
func countersOf(x Index, calls int, then map[string]string) (out []count) {
	for _, c := range x[:min(calls+1, len(x))] {
		for _, p := range c.Predicates {
			if p.Kind != "for" {
				continue
			}
			one, ok := counterOf(c.Func, p.Rounds, then)
			if !ok {
				if one, ok = counterOf(c.Func, p.Counter, then); !ok {
					return out
				}
			}
			out = append(out, one)
		}
	}
	return out
}

func counterOf(fn, name string, then map[string]string) (count, bool) {
	path := shortFunc(fn) + ": " + name
	n, err := strconv.ParseInt(then[path], 10, 64)
	return count{path, n}, name != "" && err == nil
}

// compareCounters says whether a run is before (-1), in or after (1) the round that
// counters tell; false if it does not show one of them.
func compareCounters(counters []count, now map[string]string) (int, bool) {
	for _, c := range counters {
		n, err := strconv.ParseInt(now[c.path], 10, 64)
		switch {
		case err != nil:
			return 0, false
		case n < c.value:
			return -1, true
		case n > c.value:
			return 1, true
		}
	}
	return 0, true
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
