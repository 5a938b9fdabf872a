package from

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// entry is what is searched, and why.
type entry struct {
	patterns []string
	run      string
	why      string
	tests    map[string]bool   // top-level tests that are searched; none: not known, or the main function
	reached  map[string]bool   // functions of the state that they lead to (functions.names), if that is why they were chosen
	dirs     map[string]string // folders of packages that the state's calls are in, by import path
}

// listedPackage is a package of the module.
type listedPackage struct{ path, dir, name string }

// entryOf chooses what to search: what the options name, or else what the state's
// stacks begin with.
func entryOf(ctx context.Context, env *target.Env, s *dump.State, opt *Options) (*entry, error) {
	pkgs, err := packagesOf(ctx, env, opt, env.Module+"/...")
	if err != nil {
		return nil, err
	}
	mains := pkgs
	if len(opt.Patterns) > 0 { // which program is meant is asked for
		if mains, err = packagesOf(ctx, env, opt, opt.Patterns...); err != nil {
			return nil, err
		}
	}
	e := &entry{patterns: opt.Patterns, run: opt.Run, dirs: map[string]string{}, tests: map[string]bool{}}
	for _, p := range pkgs {
		e.dirs[p.path] = p.dir
	}
	found := candidates(s)
	if err := e.choose(ctx, env, found, pkgs, mains, s, opt); err != nil {
		return nil, err
	}
	if len(opt.Patterns) > 0 || opt.Run != "" {
		e.why = "as asked for: " + strings.TrimSpace(strings.Join(e.patterns, " ")+" "+runFlag(e.run))
	}
	return e, nil
}

func runFlag(run string) string {
	if run == "" {
		return ""
	}
	return "-run " + run
}

