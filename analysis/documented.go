package analysis

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// warns reports whether the documentation of a function or type by which one
// gets at an operation says that this must not be done at once.
func (p *summarizer) warns(e *event) bool {
	for c := e.chain; c != nil; c = c.next {
		if p.forOne(c.instr.Parent()) {
			return true
		}
	}
	return false
}

// forOne reports whether the documentation says that a function, or what has it as a
// method, is not for several goroutines at once.
func (p *summarizer) forOne(fn *ssa.Function) bool {
	if known, ok := p.warned[fn]; ok {
		return known
	}
	text := ""
	if decl, ok := fn.Syntax().(*ast.FuncDecl); ok {
		text = decl.Doc.Text()
	}
	if recv := fn.Signature.Recv(); recv != nil {
		if n, ok := types.Unalias(deref(recv.Type())).(*types.Named); ok {
			text += p.typeDoc(n.Origin().Obj())
		}
	}
	is := alone.MatchString(strings.Join(strings.Fields(text), " "))
	if !is && fn.Pkg != nil && fn.Object() != nil && fn.Object().Exported() {
		is = single.MatchString(strings.Join(strings.Fields(p.packageDoc(fn.Pkg.Pkg)), " "))
	}
	p.warned[fn] = is
	return is
}

// What documentation says of a function or type, and of a package.
var (
	alone = regexp.MustCompile(`(?i)not (be )?(concurren|thread|goroutine)[a-z]*[- ]?safe|not safe (for (concurrent|parallel|multiple|use)|to (be )?(call|use))|` +
		`not (be )?(called|used|modified|changed|accessed|set) (concurrently|simultaneously|while|when|after|(by|from) (multiple|several)|twice|more than once)|` +
		`(must|should|may|can|to) (only )?be (called|used|set|modified)( only)? (once|before|by one|from one)|` +
		`(only|must|should)[^.]* (single|one|same) goroutine|programming error|(only|meant|exported|used) (in|for) (tests|testing)`)
	single = regexp.MustCompile(`(?i)not (concurrent|thread|goroutine)[a-z]*[- ]?safe|not safe for concurrent|(one|single) concurrent|no more than one goroutine`)
)

func (p *summarizer) packageDoc(pkg *types.Package) string {
	text := ""
	for _, u := range p.Packages {
		if u.Types == pkg {
			for _, f := range u.Files {
				text += f.Doc.Text() + " "
			}
		}
	}
	return text
}

func (p *summarizer) typeDoc(obj *types.TypeName) string {
	for _, u := range p.Packages {
		if u.Types != obj.Pkg() {
			continue
		}
		for _, file := range u.Files {
			if file.FileStart > obj.Pos() || obj.Pos() > file.FileEnd {
				continue
			}
			for _, d := range file.Decls {
				gen, ok := d.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, s := range gen.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Pos() == obj.Pos() {
						return " " + gen.Doc.Text() + " " + ts.Doc.Text()
					}
				}
			}
		}
	}
	return ""
}
