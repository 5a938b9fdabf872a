package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/overlay"
	"github.com/hocket-dev/hocket/internal/words"
)

// listed is what "go list -json" says about a package.
type listed struct {
	Dir, ImportPath, Name     string
	Standard                  bool
	Module                    *struct{ Path, Version, Dir string }
	TestGoFiles, XTestGoFiles []string
	CgoFiles                  []string
	IgnoredGoFiles            []string
	Error                     *listError
	DepsErrors                []*listError
}

type listError struct {
	ImportStack []string
	Pos, Err    string
}

const listFields = "Dir,ImportPath,Name,Standard,Module,TestGoFiles,XTestGoFiles,IgnoredGoFiles,Error,DepsErrors"

// Discover returns the targets that the query selects, in the order of the
// packages and, within one, of the sources; then the packages that can't be
// searched. Errors are only those that leave nothing to do.
func Discover(ctx context.Context, env *Env, q Query) ([]Target, []Problem, error) {
	sel, err := parseSelector(q.Run)
	if err != nil {
		return nil, nil, fmt.Errorf("-run %q: %w", q.Run, err)
	}
	pkgs, err := list(ctx, env, q)
	if err != nil {
		return nil, nil, err
	}
	var targets []Target
	problems, err := dropped(ctx, env, q, pkgs)
	if err != nil {
		return nil, nil, err
	}
	var names []string // of all tests, for the message when none is selected
	for _, p := range pkgs {
		if prob, bad := p.problem(env); bad {
			problems = append(problems, prob)
			continue
		}
		entries, err := p.entries(q.Overlay)
		if err != nil {
			problems = append(problems, Problem{Package: p.ImportPath, Err: words.OneLine(err.Error())})
			continue
		}
		names = append(names, entries...)
		targets = append(targets, p.targets(entries, sel, q)...)
	}
	if len(targets) == 0 {
		return nil, problems, nothing(q, problems, names)
	}
	return targets, problems, nil
}

func list(ctx context.Context, env *Env, q Query) ([]listed, error) {
	patterns := q.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	for _, p := range patterns {
		if strings.HasSuffix(p, ".go") {
			return nil, fmt.Errorf("%s is a file; name its package instead, for instance ./%s", p, filepath.ToSlash(filepath.Dir(p)))
		}
	}
	// Without cgo, as the controlled build: cgo files are not compiled.
	return goList(ctx, env, q, patterns, "0", "-json="+listFields)
}

// dropped are the packages with something to search that the patterns name and that go
// list leaves out without cgo, as all their files need it.
func dropped(ctx context.Context, env *Env, q Query, pkgs []listed) (out []Problem, err error) {
	if !slices.ContainsFunc(q.Patterns, func(p string) bool { return strings.Contains(p, "...") }) {
		return nil, nil // go list tells of those that are named
	}
	all, err := goList(ctx, env, q, q.Patterns, "1", "-find", "-json=ImportPath,Name,CgoFiles,TestGoFiles,XTestGoFiles")
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		searched := p.Name == "main" || len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
		if searched && len(p.CgoFiles) > 0 && !slices.ContainsFunc(pkgs, func(o listed) bool { return o.ImportPath == p.ImportPath }) {
			out = append(out, Problem{Package: p.ImportPath, Err: fmt.Sprintf("it needs cgo (%s), and C code can't be controlled: it is not searched", p.CgoFiles[0])})
		}
	}
	return out, nil
}

// goList asks go list, with cgo or without.
func goList(ctx context.Context, env *Env, q Query, patterns []string, cgo string, flags ...string) ([]listed, error) {
	args := append(append([]string{"list", "-e"}, flags...), q.Flags.List()...)
	args = append(args, q.Overlay.Flags()...)
	args = append(append(args, "--"), patterns...)
	e := *env
	e.Extra = append(append([]string{}, env.Extra...), "CGO_ENABLED="+cgo)
	out, err := e.Go(ctx, args...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("go list %s: %s", strings.Join(patterns, " "), words.OneLine(err.Error()))
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the answer of go list: %w", err)
		}
		pkgs = append(pkgs, p)
	}
}

