package repair

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
)

// since reports whether a file may use what came with a release, "go1.25": its module says
// that it needs that or a later one.
func (s *search) since(f *ast.File, release string) bool {
	for _, p := range s.Code.Packages {
		for _, o := range p.Files {
			if o != f {
				continue
			}
			is := p.Info.FileVersions[f]
			if is == "" {
				is = p.Types.GoVersion()
			}
			return is == "" || version.Compare(is, release) >= 0
		}
	}
	return true
}

// cloned is a copy of a slice or map at a place in a file, with its elements; of other values, the value.
func (s *search) cloned(d *Draft, f *ast.File, at token.Pos, t types.Type, src string) string {
	switch t.Underlying().(type) {
	case *types.Slice:
		if s.since(f, "go1.21") {
			return s.imported(d, f, at, "slices") + ".Clone(" + src + ")"
		}
		return "append(" + src + "[:0:0], " + src + "...)"
	case *types.Map:
		if !s.since(f, "go1.21") {
			d.Fail("it copies %s with package maps, which needs go 1.21 in go.mod", src)
			return src
		}
		return s.imported(d, f, at, "maps") + ".Clone(" + src + ")"
	}
	return src
}
