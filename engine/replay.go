package engine

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
)

// ReplayOptions says which finding to run again, how often and on which build.
type ReplayOptions struct {
	Dir    string // "" is the current folder
	ID     string // or the start of one
	Runs   int    // 0 = 1
	Level  string // "" = controlled
	Output io.Writer
}

// Replayed is how often the failure was seen again.
type Replayed struct {
	ID      string
	Level   string
	Message string
	Count   report.Count
	Note    string
	// Outdated is one line about what changed since the finding was made, "" if
	// nothing did.
	Outdated string
}

// Replay runs the program of a finding under its schedule. The program's own
// output of the last run goes to opt.Output.
func Replay(ctx context.Context, opt ReplayOptions, progress Progress) (*Replayed, error) {
	if opt.Runs == 0 {
		opt.Runs = 1
	}
	if opt.Runs < 0 {
		return nil, fmt.Errorf("-n %d: must be positive", opt.Runs)
	}
	if err := choose("-level", &opt.Level, "controlled", levels); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	a, err := openAgain(ctx, opt.Dir, opt.ID)
	if err != nil {
		return nil, err
	}
	if a.outdated != "" {
		progress(Update{Message: a.outdated, Left: -1})
	}
	st, err := NewStages(a.env)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	progress(Update{Phase: Building, Target: a.record.Package + " " + a.record.Entry, Left: -1})
	if err := a.locate(ctx); err != nil {
		return nil, err
	}
	return a.replayAndKeep(opt, progress, func() (*Replayed, error) { return a.replay(ctx, st, opt, progress) })
}

// again is a stored finding with the sources it belongs to.
type again struct {
	env      *target.Env
	store    *store.Store
	record   *store.Record
	target   target.Target
	overlay  *overlay.Files // of what locate looks at; nil: the files on disk
	outdated string         // one line, "" if nothing changed
}

func openAgain(ctx context.Context, dir, id string) (*again, error) {
	env, err := target.LoadEnv(ctx, here(dir))
	if err != nil {
		return nil, err
	}
	a := &again{env: env, store: store.OpenRead(env.Module)}
	if a.record, err = a.store.Get(id); err != nil {
		return nil, err
	}
	if why := a.record.Outdated(env.Roots(), env.GoVersion); why != "" {
		a.outdated = fmt.Sprintf("finding %s is outdated: %s", a.record.Finding.ID, why)
	}
	return a, nil
}

// locate finds the target of the finding in today's sources.
func (a *again) locate(ctx context.Context) error {
	r := a.record
	q := target.Query{Patterns: []string{r.Package}, Flags: r.Flags, Args: r.Args, Overlay: a.overlay}
	if !r.Main {
		q.Run = r.TestRun
	}
	targets, _, err := target.Discover(ctx, a.env, q)
	if err != nil {
		return fmt.Errorf("finding %s: %w", r.Finding.ID, err)
	}
	for _, t := range targets {
		if t.Main == r.Main {
			t.Entry, t.TestRun = r.Entry, r.TestRun
			a.target = t
			return nil
		}
	}
	return fmt.Errorf("finding %s: %s has no %s any more; run hocket find again", r.Finding.ID, r.Package, r.Entry)
}

// replay runs the target that locate found.
func (a *again) replay(ctx context.Context, st Stages, opt ReplayOptions, progress Progress) (*Replayed, error) {
	res := &Replayed{ID: a.record.Finding.ID, Level: opt.Level, Message: a.record.Finding.Headline(), Outdated: a.outdated}
	if opt.Level == "controlled" {
		return res, a.controlled(ctx, st, opt, res, progress)
	}
	fail, err := loadTrace(a.store, a.record, failing, a.env.Roots())
	if err != nil {
		return nil, err
	}
	e := Evidence{Target: a.target, Flags: a.record.Flags, Fail: fail,
		Schedule: portable(a.record.Schedule, a.env.Roots().Abs),
		Same:     func(r *run.Result) bool { return run.ShowsAgain(r, a.record.Signature) },
		Message:  a.record.Finding.Message}
	try := st.Native
	if opt.Level == "pinned" {
		try = st.Pinned
	}
	t, err := try(ctx, e, opt.Runs)
	if err != nil {
		return nil, fmt.Errorf("replay %s at level %s: %w", res.ID, opt.Level, err)
	}
	res.Count, res.Note = t.Count, t.Note
	show(opt.Output, t.Output)
	return res, nil
}

// controlled replays one run after another until ctx ends.
func (a *again) controlled(ctx context.Context, st Stages, opt ReplayOptions, res *Replayed, progress Progress) error {
	runner, err := st.Build(ctx, a.target, a.record.Flags)
	if err != nil {
		return fmt.Errorf("build %s: %w", a.record.Package, err)
	}
	spec := run.Spec{Strategy: run.Replay, Schedule: portable(a.record.Schedule, a.env.Roots().Abs)}
	for i := range opt.Runs {
		progress(Update{Phase: Replaying, Target: a.record.Package + " " + a.record.Entry,
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
		if run.ShowsAgain(r, a.record.Signature) {
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

// List returns the findings of the module around dir, newest first, and an
// error for each file that can't be read.
func List(ctx context.Context, dir string) ([]*Finding, []error, error) {
	env, err := target.LoadEnv(ctx, here(dir))
	if err != nil {
		return nil, nil, err
	}
	records, bad := store.OpenRead(env.Module).List()
	var out []*Finding
	for _, r := range records {
		out = append(out, r.Finding)
	}
	return out, bad, nil
}
