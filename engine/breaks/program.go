package breaks

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/breaks/inject"
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// program is a program built with the module's concurrent breakpoints.
type program struct {
	*inject.Program
	env    *target.Env
	pkg    string
	entry  string   // "main", the value of -run, "" for all tests
	args   []string // to start it with
	given  []inject.Breakpoint
	lost   map[string]string // breakpoints that are not in the program, and why
	chosen []*Break
	notes  []string
}

// choose returns the breakpoints that the options select: those that pause
// where their sides meet, and those that play a schedule.
func choose(ctx context.Context, root string, opt RunOptions) (meet, schedules []*Break, err error) {
	texts, err := overlay.Texts(opt.Overlay)
	if err != nil {
		return nil, nil, err
	}
	list, err := List(ctx, root, texts)
	if err != nil {
		return nil, nil, err
	}
	var known []string
	var used []*Break
	for _, b := range list.Breaks {
		known = append(known, b.ID)
		switch {
		case len(opt.IDs) > 0 && !slices.Contains(opt.IDs, b.ID), len(opt.IDs) == 0 && b.Off:
		case b.Kind == breakfile.Scheduled:
			schedules, used = append(schedules, b), append(used, b)
		default:
			meet, used = append(meet, b), append(used, b)
		}
	}
	for _, id := range opt.IDs {
		if !slices.Contains(known, id) {
			return nil, nil, fmt.Errorf("there is no breakpoint %s; hocket break list shows the breakpoints", id)
		}
	}
	switch {
	case len(known) == 0:
		return nil, nil, errors.New("no breakpoint is set; set one with: hocket break add FILE.go:LINE FILE.go:LINE")
	case len(meet)+len(schedules) == 0:
		return nil, nil, fmt.Errorf("all breakpoints (%s) are off; turn one on with hocket break edit, or name it with -id", some(known))
	}
	for _, b := range used {
		if err := checkRunnable(root, b); err != nil {
			return nil, nil, err
		}
	}
	return meet, schedules, nil
}

func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// newProgram builds the one package that the options name with breakpoints,
// with more build flags, and without them too if plain. Close what it returns.
func newProgram(ctx context.Context, env *target.Env, meet []*Break, opt RunOptions, flags []string, plain bool) (*program, error) {
	q, err := opt.query(env.Module)
	if err != nil {
		return nil, err
	}
	p := &program{env: env, chosen: meet, lost: map[string]string{}, entry: opt.Run}
	t, err := p.target(ctx, q, opt)
	if err != nil {
		return nil, err
	}
	t.Flags = append(t.Flags, flags...)
	if err := p.find(meet); err != nil {
		return nil, err
	}
	dir, err := breakBuilds()
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %v", env.Module, env.GoVersion, t.ImportPath, t.Flags, t.Test))
	dir = filepath.Join(dir, hex.EncodeToString(key[:8]))
	p.Program, err = inject.Build(ctx, t, p.given, dir, plain)
	if errors.Is(err, inject.ErrNothing) {
		var ids, why []string
		for _, n := range p.Breakpoints {
			p.lost[n.ID] = n.Lost
			if n.Outside != "" {
				ids, why = append(ids, n.ID), join(why, []string{n.Outside})
			}
		}
		if len(ids) == len(p.lost) {
			return nil, fmt.Errorf("%s is built without the breakpoints %s (%s); run a package that they are in", p.pkg, some(ids), strings.Join(why, "; "))
		}
		return nil, p.nothing()
	}
	if err != nil {
		var be *inject.BuildError
		if errors.As(err, &be) {
			return nil, fmt.Errorf("%s %w", p.pkg, err)
		}
		return nil, err
	}
	for _, n := range p.Breakpoints {
		if n.Lost != "" {
			p.lost[n.ID] = n.Lost
		}
	}
	return p, nil
}

// find returns the breakpoints to build: those whose statements were found.
func (p *program) find(meet []*Break) error {
	for _, b := range meet {
		bp, why := located(b)
		if why != "" {
			p.lost[b.ID] = why
			continue
		}
		p.given = append(p.given, bp)
	}
	if len(p.given) == 0 {
		return p.nothing()
	}
	return nil
}

// nothing returns an error that says why no breakpoint is left.
func (p *program) nothing() error {
	var why []string
	for _, id := range slices.Sorted(maps.Keys(p.lost)) {
		why = append(why, id+": "+p.lost[id])
	}
	return fmt.Errorf("no breakpoint can be set: %s", words.OneLine(strings.Join(why, "; ")))
}

