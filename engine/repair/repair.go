package repair

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
)

// Kinds of repairs, as in a finding's fixes.
const (
	ExtendLock    = "extend-lock"    // a critical section takes in what it must
	NewLock       = "new-lock"       // with a mutex that was not there
	Order         = "order"          // something comes before something else
	LoopCondition = "loop-condition" // a condition is looked at again
	Other         = "other"
)

// Problem is what is to be repaired.
type Problem struct {
	Finding *report.Finding
	Roots   site.Roots
	Code    *Code
}

// Repair is a candidate.
type Repair struct {
	Title string // what it does, as a command: "Make lines 36-42 atomic with n.mu"
	Kind  string
	// Tells are what it changes for callers beside the failure, a sentence each:
	// "a message that comes after Close is dropped".
	Tells   []string
	Files   map[string][]byte // by absolute name: the new texts
	Regions []Region          // what it makes atomic; none if it is about an order
	// Dependency is the module that it changes, "" for the main module: a patch for
	// its authors.
	Dependency string
	// Weight ranks candidates that are all right: the less it changes and the better
	// it fits the cause, the lower.
	Weight int

	snapshot bool // gives up that later changes are seen
	newIn    any  // where a new lock is declared, to compare
}

// Region is a range of lines of a file, both included.
type Region struct {
	File     string // absolute
	From, To int
	With     string // the lock as written there, "n.mu"
}

// Refusal is a repair that fits but is not proposed.
type Refusal struct {
	Title string
	Why   string
}

// rule is one way to repair. It looks at the steps and adds what it proposes.
type rule func(*search)

// search is one call of Propose.
type search struct {
	*Problem
	steps   []*Step // of the root cause, in the order of the schedule
	blocked []*Step // who waits for ever, in the finding's order; nil entries are unknown places
	repairs []*Repair
	refused []Refusal

	fns    []function // kept by functions, locksOf and callers
	secs   map[ast.Node][]*section
	called map[*types.Func][]callSite
	// Kept by opposite.
	orders   map[held]token.Pos
	packages knownPackages
	// Locks that drafts add: variables, and fields with their struct.
	madeUp    map[types.Object][2]token.Pos
	newFields map[*types.Var]*types.TypeName
}

// Propose returns candidates, the smallest first, and what was refused. No candidate
// was tried.
func Propose(ctx context.Context, p *Problem) ([]*Repair, []Refusal) {
	s := &search{Problem: p}
	s.locate()
	for _, r := range rules {
		if ctx.Err() != nil {
			break
		}
		r(s)
	}
	for _, r := range s.repairs {
		for _, o := range s.repairs {
			if r.snapshot && len(o.Tells) == 0 {
				r.Weight = max(r.Weight, o.Weight+1) // the other gives up nothing
			}
		}
	}
	slices.SortStableFunc(s.repairs, func(a, b *Repair) int { return cmp.Compare(a.Weight, b.Weight) })
	return subsetsFirst(s.distinct()), s.refused
}

// distinct leaves out candidates with the texts of an earlier one, and those that differ from
// one only in the name of a new lock of the same struct or scope.
func (s *search) distinct() (list []*Repair) {
	sameButLock := func(a, b *Repair) bool {
		return a.Kind == NewLock && b.Kind == NewLock && a.newIn == b.newIn && len(a.Regions) > 0 && slices.EqualFunc(a.Regions, b.Regions, func(x, y Region) bool {
			return x.File == y.File && x.From == y.From && x.To == y.To
		})
	}
	for _, r := range s.repairs {
		if !slices.ContainsFunc(list, func(o *Repair) bool { return maps.EqualFunc(o.Files, r.Files, bytes.Equal) || sameButLock(o, r) }) {
			list = append(list, r)
		}
	}
	return list
}

// subsetsFirst puts what holds a lock at some lines before what holds it at more.
func subsetsFirst(list []*Repair) (sorted []*Repair) {
	for _, r := range list {
		at := slices.IndexFunc(sorted, func(o *Repair) bool { return len(r.Regions) > 0 && len(r.Regions) < len(o.Regions) && r.within(o) })
		if at < 0 {
			at = len(sorted)
		}
		sorted = slices.Insert(sorted, at, r)
	}
	return sorted
}

// within reports whether all regions of a repair lie in those of another one.
func (r *Repair) within(o *Repair) bool {
	return !slices.ContainsFunc(r.Regions, func(a Region) bool {
		return !slices.ContainsFunc(o.Regions, func(b Region) bool {
			return a.File == b.File && a.With == b.With && b.From <= a.From && a.To <= b.To
		})
	})
}

