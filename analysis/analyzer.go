package analysis

import (
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	goanalysis "golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/hocket-dev/hocket/analysis/program"
)

// analyzer serves go vet, which gives one package at a time: what happens in
// other packages is not seen.
func analyzer() *goanalysis.Analyzer {
	return &goanalysis.Analyzer{
		Name: "conflicts",
		Doc:  "conflicts lists places that goroutines may reach at once and where their order may matter\n\nThe pairs are hints: each names two places and says why.",
		URL:  "https://github.com/hocket-dev/hocket/blob/main/docs/vet.md",
		Run: func(pass *goanalysis.Pass) (any, error) {
			if len(pass.Files) == 0 {
				return nil, nil
			}
			pkg := &program.Package{Path: pass.Pkg.Path(), Types: pass.Pkg, Files: pass.Files, Info: pass.TypesInfo, Test: true}
			rep := analyze(context.Background(), pass.Fset, []*program.Package{pkg}, func(name string) string { return name })
			shown, _ := rep.Suspicious()
			dir := filepath.Dir(pass.Fset.Position(pass.Files[0].FileStart).Filename) + string(filepath.Separator)
			for _, p := range shown {
				p.Sides = slices.Clone(p.Sides)
				for i := range p.Sides {
					p.Sides[i].Goroutine = strings.ReplaceAll(p.Sides[i].Goroutine, dir, "")
				}
				if p.Then != nil {
					then := *p.Then
					then.Goroutine = strings.ReplaceAll(then.Goroutine, dir, "")
					p.Then = &then
				}
				report(pass, p)
			}
			return nil, nil
		},
	}
}

func report(pass *goanalysis.Pass, p Pair) {
	a, b := p.Sides[0], p.Sides[1]
	d := goanalysis.Diagnostic{Pos: posOf(pass, a), Category: string(p.Kind), Message: p.Sentence(filepath.Base)}
	d.End = d.Pos + token.Pos(max(a.EndColumn-a.Column, 1))
	for _, s := range []*Side{&b, p.Then} {
		if s != nil {
			d.Related = append(d.Related, goanalysis.RelatedInformation{Pos: posOf(pass, *s), Message: fmt.Sprintf("%s, %s", s.Op, s.Goroutine)})
		}
	}
	pass.Report(d)
}

// posOf finds a side's position again.
func posOf(pass *goanalysis.Pass, s Side) token.Pos {
	for _, f := range pass.Files {
		tf := pass.Fset.File(f.FileStart)
		if tf != nil && pass.Fset.Position(f.FileStart).Filename == s.File && s.Line <= tf.LineCount() {
			return tf.LineStart(s.Line) + token.Pos(s.Column-1)
		}
	}
	return pass.Files[0].Package
}

// VetMain is the program that go vet -vettool runs. It reads os.Args and does
// not return.
func VetMain() { unitchecker.Main(analyzer()) }