// located returns a breakpoint in the form for a build, or the reason why it
// can't be built.
func located(b *Break) (inject.Breakpoint, string) {
	out := inject.Breakpoint{ID: b.ID, If: b.If, Order: b.Order, OneWay: b.Kind == breakfile.Order, IgnoreFirst: b.IgnoreFirst, AtMost: b.AtMost}
	for i, s := range b.Sides {
		if s.Lost != "" {
			return out, fmt.Sprintf("side %d (%s:%d) can't be found: %s", i+1, s.Place.File, s.Place.Line, s.Lost)
		}
		out.Sides = append(out.Sides, inject.Side{File: s.Path, Name: s.place(), Line: s.Location.Line, Col: s.Location.Column, Func: s.Location.Func})
		limit := b.Timeout
		if s.Place.Timeout != "" {
			limit = s.Place.Timeout
		}
		d, err := time.ParseDuration(cmp.Or(limit, "0"))
		if err != nil {
			return out, fmt.Sprintf("its timeout %q is an invalid duration", limit)
		}
		if limit != "" && d == 0 {
			d = -1 // no pause at all
		}
		out.Timeouts = append(out.Timeouts, d)
	}
	return out, ""
}

// breakBuilds returns the folder in which programs with breakpoints are built,
// and removes old ones.
func breakBuilds() (string, error) {
	cache, err := build.CacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "breaks")
	sweep(dir, maxBreakBytes)
	return dir, os.MkdirAll(dir, 0o777)
}

// runPackage is what go list says of the package to run.
type runPackage struct {
	Dir, ImportPath, Name     string
	TestGoFiles, XTestGoFiles []string
	Standard                  bool
	Error                     *struct{ Err string }
}

// target is the program of the one package that the query names: its main
// function, or its tests if it has none or Run is given.
func (p *program) target(ctx context.Context, q target.Query, opt RunOptions) (instrument.Target, error) {
	patterns := q.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	args := append([]string{"list", "-e", "-json=Dir,ImportPath,Name,TestGoFiles,XTestGoFiles,Standard,Error"}, q.Flags.List()...)
	out, err := p.env.Go(ctx, append(append(append(args, q.Overlay.Flags()...), "--"), patterns...)...)
	if err != nil {
		if ctx.Err() != nil {
			return instrument.Target{}, ctx.Err()
		}
		return instrument.Target{}, fmt.Errorf("go list %s: %s", strings.Join(patterns, " "), words.OneLine(err.Error()))
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	var pkg runPackage
	if err := dec.Decode(&pkg); err != nil {
		return instrument.Target{}, fmt.Errorf("%s names no package; name one", strings.Join(patterns, " "))
	}
	tests := len(pkg.TestGoFiles)+len(pkg.XTestGoFiles) > 0
	main := pkg.Name == "main" && opt.Run == ""
	switch {
	case dec.More():
		return instrument.Target{}, fmt.Errorf("%s names several packages; name one", strings.Join(patterns, " "))
	case pkg.Error != nil:
		return instrument.Target{}, fmt.Errorf("%s: %s", pkg.ImportPath, words.OneLine(pkg.Error.Err))
	case pkg.Standard:
		return instrument.Target{}, fmt.Errorf("%s is in the standard library, which can't have breakpoints; run a package of a module", pkg.ImportPath)
	case !main && !tests:
		return instrument.Target{}, fmt.Errorf("%s has neither tests nor a main function to run; name a package that has", pkg.ImportPath)
	}
	p.pkg = pkg.ImportPath
	if main {
		p.entry = "main"
	}
	t := build.Target(p.env, target.Target{Package: pkg.ImportPath, Dir: pkg.Dir, Main: main, Overlay: q.Overlay}, opt.Flags)
	if opt.Race {
		t.Flags = append(t.Flags, "-race")
	}
	t.Args = nil
	p.args = opt.Args
	if !main {
		p.args = []string{"-test.timeout=0", "-test.count=1", "-test.paniconexit0=true"}
		skip, err := withoutGenerated(&pkg, q, opt.Run)
		if err != nil {
			return instrument.Target{}, err
		}
		p.args = append(p.args, skip...)
		if opt.Run != "" {
			p.args = append(p.args, "-test.run="+opt.Run)
		}
		if opt.Flags.Short {
			p.args = append(p.args, "-test.short")
		}
		p.args = append(p.args, opt.Args...)
	}
	return t, nil
}

// withoutGenerated returns the arguments that make a test binary skip the tests
// that hocket test has printed, which build and run the package once more. A
// -run that names them runs them.
func withoutGenerated(pkg *runPackage, q target.Query, run string) ([]string, error) {
	if strings.Contains(run, "Hocket") {
		return nil, nil
	}
	names, err := target.GeneratedTests(pkg.Dir, slices.Concat(pkg.TestGoFiles, pkg.XTestGoFiles), q.Overlay.ReadFile)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	return []string{"-test.skip=^(" + strings.Join(names, "|") + ")$"}, nil
}

// query says what to look for, with the unsaved texts.
func (o *RunOptions) query(module string) (target.Query, error) {
	unsaved, err := build.Unsaved(o.Overlay, module)
	return target.Query{Patterns: o.Patterns, Run: o.Run, Flags: o.Flags, Args: o.Args, Overlay: unsaved}, err
}
