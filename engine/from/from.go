package from

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/dump/today"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/reach"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// Search reads the artefact and searches for its state. An error is for what leaves
// nothing to search for; the answer is nil then.
func Search(ctx context.Context, opt Options, tell progress.Func) (*Answer, error) {
	start := time.Now()
	sought, err := prepare(ctx, &opt)
	if err != nil {
		return nil, err
	}
	if opt.Budget > 0 { // a large core takes its part of it
		opt.Budget = max(opt.Budget-time.Since(start), opt.Budget/10)
	}
	w := &watch{Goal: sought.Goal}
	opt.Options.Aim = w
	opt.Options.Reached = func(r *run.Result) *report.Reached { return reachedBy(sought.Goal, sought.state, r, opt.File) }
	defer sought.Close()
	var compared *comparing
	if sought.core != nil {
		compared = &comparing{sought: sought, redact: opt.Redact, priority: opt.Priority, flags: opt.Flags}
		opt.Options.First = compared.first
	}
	rep, err := session.Find(ctx, opt.Options, tell)
	if err != nil {
		return nil, err
	}
	a := &Answer{Report: *rep, From: sought.from}
	if compared != nil {
		a.From.Core = compared.answer()
	}
	for _, f := range rep.Findings {
		a.From.Reached = a.From.Reached || f.Reached != nil && f.Reached.Whole
	}
	for _, t := range rep.Targets {
		a.From.Always = a.From.Always || t.Status == report.FailsAlways
	}
	if !a.From.Reached && !a.From.Always {
		a.From.Nearest = w.nearest(sought.Env.Roots())
	}
	return a, nil
}

// Sought is a state that is ready to be searched for.
type Sought struct {
	Env     *target.Env
	Goal    *reach.Goal
	Targets []target.Target // of Prepare only
	state   *dump.State     // with the places of today
	from    *From
	core    *core.Core // nil: the artefact is none
	parsed  time.Duration
	own     map[string]bool // packages of the module
}

// Close lets go of the artefact's files.
func (s *Sought) Close() {
	if s.core != nil {
		s.core.Close()
	}
}

