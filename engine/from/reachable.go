package from

import (
	"context"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/engine/dump"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// mostReached is how many tests are searched where several may lead to a state.
const mostReached = 8

// reachable chooses the tests and main functions from whose code most of the state's
// functions can be called.
func (e *entry) reachable(ctx context.Context, env *target.Env, pkgs []listedPackage, s *dump.State, opt *Options) error {
	wanted := functionsOf(s)
	var patterns []string
	for _, p := range pkgs {
		if wanted.packages[p.path] || p.name == "main" {
			patterns = append(patterns, p.path)
		}
	}
	nothing := fmt.Errorf("%s names no test or main function of this module; name the package, and the test with -run", opt.File)
	if !slices.ContainsFunc(pkgs, func(p listedPackage) bool { return wanted.packages[p.path] }) {
		return nothing
	}
	loaded, err := program.Load(ctx, program.Source{Dir: env.Module, Patterns: patterns, Flags: opt.Flags.List(), Env: env.Environ()})
	if err != nil {
		return fmt.Errorf("look for what leads to the state in %s: %s", opt.File, words.OneLine(err.Error()))
	}
	prog := program.Build(ctx, loaded.Fset, loaded.Packages)
	best := 0
	byPackage := map[string][]string{}
	e.reached = map[string]bool{}
	var order []string
	for i, pkg := range prog.Packages {
		for _, fn := range entriesOf(prog.Built[i], loaded.Fset) {
			reached := wanted.reachedFrom(prog, fn)
			n := len(reached)
			if n == 0 || n < best || ctx.Err() != nil {
				continue
			}
			if n > best {
				best, byPackage, order = n, map[string][]string{}, nil
				e.reached = reached
			}
			if byPackage[pkg.Path] == nil {
				order = append(order, pkg.Path)
			}
			byPackage[pkg.Path] = append(byPackage[pkg.Path], fn.Name())
		}
	}
	if ctx.Err() != nil {
		return ctx.Err() // what was looked at may not be all
	}
	if best == 0 {
		return nothing
	}
	first := order[0]
	names := byPackage[first][:min(len(byPackage[first]), mostReached)]
	var run []string
	for _, n := range names {
		run = append(run, exactly(n))
	}
	e.patterns = []string{first}
	if opt.Run == "" {
		e.run = strings.Join(run, "|")
	}
	e.why = fmt.Sprintf("%s of %s: the stacks name no test, and its code leads to %d of the %d functions of the state", strings.Join(names, ", "), first, best, len(wanted.names))
	return nil
}

// functions are those of a state, by package and "f" or "T.f".
type functions struct {
	names    map[string]bool
	packages map[string]bool
}

func functionsOf(s *dump.State) *functions {
	f := &functions{map[string]bool{}, map[string]bool{}}
	each(s, func(frames []dump.Frame, created dump.Frame) {
		for _, fr := range append(dump.User(frames), dump.User([]dump.Frame{created})...) {
			pkg := fr.Package()
			f.packages[pkg] = true
			f.names[pkg+" "+declared(strings.TrimPrefix(fr.Func, pkg+"."))] = true
		}
	})
	return f
}

// declared is the declaration that the name of a function without its package is of.
func declared(name string) string {
	if i := strings.IndexByte(name, '['); i >= 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	method := strings.HasPrefix(name, "(")
	parts := strings.Split(strings.NewReplacer("(*", "", "(", "", ")", "").Replace(name), ".")
	if len(parts) > 1 && (method || !strings.HasPrefix(parts[1], "func") && !strings.HasPrefix(parts[1], "gowrap")) {
		return parts[0] + "." + parts[1]
	}
	return parts[0]
}

// entriesOf are the tests and the main function of a package.
func entriesOf(pkg *ssa.Package, fset *token.FileSet) (out []*ssa.Function) {
	for _, m := range pkg.Members {
		fn, ok := m.(*ssa.Function)
		if !ok {
			continue
		}
		test := testName.MatchString(fn.Name()) && strings.HasSuffix(fset.Position(fn.Pos()).Filename, "_test.go")
		if test || fn.Name() == "main" && pkg.Pkg.Name() == "main" {
			out = append(out, fn)
		}
	}
	slices.SortFunc(out, func(a, b *ssa.Function) int { return int(a.Pos()) - int(b.Pos()) })
	return out
}

// reachedFrom are the functions that a function may call, directly or not. A function
// that is only mentioned counts as called.
func (f *functions) reachedFrom(prog *program.Program, from *ssa.Function) map[string]bool {
	reached, seen := map[string]bool{}, map[*ssa.Function]bool{}
	todo := []*ssa.Function{from}
	for len(todo) > 0 {
		fn := prog.WithBody(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if fn == nil || seen[fn] {
			continue
		}
		seen[fn] = true
		if name := nameOf(fn); f.names[name] {
			reached[name] = true
		}
		todo = append(todo, fn.AnonFuncs...)
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				todo = append(todo, mentioned(prog, in)...)
			}
		}
	}
	return reached
}

// mentioned are the functions that an instruction may call or takes the value of.
func mentioned(prog *program.Program, in ssa.Instruction) (out []*ssa.Function) {
	if call, ok := in.(ssa.CallInstruction); ok && call.Common().IsInvoke() {
		out = append(out, prog.Implementations(call.Common().Method)...)
	}
	for _, v := range in.Operands(nil) {
		if fn, ok := (*v).(*ssa.Function); ok {
			out = append(out, fn)
		}
	}
	return out
}

// nameOf is a function as functions.names has it.
func nameOf(fn *ssa.Function) string {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	pkg := ""
	if fn.Pkg != nil {
		pkg = fn.Pkg.Pkg.Path()
	}
	name := fn.Name()
	if recv := fn.Signature.Recv(); recv != nil {
		t := strings.TrimPrefix(recv.Type().String(), "*")
		if i := strings.IndexByte(t, '['); i >= 0 {
			t = t[:i]
		}
		name = t[strings.LastIndexByte(t, '.')+1:] + "." + name
	}
	return pkg + " " + name
}