// add proposes a repair made of a draft, unless the draft changes nothing or can't be
// made.
func (s *search) add(r Repair, d *Draft) {
	files, err := d.Files()
	if err != nil {
		s.refuse(r.Title, err.Error())
		return
	}
	if len(files) == 0 {
		return
	}
	if s.editsTests(files) && !s.inTests() {
		return // the fault lies in what they test
	}
	if err := s.opposite(files); err != nil {
		s.refuse(r.Title, err.Error())
		return
	}
	r.Tells = append(r.Tells, d.tells...)
	r.Weight += d.weight
	r.Files, r.Dependency = files, s.dependency(files)
	if r.Dependency != "" {
		r.Weight += 1000 // last: its users can't apply it
	}
	if s.editsTests(files) {
		r.Weight += 100 // what is tested may be mended for all who use it
	}
	s.repairs = append(s.repairs, &r)
}

func (s *search) editsTests(files map[string][]byte) bool {
	for name := range files {
		if isTestFile(name) {
			return true
		}
	}
	return false
}

// InTests reports whether the cause of a problem lies in tests: all its steps do, or a
// check of the test failed and what was torn apart are calls that one of its functions
// makes. What is tested should neither panic nor wait for ever, whatever the test calls.
func InTests(p *Problem) bool {
	s := &search{Problem: p}
	s.locate()
	return s.inTests()
}

func (s *search) inTests() bool {
	code := slices.ContainsFunc(s.Finding.RootCause, func(a report.Access) bool {
		return !isTestFile(a.File) && !strings.HasPrefix(a.File, "std/")
	})
	if !code {
		return !slices.ContainsFunc(s.known(), func(st *Step) bool { _, _, guarded := s.calledBack(st); return guarded })
	}
	if s.Finding.Kind != "test-failure" {
		return false
	}
	inTest := false
	for _, t := range s.tears(true) {
		if s.tornInCode(t) {
			return false
		}
		at := s.places(t.steps)
		inTest = inTest || len(at) > 0 && s.testCalls(at[0])
	}
	return inTest
}

// calledBack is the call that is given the function literal which a step is in, the innermost
// one, and the function that is called; guarded if that calls what it is given with a lock
// held. Then it should not happen at once with others of these.
func (s *search) calledBack(st *Step) (call *ast.CallExpr, f function, guarded bool) {
	for i, n := range st.Path[:max(0, len(st.Path)-1)] {
		lit, ok := n.(*ast.FuncLit)
		c, ok2 := st.Path[i+1].(*ast.CallExpr)
		if !ok || !ok2 || !slices.Contains(c.Args, ast.Expr(lit)) {
			continue
		}
		f, ok := s.bodyOfCall(function{st.Pkg, st.File, st.Fn}, c)
		if !ok || s.isTest(f) {
			return nil, function{}, false
		}
		inspectOwn(f.node, func(n ast.Node) {
			inner, ok := n.(*ast.CallExpr)
			if !ok {
				return
			}
			v, ok := f.pkg.Info.ObjectOf(identOf(inner.Fun)).(*types.Var)
			guarded = guarded || ok && !v.IsField() && s.sectionAt(f, inner.Pos()) != nil
		})
		return c, f, guarded
	}
	return nil, function{}, false
}

// tornInCode reports whether one function that is tested does two steps of a tear between
// which others came: its callers can't mend that for all.
func (s *search) tornInCode(t tear) bool {
	for i, from := range t.steps {
		for _, to := range t.steps[i+1:] {
			if !slices.ContainsFunc(t.others, func(o *Step) bool { return from.Index < o.Index && o.Index < to.Index }) {
				continue
			}
			if at := s.places([]*Step{from, to}); len(at) > 0 && !s.isTest(at[0].fn) {
				return true
			}
		}
	}
	return false
}

func (s *search) isTest(fn function) bool {
	return isTestFile(s.Code.name(fn.file.FileStart))
}

func isTestFile(name string) bool { return strings.HasSuffix(name, "_test.go") }

// isAccess is true of all but calls: what the code under test handed out is read there.
func isAccess(n ast.Node) bool {
	_, call := n.(*ast.CallExpr)
	return !call
}

func (s *search) refuse(title, why string) {
	if !slices.Contains(s.refused, Refusal{title, why}) {
		s.refused = append(s.refused, Refusal{title, why})
	}
}