// Prepare does all that comes before a search, and looks up the targets. Close what it
// returns.
func Prepare(ctx context.Context, opt *Options) (*Sought, error) {
	s, err := prepare(ctx, opt)
	if err != nil {
		return nil, err
	}
	q, err := opt.Query(s.Env.Module)
	if err == nil {
		s.Targets, _, err = target.Discover(ctx, s.Env, q)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// prepare chooses a state and what is searched for it, which it sets in opt.
func prepare(ctx context.Context, opt *Options) (s *Sought, err error) {
	start := time.Now()
	states, c, err := read(ctx, opt)
	if err != nil {
		return nil, err
	}
	parsed := time.Since(start)
	defer func() {
		if s == nil && c != nil {
			c.Close()
		}
	}()
	n, err := choose(states, opt)
	if err != nil {
		return nil, err
	}
	then := states[n]
	env, err := target.LoadEnv(ctx, opt.Dir)
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(ctx, env, then, opt)
	if err != nil {
		return nil, err
	}
	fitted, notes := entry.fit(then)
	now, moved := today.Carry(fitted, entry.dirs)
	goal := reach.New(now)
	if goal.Empty() {
		return nil, fmt.Errorf("%s: nothing of its %s can be compared with a run: no goroutine of the program's own code waits, and no failure is told", opt.File, then.Kind)
	}
	f := &From{File: opt.File, Kind: string(then.Kind), Message: then.Message, Line: then.Line,
		States: len(states), Nth: n + 1, Entry: entry.why, Goroutines: []Stand{}}
	f.tell(now, goal, moved, env.Roots())
	f.Notes = append(f.Notes, notes...)
	if c != nil && !c.Checked {
		f.Notes = append(f.Notes, fmt.Sprintf("whether %s is the build that made the core is not known: the core has nothing of it to compare", c.Executable))
	}
	opt.Patterns, opt.Run = entry.patterns, entry.run
	own := map[string]bool{"main": true}
	for p := range entry.dirs {
		own[p] = true
	}
	return &Sought{Env: env, Goal: goal, state: now, from: f, core: c, parsed: parsed, own: own}, nil
}

// read reads the states of the artefact: of a core, which stays open, one.
func read(ctx context.Context, opt *Options) ([]*dump.State, *core.Core, error) {
	if opt.Core == "" {
		states, err := dump.Read(bytes.NewReader(opt.Data), opt.File)
		return states, nil, err
	}
	if opt.Budget > 0 { // what is damaged may lead in circles
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opt.Budget, fmt.Errorf("its goroutines were not read within the budget of %v; give it more with -budget", opt.Budget))
		defer cancel()
	}
	c, err := core.Open(ctx, opt.Core, opt.Exe)
	if err != nil {
		return nil, nil, err
	}
	s, err := c.State(ctx)
	if err != nil {
		c.Close()
		return nil, nil, fmt.Errorf("read %s: %w", opt.Core, err)
	}
	return []*dump.State{s}, c, nil
}

// IsLoose reports whether a goroutine with a reason to stand where it does is not
// compared.
func IsLoose(reason string) bool { return reach.IsLoose(reason) }

// choose takes a state: the one asked for, or the first of those that tell most.
func choose(states []*dump.State, opt *Options) (int, error) {
	if opt.Nth > len(states) || opt.Nth < 0 {
		return 0, fmt.Errorf("-nth %d: %s tells of %d states", opt.Nth, opt.File, len(states))
	}
	if opt.Nth > 0 {
		return opt.Nth - 1, nil
	}
	n := slices.IndexFunc(states, func(s *dump.State) bool { return s.Kind != dump.Goroutines && s.Cut == "" })
	return max(n, 0), nil
}

// tell fills in what is looked for.
func (f *From) tell(s *dump.State, goal *reach.Goal, moved today.Carried, roots site.Roots) {
	for i := range s.Goroutines {
		g := &s.Goroutines[i]
		if !g.IsUser() {
			continue
		}
		st := standOf(at(g), roots)
		st.Reason, st.Count, st.Failing, st.Compared = g.Reason, g.Count, g.Failing, goal.IsCompared(g)
		if g.Created.Func != "" {
			st.Created = g.Created.Func
		}
		f.Goroutines = append(f.Goroutines, st)
	}
	slices.SortStableFunc(f.Goroutines, func(a, b Stand) int { return cmp.Compare(b2i(b.Failing), b2i(a.Failing)) })
	if s.Race != nil {
		for _, a := range s.Race.Accesses {
			op := "read"
			if a.Write {
				op = "write"
			}
			st := Stand{}
			if u := dump.User(a.Frames); len(u) > 0 {
				st = standOf(u[0], roots)
			}
			f.Race = append(f.Race, Access{op, st.Func, st.File, st.Line})
		}
	}
	f.Notes = append(f.Notes, moved.Words...)
	if n := goal.Loose(); n > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s that ran, slept or %s in a system call %s not compared: no schedule decides where in its code such a moment finds a goroutine", words.Count(n, "goroutine"), wasOrWere(n), areOrIs(n)))
	}
	if s.Left > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("%s %s left out: only the first kinds are read", words.Count(s.Left, "goroutine"), areOrIs(s.Left)))
	}
	if s.Cut != "" {
		f.Notes = append(f.Notes, s.Cut)
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at is the innermost of the user's calls, or the go statement.
func at(g *dump.Goroutine) dump.Frame {
	if u := dump.User(g.Frames); len(u) > 0 {
		return u[0]
	}
	return g.Created
}

func standOf(f dump.Frame, roots site.Roots) Stand {
	file := roots.Name(f.File)
	if f.File != "" && path.IsAbs(file) {
		file = path.Base(file)
	}
	return Stand{Func: f.Func, File: file, Line: f.Line}
}
