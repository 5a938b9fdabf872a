package inject

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/internal/words"
)

// maxSides bounds the sides of a breakpoint.
const maxSides = 60

// Compile checks a condition ("" is true) and splits it between the sides.
func Compile(ctx context.Context, sc Scope, sides []Side, text string) (*Condition, error) {
	n := len(sides)
	if n > maxSides {
		return nil, fmt.Errorf("a breakpoint can have at most %d sides", maxSides)
	}
	cond := &Condition{Locals: make([]string, n), Values: make([][]string, n), Names: make([][]string, n), Copies: make([][]string, n),
		Dids: make([]bool, n), Each: make([]bool, n)}
	text = strings.Map(func(r rune) rune { // one line, equal columns
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, text)
	needsTypes := strings.TrimSpace(text) != ""
	for i, s := range sides {
		at, err := sc.anchor(s)
		if err != nil {
			return nil, err
		}
		cond.Dids[i] = at.Did
		needsTypes = needsTypes || at.Range // its type says whether it receives
	}
	if !needsTypes {
		return cond, nil
	}
	if err := readable(text, n); err != nil { // before anything is loaded
		return nil, err
	}
	var files []string
	for _, s := range sides {
		if !slices.Contains(files, s.File) {
			files = append(files, s.File)
		}
	}
	prog, units, err := sc.load(ctx, files)
	if err != nil {
		return nil, err
	}
	k := &checker{prog: prog, out: cond}
	for _, s := range sides {
		at, err := k.locate(s, units[s.File])
		if err != nil {
			return nil, err
		}
		k.places = append(k.places, at)
		cond.Each[len(k.places)-1] = at.each
	}
	if strings.TrimSpace(text) == "" {
		return cond, nil
	}
	return cond, k.check(text)
}

// anchor says where a side's point would go.
func (sc Scope) anchor(s Side) (points.Anchor, error) {
	src, err := sc.Overlay.ReadFile(s.File)
	if err != nil {
		return points.Anchor{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, s.File, src, parser.SkipObjectResolution)
	if f == nil {
		return points.Anchor{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	at, reason := points.AnchorOf(fset, f, src, s.Line, s.Col)
	if reason != "" {
		return at, fmt.Errorf("%s: %s", s.Name, reason)
	}
	return at, nil
}

// readable parses a condition and refuses what can be refused without types.
func readable(text string, sides int) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	_, _, err := parse(token.NewFileSet(), text, sides)
	return err
}

// assigns matches the operators that turn the expression before them into a
// statement.
var assigns = regexp.MustCompile(`^([-+*/%&|^:]|<<|>>|&\^)?=([^=]|$)|^(\+\+|--)`)

func parse(fset *token.FileSet, text string, sides int) (*condition, ast.Expr, error) {
	x, err := parser.ParseExprFrom(fset, "condition", text, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		e := list[0]
		col := min(max(e.Pos.Offset, 0), len(text))
		why := "not a Go expression: " + e.Msg
		if assigns.MatchString(text[col:]) {
			why = "an assignment would change the program; compare with ==, !=, <, <=, > or >="
		}
		return nil, nil, &Error{text, col + 1, near(text[col:]), why}
	} else if err != nil {
		return nil, nil, fmt.Errorf("condition %q: %w", text, err)
	}
	c := &condition{text: text, sides: sides, file: fset.File(x.Pos())}
	return c, x, c.allowed(x)
}

func near(rest string) string {
	if rest = strings.TrimSpace(rest); rest == "" {
		return "end of the condition"
	}
	return rest
}

// place is where a side's part of the condition is evaluated.
type place struct {
	side Side
	unit *unit
	pos  token.Pos
	each bool
}

// checker type-checks a condition at the places of its sides.
type checker struct {
	*condition
	prog   *program
	places []place
	out    *Condition
	vars   *types.Package // of the joint part: a variable for each captured value
	names  map[string]ast.Expr
	kinds  map[string]types.Type // the type of the value, as it is at its side
}

func (k *checker) locate(s Side, u *unit) (place, error) {
	f, src := u.file(s.File)
	if f == nil {
		return place{}, fmt.Errorf("%s: the file is in no package of the build", s.Name)
	}
	at, reason := points.AnchorOf(k.prog.fset, f, src, s.Line, s.Col)
	if reason != "" {
		return place{}, fmt.Errorf("%s: %s", s.Name, reason)
	}
	tok := k.prog.fset.File(f.FileStart)
	p := place{side: s, unit: u, pos: tok.Pos(at.Offset)}
	if at.Range {
		p.each = k.overChannel(f, u, tok.Pos(at.X))
	}
	return p, nil
}

// overChannel says that the range loop over the expression at pos receives.
func (k *checker) overChannel(f *ast.File, u *unit, pos token.Pos) (yes bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok || loop.X.Pos() != pos {
			return true
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		if types.CheckExpr(k.prog.fset, u.pkg, loop.Pos(), loop.X, info) == nil {
			if t := info.Types[loop.X].Type; t != nil {
				_, yes = t.Underlying().(*types.Chan)
			}
		}
		return false
	})
	return yes
}

// check splits and checks the whole.
func (k *checker) check(text string) error {
	c, x, err := parse(k.prog.fset, text, len(k.places))
	if err != nil {
		return err
	}
	k.condition = c
	k.vars, k.names, k.kinds = types.NewPackage("joint", "joint"), map[string]ast.Expr{}, map[string]types.Type{}
	var joint []string
	for _, part := range conjuncts(x) {
		set := mentions(part)
		if bits.OnesCount64(set) <= 1 {
			if err := k.local(part, max(bits.TrailingZeros64(set|1<<63)%63, 1)); err != nil {
				return err
			}
			continue
		}
		text, err := k.joint(part)
		if err != nil {
			return err
		}
		if err := k.checkJoint(part); err != nil {
			return err
		}
		joint = append(joint, text)
	}
	k.out.Joint = strings.Join(joint, " && ")
	if k.out.Joint == "" {
		return nil
	}
	if err := breakpoints.CheckJoint(k.out.Joint); err != nil {
		return &Error{c.text, 1, c.text, words.OneLine(err.Error())}
	}
	return nil
}

// local makes a conjunct a predicate of one side.
func (k *checker) local(x ast.Expr, side int) error {
	text, tv, err := k.oneSide(x, side)
	if err != nil {
		return err
	}
	if b, ok := tv.Type.Underlying().(*types.Basic); tv.Type != types.Typ[types.Invalid] && (!ok || b.Info()&types.IsBoolean == 0) {
		return k.wrong(x, "is %s, and a condition must be true or false", k.typeName(tv.Type, side))
	}
	if _, named := types.Unalias(tv.Type).(*types.Named); named {
		text = "(" + text + " == (1 == 1))" // conjuncts may be of different types
	}
	if have := &k.out.Locals[side-1]; *have == "" {
		*have = text
	} else {
		*have += " && " + text
	}
	return nil
}

// oneSide checks an expression of one side and writes it as that side's Go.
func (k *checker) oneSide(x ast.Expr, side int) (string, types.TypeAndValue, error) {
	at := k.places[side-1]
	if err := k.resolve(x, side); err != nil {
		return "", types.TypeAndValue{}, err
	}
	var text strings.Builder
	text.WriteByte('(')
	k.write(&text, x)
	text.WriteByte(')')
	y := stripped(x)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(k.prog.fset, at.unit.pkg, at.pos, y, info); err != nil {
		var te types.Error
		if errors.As(err, &te) {
			return "", types.TypeAndValue{}, k.typeError(te, x, side)
		}
		return "", types.TypeAndValue{}, k.wrong(x, "%v", err)
	}
	if err := k.noCalls(y, info); err != nil {
		return "", types.TypeAndValue{}, err
	}
	if err := k.divided(y, info); err != nil {
		return "", types.TypeAndValue{}, err
	}
	tv := info.Types[y]
	if tv.IsType() {
		return "", tv, k.wrong(x, "is a type, not a value")
	}
	return text.String(), tv, nil
}

// noCalls refuses calls that turned out not to be conversions.
func (k *checker) noCalls(x ast.Expr, info *types.Info) (err error) {
	ast.Inspect(x, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && err == nil {
			if tv := info.Types[call.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				err = k.callRefused(call)
			}
		}
		return err == nil
	})
	return err
}

// resolve looks up each t1.x in the scope of its side.
func (k *checker) resolve(x ast.Expr, side int) (err error) {
	at := k.places[side-1]
	ast.Inspect(x, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sideOf(sel.X) == 0 || err != nil {
			return err == nil
		}
		if _, obj := at.scope().LookupParent(sel.Sel.Name, at.pos); obj == nil {
			err = k.wrong(sel, "%s", at.missing(sel.Sel.Name))
		} else {
			k.use(obj, side)
		}
		return false
	})
	return err
}

