package recordings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/record/play"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/session"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// mostGuides is how many recorded runs of a target a search starts from: the newest, of
// each order one.
const mostGuides = 20

// Guided is session.Find, where searches that start from passing runs start from the
// recorded ones that there are.
func Guided(ctx context.Context, opt session.Options, tell progress.Func) (*report.Report, error) {
	g := &guides{opt: opt}
	defer g.close()
	opt.Recordings = g.along
	return session.Find(ctx, opt, tell)
}

// guides are the recorded runs of a module, as one find uses them.
type guides struct {
	opt session.Options

	mu   sync.Mutex // one target at a time
	made *build.Driver
}

func (g *guides) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.made != nil {
		g.made.Close()
	}
}

// along makes controlled runs along the recorded ones of a target that passed, each
// different, and says in lines how many, and why others were left out.
func (g *guides) along(ctx context.Context, env *target.Env, t target.Target, runner run.Runner) (runs []*run.Result, said []string) {
	all := passed(env, t, build.Target(env, t, g.opt.Flags).Args)
	if len(all) == 0 {
		return nil, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	p, err := g.program(ctx, env, t)
	if err != nil {
		return nil, []string{count(len(all), "can't be used: "+words.OneLine(err.Error()))}
	}
	defer p.Close()
	foreign, astray := map[string]bool{}, 0
	others, passing, alike, seen := 0, 0, 0, map[uint64]bool{}
	for _, path := range all {
		if len(runs) == mostGuides || ctx.Err() != nil {
			break
		}
		r, err := record.Open(path)
		if err != nil || foreign[r.Program] {
			others++
			continue
		}
		steps, f, err := p.Steps(ctx, r)
		if errors.Is(err, record.ErrOtherProgram) {
			foreign[r.Program] = true
			others++
			continue
		}
		if err != nil || f.Lost != nil {
			astray++
			continue
		}
		res := (&director{run: r, steps: steps}).along(ctx, runner)
		switch {
		case res == nil:
			astray++
		case seen[res.Hash]:
			alike++
		default:
			if !res.Failed() {
				passing++
			}
			seen[res.Hash] = true
			runs = append(runs, res)
		}
	}
	if passing > 0 {
		said = append(said, "the search starts from "+words.Count(passing, "recorded run"))
	}
	if failing := len(runs) - passing; failing > 0 {
		said = append(said, count(failing, "left out: a controlled run failed on the way along"))
	}
	if alike > 0 {
		said = append(said, count(alike, "left out: controlled runs along other ones are the same"))
	}
	if others > 0 {
		said = append(said, count(others, "left out: of another text of the program, or built otherwise"))
	}
	if astray > 0 && ctx.Err() == nil {
		said = append(said, count(astray, "left out: no controlled run could be led along"))
	}
	return runs, said
}

func count(n int, what string) string {
	return fmt.Sprintf("%s %s", words.Count(n, "recorded run"), what)
}

// program is the recording build of a target.
func (g *guides) program(ctx context.Context, env *target.Env, t target.Target) (*play.Program, error) {
	if g.made == nil {
		d, err := build.New(env)
		if err != nil {
			return nil, err
		}
		g.made = d
	}
	bin, err := g.made.Program(ctx, t, g.opt.Flags, build.Record)
	if err != nil {
		return nil, err
	}
	p, err := play.New(bin)
	if err != nil {
		return nil, err
	}
	p.Timeout = hangs
	return p, nil
}

// passed are the files of a target's recorded runs with these arguments that passed, the
// newest of each order, newest first.
func passed(env *target.Env, t target.Target, args []string) (paths []string) {
	type file struct {
		*record.Run
		path string
	}
	var all []file
	for _, dir := range folders(env.Module) {
		runs, _ := record.List(dir)
		for _, r := range runs {
			if r.Outcome == record.Passed && r.Torn == "" && r.Package == t.Package && r.Entry == t.Entry && slices.Equal(r.Args, args) {
				all = append(all, file{r, filepath.Join(dir, r.ID+record.Ending)})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b file) int { return cmp.Compare(b.Started.UnixNano(), a.Started.UnixNano()) })
	seen := map[string]bool{}
	for _, f := range all {
		if key := f.Program + " " + f.Digest; !seen[key] {
			seen[key] = true
			paths = append(paths, f.path)
		}
	}
	return paths
}