// packagesOf lists packages.
func packagesOf(ctx context.Context, env *target.Env, opt *Options, patterns ...string) ([]listedPackage, error) {
	args := append([]string{"list", "-e", "-find", "-f", "{{.ImportPath}}\t{{.Dir}}\t{{.Name}}"}, opt.Flags.List()...)
	args = append(append(args, "--"), patterns...)
	out, err := env.Go(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("go list: %s", words.OneLine(err.Error()))
	}
	var all []listedPackage
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if p := (listedPackage{}); len(f) == 3 && f[1] != "" {
			p = listedPackage{f[0], f[1], f[2]}
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// candidate is a test or main function that a state's text names.
type candidate struct {
	pkg  string // import path; "" if not known, "main" for any program
	test string // "" is the main function
	file string // of the main function
	how  string
}

var testName = regexp.MustCompile(`^((?:Test|Example|Fuzz)(?:[^a-z.][^.]*)?)(?:$|\.)`)

// candidates are the entries of a state's stacks, then the tests that the log names.
func candidates(s *dump.State) (out []candidate) {
	add := func(c candidate) {
		if !slices.ContainsFunc(out, func(o candidate) bool { return o.pkg == c.pkg && o.test == c.test }) {
			out = append(out, c)
		}
	}
	named := map[string]bool{} // top-level tests that the text says were running
	for _, t := range s.Tests {
		top, _, _ := strings.Cut(t, "/")
		named[top] = true
	}
	visit := func(frames []dump.Frame, how string) {
		for _, f := range slices.Backward(frames) {
			tail := strings.TrimPrefix(f.Func, f.Package()+".")
			if m := testName.FindStringSubmatch(tail); m != nil && strings.HasSuffix(f.File, "_test.go") {
				if len(named) == 0 || named[m[1]] {
					add(candidate{pkg: strings.TrimSuffix(f.Package(), "_test"), test: m[1], how: how})
				}
				return
			}
			if f.Func == "main.main" && !strings.HasSuffix(f.File, "_testmain.go") {
				add(candidate{pkg: "main", file: f.File, how: how})
				return
			}
		}
	}
	each(s, func(frames []dump.Frame, created dump.Frame) {
		visit(frames, "its stacks begin there")
	})
	each(s, func(frames []dump.Frame, created dump.Frame) {
		visit([]dump.Frame{created}, "it started goroutines of the state")
	})
	for i, c := range out { // the subtest, where the text names one
		for _, t := range s.Tests {
			if top, _, sub := strings.Cut(t, "/"); sub && top == c.test {
				out[i].test = t
			}
		}
	}
	if len(out) == 0 {
		for _, t := range s.Tests {
			add(candidate{pkg: s.Package, test: t, how: "the log names it"})
		}
	}
	return out
}

// each visits the stacks of a state.
func each(s *dump.State, visit func(frames []dump.Frame, created dump.Frame)) {
	for i := range s.Goroutines {
		visit(s.Goroutines[i].Frames, s.Goroutines[i].Created)
	}
	if s.Race != nil {
		for _, a := range s.Race.Accesses {
			visit(a.Frames, dump.Frame{})
			visit(a.Created, dump.Frame{})
			for _, f := range a.Created {
				visit(nil, f)
			}
		}
	}
}

// choose resolves the candidates to packages of the module.
func (e *entry) choose(ctx context.Context, env *target.Env, found []candidate, pkgs, programs []listedPackage, s *dump.State, opt *Options) error {
	var lines []string
	var tests []string
	asked := len(opt.Patterns) > 0
	for _, c := range found {
		if c.pkg == "" && asked {
			tests = append(tests, exactly(c.test))
			continue
		}
		if c.pkg == "" { // the log does not name the package
			e.patterns = []string{env.Module + "/..."}
			tests = append(tests, exactly(c.test))
			lines = append(lines, fmt.Sprintf("%s: %s", c.test, c.how))
			continue
		}
		among := pkgs
		if c.pkg == "main" || asked {
			among = programs
		}
		p, ok := c.resolve(among)
		if !ok {
			continue
		}
		name := exactly(c.test)
		if c.test == "" {
			e.dirs["main"], name = p.dir, "^main$"
		}
		if asked {
			tests = append(tests, name)
		}
		if asked || opt.Run != "" && c.test == "" {
			continue
		}
		if len(e.patterns) > 0 && e.patterns[0] != p.path {
			continue // one package is built and searched
		}
		e.patterns = []string{p.path}
		if c.test != "" {
			tests = append(tests, exactly(c.test))
			top, _, _ := strings.Cut(c.test, "/")
			e.tests[top] = true
			lines = append(lines, fmt.Sprintf("%s of %s: %s", c.test, p.path, c.how))
		} else {
			tests = append(tests, "^main$")
			lines = append(lines, fmt.Sprintf("the main function of %s: %s", p.path, c.how))
		}
	}
	if e.dirs["main"] == "" {
		if p, ok := onlyMain(programs); ok {
			e.dirs["main"] = p.dir
		}
	}
	switch {
	case asked:
		if opt.Run == "" {
			e.run = strings.Join(tests, "|")
		}
		return nil
	case len(e.patterns) > 0:
		if opt.Run == "" {
			e.run = strings.Join(tests, "|")
		}
		e.why = strings.Join(lines, "; ")
		return nil
	}
	return e.reachable(ctx, env, pkgs, s, opt)
}

// exactly is the -run expression of one test.
func exactly(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// resolve finds the package of a candidate.
func (c candidate) resolve(pkgs []listedPackage) (listedPackage, bool) {
	if c.pkg != "main" {
		i := slices.IndexFunc(pkgs, func(p listedPackage) bool { return p.path == c.pkg })
		if i < 0 {
			return listedPackage{}, false
		}
		return pkgs[i], true
	}
	var mains []listedPackage
	for _, p := range pkgs {
		if p.name == "main" {
			mains = append(mains, p)
		}
	}
	if c.test == "" && len(mains) > 1 {
		dir := path.Base(path.Dir(strings.ReplaceAll(c.file, `\`, "/")))
		if i := slices.IndexFunc(mains, func(p listedPackage) bool { return path.Base(p.dir) == dir }); i >= 0 {
			return mains[i], true
		}
	}
	if len(mains) == 0 {
		return listedPackage{}, false
	}
	return mains[0], true
}

// onlyMain is the main package that is meant: the only one that is asked for.
func onlyMain(pkgs []listedPackage) (listedPackage, bool) {
	var mains []listedPackage
	for _, p := range pkgs {
		if p.name == "main" {
			mains = append(mains, p)
		}
	}
	if len(mains) == 1 {
		return mains[0], true
	}
	return listedPackage{}, false
}
