package verify

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// untaken tells which branches, within what the edit changes, a plain run of the package's
// tests does not take: what was run says nothing of the edit there.
func (c *check) untaken(ctx context.Context) {
	if c.Target.Main {
		return
	}
	taken := c.coverage(ctx)
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		blocks := taken[c.profileName(name)]
		if strings.HasSuffix(name, "_test.go") || len(blocks) == 0 {
			continue
		}
		var at []string
		for _, l := range untakenIn(c.before[name], c.hunks[name], blocks) {
			if c.worked.lines[c.Roots.Name(name)][l] == 0 {
				at = append(at, fmt.Sprint(l))
			}
		}
		if len(at) > 0 {
			c.tell(fmt.Sprintf("a plain run of the tests does not take %s of %s, in what is changed", branches(at), filepath.Base(name)))
		}
	}
}

// branches names those at lines, a few of them.
func branches(lines []string) string {
	const most = 3
	if len(lines) == 1 {
		return "the branch at line " + lines[0]
	}
	if n := len(lines) - most; n > 0 {
		return "the branches at lines " + strings.Join(lines[:most], ", ") + " and " + words.CountOf(n, "other", "others")
	}
	return "the branches at lines " + strings.Join(lines[:len(lines)-1], ", ") + " and " + lines[len(lines)-1]
}

// profileName is how a profile of coverage names a file: by the import path of its package.
func (c *check) profileName(name string) string {
	for _, p := range c.Code.Packages {
		for _, f := range p.Files {
			if c.Code.Fset.PositionFor(f.FileStart, false).Filename == name && p.Types != nil {
				return p.Types.Path() + "/" + filepath.Base(name)
			}
		}
	}
	return ""
}

// coverage is what a plain run of the package's tests covers of the packages of the cause,
// without a fix, by the names of the profile; nil if that could not be found out.
func (v *Verifier) coverage(ctx context.Context) map[string][]cover.ProfileBlock {
	v.covered.Do(func() {
		file := filepath.Join(v.before.dir, "cover.out")
		it := build.Target(v.Env, v.before.target(v.Target), v.before.flags)
		args := slices.Concat([]string{"test", "-count=1", "-timeout=" + plainTime.String(), "-coverprofile=" + file,
			"-coverpkg=" + strings.Join(mainOf(repair.Patterns(v.Finding), v.Env.ModulePath), ",")}, it.Flags, v.before.overlay.Flags(), []string{"."})
		cmd := process.Go(ctx, "go", args...)
		cmd.Dir, cmd.Env = it.Dir, it.Environ()
		_, _ = process.CombinedOutput(ctx, cmd) // tests may fail without the fix
		if _, err := os.Stat(file); err != nil {
			return
		}
		profiles, err := cover.ParseProfiles(file)
		if err != nil {
			return
		}
		v.blocks = map[string][]cover.ProfileBlock{}
		for _, p := range profiles {
			v.blocks[p.FileName] = p.Blocks
		}
	})
	return v.blocks
}

// mainOf are the packages of a module.
func mainOf(paths []string, module string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p != module && !strings.HasPrefix(p, module+"/") })
}

// untakenIn are the lines at which branches begin that no block of a profile covers: in
// functions that hunks change, from the first change of it on, to the last, or to the end
// if something is deferred there.
func untakenIn(text []byte, hs []hunk, blocks []cover.ProfileBlock) (lines []int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		start, end := fset.Position(fn.Body.Lbrace).Line, fset.Position(fn.Body.Rbrace).Line
		from, to := 0, 0
		for _, h := range hs {
			if start < h.From && h.From <= end {
				if from == 0 {
					from = h.From
				}
				to = max(to, h.To)
			}
		}
		if from == 0 {
			continue
		}
		if to <= from { // one insertion: what follows may be about it
			to = end
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			for _, list := range branchesOf(n) {
				p := fset.Position(list[0].Pos())
				if from <= p.Line && p.Line <= to && notTaken(blocks, p) {
					lines = append(lines, p.Line)
				}
			}
			return true
		})
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// branchesOf are the lists of statements that a statement does or does not do.
func branchesOf(n ast.Node) (lists [][]ast.Stmt) {
	add := func(list []ast.Stmt) {
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	switch n := n.(type) {
	case *ast.IfStmt:
		add(n.Body.List)
		if e, ok := n.Else.(*ast.BlockStmt); ok {
			add(e.List)
		}
	case *ast.CaseClause:
		add(n.Body)
	case *ast.CommClause:
		add(n.Body)
	}
	return lists
}

// notTaken reports whether the innermost block at a place was not run.
func notTaken(blocks []cover.ProfileBlock, p token.Position) bool {
	var in *cover.ProfileBlock
	for i := range blocks {
		b := &blocks[i]
		starts := b.StartLine < p.Line || b.StartLine == p.Line && b.StartCol <= p.Column
		ends := p.Line < b.EndLine || p.Line == b.EndLine && p.Column < b.EndCol
		if starts && ends && (in == nil || b.StartLine > in.StartLine || b.StartLine == in.StartLine && b.StartCol > in.StartCol) {
			in = b
		}
	}
	return in != nil && in.Count == 0
}
