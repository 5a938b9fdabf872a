package from

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/postmortem"
	"github.com/hocket-dev/hocket/engine/reach"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/words"
)

// Core is what a core dump shows, compared with a passing run.
type Core struct {
	Executable string `json:"executable"`
	Bytes      int64  `json:"bytes"`
	// Index is the execution index of the failure point, outermost first: calls, and
	// predicates as if:12T.
	Index []string `json:"index"`
	// Waits is true of a deadlock: the index is of a goroutine that waits, as none failed.
	Waits bool `json:"waits,omitempty"`
	// Counts: the program counts the rounds of its loops (hocket build -dumpable).
	Counts bool `json:"counts,omitempty"`
	// Open is how many of its predicates are not known, since a line depends on several
	// that are no one condition.
	Open    int      `json:"open,omitempty"`
	Aligned *Aligned `json:"aligned,omitempty"`
	// Compared variables have a reference path in both; Shared ones of them are used by
	// several goroutines.
	Compared  int `json:"compared"`
	Shared    int `json:"shared"`
	Different int `json:"different"`
	// Critical are the shared ones that differ, Others those that one goroutine alone uses.
	Critical   []Variable `json:"critical"`
	Others     []Variable `json:"others,omitempty"`
	Alone      int        `json:"alone"`      // how many differ that one goroutine alone uses
	Candidates int        `json:"candidates"` // preemptions before blocks that use them
	First      int        `json:"first"`      // schedules that were derived: put before and between those of the search
	ParseMS    int64      `json:"parse_ms"`   // of the core, its goroutines and its variables
	CompareMS  int64      `json:"compare_ms"`
	// Note says why something is missing ("" if nothing is).
	Note string `json:"note,omitempty"`
}

// Aligned is the point of a passing run that corresponds to the failure.
type Aligned struct {
	Func  string `json:"func"`
	File  string `json:"file"`
	Line  int    `json:"line"`
	Exact bool   `json:"exact"`
	Nodes int    `json:"nodes"` // of the index that are the same there
	// Rounds is of how many loops around the failure, the outermost first, it is in the
	// round that the core's counters tell. With Round these are all the loops around it.
	Rounds int  `json:"rounds"`
	Round  bool `json:"round"`
	// Near is how many operations there are as near. The last one was taken.
	Near int `json:"near"`
}

// Variable is one that differs. The values are left out if they are to be hidden.
type Variable struct {
	Path    string `json:"path"`
	Core    string `json:"core,omitempty"`
	Passing string `json:"passing,omitempty"`
}

// mostProposed is how many schedules a comparison proposes, mostVariables how many
// variables an answer has.
const (
	mostProposed  = 256
	mostVariables = 64
)

// comparing compares a core with a passing run of the targets that are searched.
type comparing struct {
	sought   *Sought
	redact   bool
	priority string
	flags    target.Flags // of the builds

	mu   sync.Mutex
	done *Core
}

// first is the session's First: the schedules that the comparison proposes.
func (c *comparing) first(ctx context.Context, t target.Target, r run.Runner) []trace.Schedule {
	if c.priority == "none" {
		return nil
	}
	by := postmortem.Priority(c.priority)
	if by == "" {
		by = postmortem.Both
	}
	counting := &counting{env: c.sought.Env, target: t, flags: c.flags}
	defer counting.close()
	failed := postmortem.Failed{Core: c.sought.core, State: c.sought.state, Fails: failsAs(c.sought.Goal), Package: c.isOwn, Counted: counting.runner}
	a, err := postmortem.Analyze(ctx, failed, r, postmortem.Options{Priority: by, Most: mostProposed})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil || c.done.Aligned == nil {
		c.done = c.tell(a)
		switch {
		case err != nil && ctx.Err() != nil:
			c.done.Note = "the time ended before it was compared with a passing run"
		case err != nil:
			c.done.Note = words.OneLine(err.Error())
		case a.Cut:
			c.done.Note = "the passing run was cut off, since it came to no end: what it would have done later is not known"
		case a.Partly:
			c.done.Note = fmt.Sprintf("the core has more variables than the %d that were read: what differs among the others is not told", core.MaxValues)
		}
	}
	return a.Schedules
}

// Propose compares the state's core, if there is one, with a passing run of r, which is of
// a target, and returns the schedules to try first, by a priority of Options.
func (s *Sought) Propose(ctx context.Context, t target.Target, flags target.Flags, r run.Runner, priority string) ([]trace.Schedule, *Core) {
	if s.core == nil {
		return nil, nil
	}
	c := &comparing{sought: s, priority: priority, flags: flags}
	return c.first(ctx, t, r), c.answer()
}

// counting builds the target whose loops count their rounds, if it is asked to.
type counting struct {
	env    *target.Env
	target target.Target
	flags  target.Flags
	driver *build.Driver
}

func (c *counting) runner(ctx context.Context) (_ run.Runner, err error) {
	if c.driver, err = build.New(c.env); err != nil {
		return nil, err
	}
	t, _, err := c.driver.Counted(ctx, c.target, c.flags)
	if err != nil {
		return nil, err
	}
	return c.driver.Runner(ctx, t, c.flags, build.Control)
}

func (c *counting) close() {
	if c.driver != nil {
		c.driver.Close()
	}
}

// isOwn is true of packages whose variables are compared: those outside the standard
// library.
func (c *comparing) isOwn(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return c.sought.own[pkg] || strings.Contains(first, ".")
}

func failsAs(goal *reach.Goal) func(*run.Result) bool {
	return func(r *run.Result) bool { return goal.Match(r).Level >= search.SameFailure }
}

func (c *comparing) tell(a *postmortem.Analysis) *Core {
	roots := c.sought.Env.Roots()
	out := &Core{Executable: c.sought.core.Executable, Bytes: c.sought.core.Size, Index: []string{}, Waits: a.Waits, Counts: a.Counts, Critical: []Variable{},
		Compared: a.Compared, Shared: a.Shared, Different: len(a.Differences), Candidates: a.Candidates, First: len(a.Schedules),
		ParseMS: (c.sought.parsed + a.Reading).Milliseconds(), CompareMS: a.Comparing.Milliseconds()}
	for _, call := range a.Index {
		at := standOf(call.Frame, roots)
		out.Index = append(out.Index, fmt.Sprintf("%s (%s:%d)", at.Func, at.File, at.Line))
		for _, p := range call.Predicates {
			out.Index = append(out.Index, p.String())
		}
		out.Open += call.Open
	}
	if a.Aligned {
		p := a.Point
		out.Aligned = &Aligned{Func: p.At.Func, File: roots.Name(p.At.File), Line: p.At.Line, Exact: p.Exact, Nodes: p.Nodes, Near: p.Same, Rounds: p.Rounds, Round: p.Round}
	}
	for _, d := range a.Differences {
		list := &out.Critical
		if !d.Shared {
			list = &out.Others
			out.Alone++
		}
		if len(*list) == mostVariables {
			continue
		}
		v := Variable{Path: d.Path}
		if !c.redact {
			v.Core, v.Passing = d.Core, d.Passing
		}
		*list = append(*list, v)
	}
	return out
}

// answer is what was found out; nothing was compared if no target was searched.
func (c *comparing) answer() *Core {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = &Core{Executable: c.sought.core.Executable, Bytes: c.sought.core.Size, Index: []string{}, Critical: []Variable{},
			ParseMS: c.sought.parsed.Milliseconds(), Note: "it was not compared with a passing run"}
	}
	return c.done
}
