package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/native"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/stored"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// TwinOptions names a finding and a folder with a changed copy of its module.
type TwinOptions struct {
	Dir  string // of the finding's module
	ID   string
	Twin string // root of the copy
	Runs int
}

// Twin is what the order of a finding did to the copy.
type Twin struct {
	Count            report.Count
	Played           int // runs in which the whole order was possible
	Stuck, TimedOut  int // runs in which the order was given up
	Other            int // runs that failed in another way
	Places, Unplaced int // points of the order, and those without a place in the copy
	Took             time.Duration
}

// PlayOnTwin applies the order that shows the finding on the ordinary build to
// a copy of the module with a fix: lines are matched by their text. With a fix
// that holds, no run fails.
func PlayOnTwin(ctx context.Context, opt TwinOptions) (*Twin, error) {
	a, err := stored.Open(ctx, opt.Dir, opt.ID)
	if err != nil {
		return nil, err
	}
	env, err := target.LoadEnv(ctx, opt.Twin)
	if err != nil {
		return nil, err
	}
	fail, err := stored.LoadTrace(a.Store, a.Record, stored.Failing, a.Env.Roots())
	if err != nil {
		return nil, err
	}
	moved, err := moveTrace(fail, a.Env.Module, env.Module)
	if err != nil {
		return nil, err
	}
	own := stored.Opened{Env: env, Record: a.Record}
	if err := own.Locate(ctx); err != nil {
		return nil, err
	}
	start := time.Now()
	rep, err := native.Confirm(ctx, native.Request{Target: build.Target(env, own.Target, a.Record.Flags), Trace: moved, Runs: opt.Runs})
	if err != nil {
		return nil, fmt.Errorf("play %s on %s: %w", a.Record.Finding.ID, filepath.Base(opt.Twin), err)
	}
	return &Twin{Count: report.Count{Runs: rep.Runs, Failed: rep.Failed}, Played: rep.Played, Stuck: rep.Stuck, TimedOut: rep.TimedOut,
		Other: rep.Other, Places: len(rep.Plan.Places), Unplaced: len(rep.Skipped), Took: time.Since(start)}, nil
}

// moveTrace is the trace as the sources below another root would have it.
func moveTrace(t *trace.Trace, from, to string) (*trace.Trace, error) {
	c := *t
	c.Stacks = make([][]trace.Frame, len(t.Stacks))
	files := map[string][]int{}
	for i, stack := range t.Stacks {
		c.Stacks[i] = slices.Clone(stack)
		for j := range stack {
			f := &c.Stacks[i][j]
			rel, ok := strings.CutPrefix(f.File, from+string(filepath.Separator))
			if !ok {
				continue
			}
			lines, seen := files[rel]
			if !seen {
				var err error
				if lines, err = matchFiles(f.File, filepath.Join(to, rel)); err != nil {
					return nil, err
				}
				files[rel] = lines
			}
			f.File = filepath.Join(to, rel)
			if f.Line < len(lines) {
				f.Line = lines[f.Line]
			}
		}
	}
	return &c, nil
}

func matchFiles(a, b string) ([]int, error) {
	one, err := os.ReadFile(a)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // made by the go command for the build, as _testmain.go
	}
	if err != nil {
		return nil, err
	}
	two, err := os.ReadFile(b)
	if err != nil {
		return nil, err
	}
	return matchLines(strings.Split(string(one), "\n"), strings.Split(string(two), "\n")), nil
}

// matchLines gives for each line of a, counted from 1, the line of b that
// takes its place: the one with the same text in a longest common subsequence;
// for a changed line, the one as far after the last match.
func matchLines(a, b []string) []int {
	common := commonLines(a, b)
	lines := make([]int, len(a)+1)
	i, j, last := 0, 0, 0
	for i < len(a) {
		switch {
		case j < len(b) && a[i] == b[j]:
			lines[i+1] = j + 1
			i, j = i+1, j+1
			last = j
		case j < len(b) && common[i][j+1] >= common[i+1][j] && common[i][j+1] > 0:
			j++ // inserted in b
		default:
			last++
			lines[i+1] = min(last, len(b))
			i++ // removed from a
		}
	}
	return lines
}

// commonLines is how many lines a[i:] and b[j:] have in common, in order.
func commonLines(a, b []string) [][]int {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
