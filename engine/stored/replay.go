package stored

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hocket-dev/hocket/engine/ladder"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/choice"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// levels are the builds on which a finding can be replayed.
var levels = map[string]bool{"controlled": true, "native": true, "pinned": true}

// ReplayOptions says which finding to run again, how often and on which build.
type ReplayOptions struct {
	Dir    string // "" is the current folder
	ID     string // or the start of one
	Runs   int    // 0 = 1
	Level  string // "" = controlled
	Output io.Writer
}

// Replayed says how often the failure was seen again.
type Replayed struct {
	ID      string
	Level   string
	Message string
	Count   report.Count
	Note    string
	Outcome Outcome // Fails, Passes or Outdated; "" without a run
	// Outdated is one line about what changed since the finding was made, "" if
	// nothing did.
	Outdated string
}

// Replay runs the program of a finding under its schedule. The program's own
// output of the last run goes to opt.Output.
func Replay(ctx context.Context, opt ReplayOptions, tell progress.Func) (*Replayed, error) {
	if opt.Runs == 0 {
		opt.Runs = 1
	}
	if opt.Runs < 0 {
		return nil, fmt.Errorf("-n %d: must be positive", opt.Runs)
	}
	if err := choice.Check("-level", &opt.Level, "controlled", levels); err != nil {
		return nil, err
	}
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	a, err := Open(ctx, opt.Dir, opt.ID)
	if err != nil {
		return nil, err
	}
	st, err := ladder.NewStages(a.Env)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	tell(progress.Update{Phase: progress.Building, Target: a.Record.Package + " " + a.Record.Entry, Left: -1})
	if err := a.Locate(ctx); err != nil {
		return nil, err
	}
	if a.outdated != "" && !a.Fixed() {
		tell(progress.Update{Message: a.outdated, Left: -1})
	}
	return a.replayAndKeep(opt, tell, func() (*Replayed, error) { return a.replay(ctx, st, opt, tell) })
}

// Opened is a stored finding with the sources that it belongs to.
type Opened struct {
	Env      *target.Env
	Store    *store.Store
	Record   *store.Record
	Target   target.Target
	overlay  *overlay.Files // texts that Locate uses; nil: the files on disk
	outdated string         // one line, "" if nothing changed
}

// Open opens a stored finding of the module around dir by its id, or the start of
// it, and says whether its sources or the version of Go have changed since.
func Open(ctx context.Context, dir, id string) (*Opened, error) {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	a := &Opened{Env: env, Store: store.OpenRead(env.Module)}
	if a.Record, err = a.Store.Get(id); err != nil {
		return nil, err
	}
	if why := a.Record.Outdated(env.Roots(), env.GoVersion); why != "" {
		a.outdated = fmt.Sprintf("finding %s is outdated: %s", a.Record.Finding.ID, why)
	}
	return a, nil
}

// Locate finds the target of the finding in the current sources.
func (a *Opened) Locate(ctx context.Context) error {
	r := a.Record
	q := target.Query{Patterns: []string{r.Package}, Flags: r.Flags, Args: r.Args, Overlay: a.overlay}
	if !r.Main {
		q.Run = r.TestRun
	}
	targets, _, err := target.Discover(ctx, a.Env, q)
	if err != nil {
		return fmt.Errorf("finding %s: %w", r.Finding.ID, err)
	}
	for _, t := range targets {
		if t.Main == r.Main {
			t.Entry, t.TestRun = r.Entry, r.TestRun
			a.Target = t
			return nil
		}
	}
	return fmt.Errorf("finding %s: %s has no %s any more; run hocket find again", r.Finding.ID, r.Package, r.Entry)
}

// replay runs the target that locate found.
func (a *Opened) replay(ctx context.Context, st ladder.Stages, opt ReplayOptions, tell progress.Func) (*Replayed, error) {
	res := &Replayed{ID: a.Record.Finding.ID, Level: opt.Level, Message: a.Record.Finding.Headline(), Outdated: a.outdated}
	if opt.Level == "controlled" {
		return res, a.controlled(ctx, st, opt, res, tell)
	}
	fail, err := LoadTrace(a.Store, a.Record, Failing, a.Env.Roots())
	if err != nil {
		return nil, err
	}
	e := ladder.Evidence{Target: a.Target, Flags: a.Record.Flags, Fail: fail,
		Schedule: a.Record.Schedule,
		Same:     func(r *run.Result) bool { return run.FailsAs(r, a.Record.Signature) },
		Message:  a.Record.Finding.Message, Plain: a.Record.Finding.NeedsNoOrder}
	try := st.Native
	if opt.Level == "pinned" {
		try = st.Pinned
	}
	t, err := try(ctx, e, opt.Runs)
	if t == nil || t.Count.Runs == 0 && err != nil {
		return nil, fmt.Errorf("replay %s at level %s: %w", res.ID, opt.Level, err)
	}
	if t.Count.Runs == 0 {
		return nil, fmt.Errorf("replay %s at level %s: %s", res.ID, opt.Level, t.Note)
	}
	res.Count, res.Note = t.Count, noteOf(t, opt.Runs, err, ctx.Err() != nil, a.Record.Schedule.Memory)
	show(opt.Output, t.Output)
	return res, nil
}

// noteOf is what is to be said of runs of another build than the controlled one: why they
// ended early, and that no store waited in them, whatever their schedule asks for.
func noteOf(t *ladder.Trial, planned int, err error, cut bool, memory trace.Memory) string {
	note := t.Note
	switch {
	case err != nil && cut:
		note = "interrupted"
	case err != nil:
		note = fmt.Sprintf("ended after %d of %d runs: %s", t.Count.Runs, planned, words.OneLine(err.Error()))
	}
	if memory != trace.SC {
		note = strings.TrimPrefix(note+"; no store waits at this level", "; ")
	}
	return note
}

// controlled makes the replays one after another until ctx ends.
func (a *Opened) controlled(ctx context.Context, st ladder.Stages, opt ReplayOptions, res *Replayed, tell progress.Func) error {
	runner, err := st.Build(ctx, a.Target, a.Record.Flags)
	if err != nil {
		return fmt.Errorf("build %s: %w", a.Record.Package, err)
	}
	spec := run.Spec{Strategy: run.Replay, Schedule: a.Record.Schedule}
	for i := range opt.Runs {
		tell(progress.Update{Phase: progress.Replaying, Target: a.Record.Package + " " + a.Record.Entry,
			Targets: 1, Schedules: i, Planned: opt.Runs, Left: -1})
		r, err := runner.Run(ctx, spec)
		if err != nil {
			if ctx.Err() != nil && res.Count.Runs > 0 {
				res.Note = "interrupted"
				return nil
			}
			return err
		}
		res.Count.Runs++
		if run.FailsAs(r, a.Record.Signature) {
			res.Count.Failed++
		} else {
			res.Note = strings.TrimSpace(fmt.Sprintf("another outcome was seen: %s %s", r.Outcome.Kind, r.Outcome.Message))
		}
		if res.Count.Runs == opt.Runs {
			show(opt.Output, r.Outcome.Output)
		}
	}
	return nil
}

func show(w io.Writer, output string) {
	if w == nil || output == "" {
		return
	}
	io.WriteString(w, output)
	if output[len(output)-1] != '\n' {
		io.WriteString(w, "\n")
	}
}

// Use makes Locate take texts in place of those on disk.
func (a *Opened) Use(o *overlay.Files) { a.overlay = o }