// Advice is what to do about a pattern that names no package, for which the go
// command suggests nothing.
func Advice(pattern, msg string) string {
	switch {
	case strings.Contains(msg, "directory not found"), strings.Contains(msg, "no such file or directory"):
		return "; name a folder that is there, or ./... for all packages"
	case strings.Contains(msg, "is not in std"):
		return "; ./" + pattern + " names a folder"
	case strings.Contains(msg, "no Go files in"):
		return "; " + strings.TrimSuffix(pattern, "/") + "/... names all packages below"
	}
	return ""
}

// problem reports why the package can't be searched at all.
func (p *listed) problem(env *Env) (Problem, bool) {
	if p.Error != nil {
		msg := words.OneLine(p.Error.Err)
		if strings.Contains(msg, "build constraints exclude all Go files") {
			msg += " (hocket builds with CGO_ENABLED=0: code that needs cgo can't be controlled)"
		}
		return Problem{Package: p.ImportPath, Pos: shortPos(env, p.Error.Pos), Err: msg + Advice(p.ImportPath, msg)}, true
	}
	if p.Standard {
		return Problem{Package: p.ImportPath, Err: "packages of the standard library can't be searched; copy the test into a module"}, true
	}
	if len(p.DepsErrors) > 0 {
		e := p.DepsErrors[0]
		return Problem{Package: p.ImportPath, Pos: shortPos(env, e.Pos), Err: words.OneLine(e.Err)}, true
	}
	if _, err := os.Stat(p.Dir); err != nil {
		// The go command can build it, but a test runs in its folder.
		return Problem{Package: p.ImportPath, Err: "the folder exists in the overlay only; save a file in it first"}, true
	}
	return Problem{}, false
}

// entries lists what can be run in the package: "main" first, then tests.
func (p *listed) entries(o *overlay.Files) ([]string, error) {
	var names []string
	if p.Name == "main" {
		names = append(names, "main")
	}
	for _, files := range [][]string{p.TestGoFiles, p.XTestGoFiles} {
		tests, err := testNames(p.Dir, files, o.ReadFile)
		if err != nil {
			return nil, err
		}
		names = append(names, tests...)
	}
	return names, nil
}

func (p *listed) targets(entries []string, sel selector, q Query) []Target {
	module := ""
	if p.Module != nil {
		module = p.Module.Dir
	}
	var out []Target
	for _, name := range entries {
		rest, ok := sel.match(name)
		if !ok {
			continue
		}
		t := Target{Package: p.ImportPath, Dir: p.Dir, Module: module, Entry: name, Args: q.Args, Overlay: q.Overlay}
		if name == "main" {
			t.Main = true
		} else {
			t.TestRun = "^" + name + "$"
			if rest != "" {
				t.Entry += "/" + plain(rest)
				t.TestRun += "/" + rest
			}
		}
		out = append(out, t)
	}
	return out
}

// nothing says in one line why there is no target.
func nothing(q Query, problems []Problem, names []string) error {
	what := strings.Join(q.Patterns, " ")
	if what == "" {
		what = "."
	}
	switch {
	case q.Run != "" && len(names) > 0:
		return fmt.Errorf("no test of %s matches -run %q; there are %s", what, q.Run, some(names))
	case len(problems) == 1:
		return errors.New(problems[0].String())
	case len(problems) > 1:
		return fmt.Errorf("%s (and %d more packages that can't be loaded)", problems[0], len(problems)-1)
	default:
		return fmt.Errorf("%s has neither tests nor a main package; name a package that has", what)
	}
}

func some(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func shortPos(env *Env, pos string) string {
	file, rest, _ := strings.Cut(pos, ":")
	if file == "" {
		return ""
	}
	name := env.Roots().Name(file)
	if rest != "" {
		name += ":" + rest
	}
	return name
}