// use records that a side's part of the condition uses a name.
func (k *checker) use(obj types.Object, side int) {
	names, copies := &k.out.Names[side-1], &k.out.Copies[side-1]
	if slices.Contains(*names, obj.Name()) {
		return
	}
	*names = append(*names, obj.Name())
	v, ok := obj.(*types.Var)
	if !ok || v.Parent() == nil || v.Parent() == v.Pkg().Scope() {
		return
	}
	switch v.Type().Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface, *types.Signature:
		*copies = append(*copies, obj.Name())
	}
}

func (p place) scope() *types.Scope {
	if s := p.unit.pkg.Scope().Innermost(p.pos); s != nil {
		return s
	}
	return p.unit.pkg.Scope()
}

// missing returns an error that says that a name is not in scope, and which
// are.
func (p place) missing(name string) string {
	var there []string
	later := ""
	for s := p.scope(); s != nil && s != p.unit.pkg.Scope(); s = s.Parent() {
		for _, n := range s.Names() {
			obj := s.Lookup(n)
			if _, isVar := obj.(*types.Var); !isVar {
				continue
			}
			if _, seen := s.LookupParent(n, p.pos); seen != obj {
				if n == name {
					later = "; it is declared later"
				}
			} else if !slices.Contains(there, n) {
				there = append(there, n)
			}
		}
	}
	slices.Sort(there)
	list := "no local variables"
	if len(there) > 0 {
		list = strings.Join(there, ", ")
	}
	why := fmt.Sprintf("no variable %s at %s%s; there are: %s", name, p.side.Name, later, list)
	if p.unit.bad != nil {
		why += fmt.Sprintf(" (the package has an error: %s)", words.OneLine(p.unit.bad.Error()))
	}
	return why
}

// typeError turns an error of the type checker about x into one about the
// condition.
func (k *checker) typeError(e types.Error, x ast.Expr, side int) error {
	msg := strings.ReplaceAll(words.OneLine(e.Msg), "invalid operation: ", "")
	at := x
	ast.Inspect(x, func(n ast.Node) bool { // the smallest part that begins there
		if y, ok := n.(ast.Expr); ok && y.Pos() == e.Pos {
			at = y
		}
		return true
	})
	if sel, ok := at.(*ast.Ident); ok && sideOf(sel) > 0 {
		at = x
	}
	where := ""
	if side > 0 {
		where = " at " + k.places[side-1].side.Name
	}
	return k.wrong(at, "%s%s", strings.TrimPrefix(msg, k.of(at)+" "), where)
}

func (k *checker) typeName(t types.Type, side int) string {
	return types.TypeString(t, types.RelativeTo(k.places[side-1].unit.pkg))
}
