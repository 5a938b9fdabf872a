package repair

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// tear is what a goroutine did while another one came in between: from the first to
// the last of its steps that were torn apart.
type tear struct {
	steps  []*Step // of the goroutine, in order
	others []*Step // of others, in between
}

// tears are those of the root cause, a goroutine each, in the order in which they begin.
// Wide ones take in all steps of the goroutine: with orders on both sides of a step,
// others may come in between elsewhere in the next run. Narrow ones begin at the first
// step after which another goroutine's comes. That a goroutine started others is no part.
func (s *search) tears(wide bool) (all []tear) {
	byG := map[string][]*Step{}
	var order []string
	for _, st := range s.steps {
		if st == nil || st.Op == "go" {
			continue
		}
		if byG[st.Goroutine] == nil {
			order = append(order, st.Goroutine)
		}
		byG[st.Goroutine] = append(byG[st.Goroutine], st)
	}
	for _, g := range order {
		own := byG[g]
		from, to := -1, -1
		for i := 1; i < len(own); i++ {
			if own[i].Index > own[i-1].Index+1 {
				if from < 0 {
					from = i - 1
				}
				to = i
			}
		}
		if from < 0 {
			continue
		}
		if wide {
			from, to = 0, len(own)-1
		}
		t := tear{steps: own[from : to+1]}
		for _, st := range s.steps[own[from].Index:own[to].Index] {
			if st != nil && st.Goroutine != g {
				t.others = append(t.others, st)
			}
		}
		if len(t.others) > 0 {
			all = append(all, t)
		}
	}
	return all
}

// decisions are tears as narrow as a decision and what was done on it: a look at a
// variable, the next step of the goroutine, and of the others only what changed the
// variable in between. What the others waited for or ended then may stay outside.
func (s *search) decisions() (all []tear) {
	for _, t := range s.tears(true) {
		for i, st := range t.steps[:len(t.steps)-1] {
			next := t.steps[i+1]
			if st.Op != "read" && st.Op != "load" || st.Obj == nil || next.Obj == st.Obj {
				continue
			}
			d := tear{steps: []*Step{st, next}}
			for _, o := range t.others {
				if st.Index < o.Index && o.Index < next.Index && o.Obj == st.Obj && (o.Op == "write" || o.Op == "store" || o.Op == "cas") {
					d.others = append(d.others, o)
				}
			}
			if len(d.others) > 0 && len(d.others) < len(t.others) {
				all = append(all, d)
			}
		}
	}
	return all
}

// place is a range of statements that is to be atomic, and the nodes in it through which
// the steps go.
type place struct {
	*region
	nodes []ast.Node
	known bool // the finding names the whole way
}

// places are where the steps of a tear are done by one function, the innermost first.
func (s *search) places(steps []*Step) (all []place) {
	ways := make([][]via, len(steps))
	for i, st := range steps {
		ways[i] = s.ways(st)
	}
	for _, w := range ways[0] {
		nodes, known := []ast.Node{w.node}, w.known
		for _, other := range ways[1:] {
			// Of two calls of one helper, each step takes its own, in their order.
			at := slices.IndexFunc(other, func(v via) bool {
				return v.fn.node == w.fn.node && (v.known || v.node.Pos() >= nodes[len(nodes)-1].Pos())
			})
			if at < 0 {
				at = slices.IndexFunc(other, func(v via) bool { return v.fn.node == w.fn.node })
			}
			if at < 0 {
				break
			}
			nodes, known = append(nodes, other[at].node), known && other[at].known
		}
		if len(nodes) < len(steps) {
			continue
		}
		if !slices.ContainsFunc(nodes, func(n ast.Node) bool { return n != nodes[0] }) &&
			!slices.ContainsFunc(steps, func(st *Step) bool { return st.Op != steps[0].Op }) {
			continue // one access of a helper, done twice, is not torn by itself; x++ is
		}
		if r := regionOf(w.fn, nodes...); r != nil {
			all = append(all, place{r, nodes, known})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		switch {
		case a.known == b.known:
			return 0
		case a.known:
			return -1
		}
		return 1
	})
	return all
}

// torn proposes to make what was torn apart atomic: with the lock that guards the
// variables elsewhere, with another one that lies beside them, or with a new one.
func torn(s *search) {
	for _, t := range s.decisions() {
		for _, c := range s.locksFor([]tear{t}) {
			c.weight += 2
			s.proposeAtomic([]tear{t}, c, false)
		}
	}
	for i, wide := range []bool{true, false} {
		tears := s.tears(wide)
		for n := 1; n <= len(tears) && n <= 2; n++ {
			for _, c := range s.locksFor(tears[:n]) {
				c.weight += i
				s.proposeAtomic(tears[:n], c, false)
				c.weight += 3
				s.proposeAtomic(tears[:n], c, true)
			}
		}
	}
}

// proposeAtomic proposes to make the tears atomic with one lock, in the innermost
// function that does all of a tear and can hold the lock. With all, the regions take in
// what else the functions do with variables that belong together, and what others do in
// several sections becomes one.
func (s *search) proposeAtomic(tears []tear, c choice, all bool) {
	for i, at := range s.places(tears[0].steps) {
		if s.testCalls(at) && (c.lock != nil && !isTestFile(s.Code.name(c.lock.Pos())) || startsOthers(at.region)) {
			continue // a test would hold a lock of what it tests, or do all in turn
		}
		d := s.draft()
		lock, kind, new := c.lock, ExtendLock, ""
		if lock == nil {
			if s.takenTwice(tears) {
				return // who waits for a lock that it holds would still hold it
			}
			if lock = s.newLock(d, s.ownersOf(tears, at)); lock == nil {
				return
			}
			kind, new = NewLock, ", a new mutex"
		}
		regions, err := s.atomicAt(d, tears, at, lock, all)
		title := "Make " + s.linesOf(regions) + " atomic with " + with(regions, lock) + new
		switch {
		case err == errHeld, err == errTest:
			continue
		case err != nil:
			s.refuse(title, err.Error())
			continue
		}
		if inner := s.tornBelow(at, regions); inner != nil {
			s.refuse(title, staysTorn(*inner))
			continue
		}
		weight := c.weight + 5*i + 4*(len(regions)-1)
		for _, r := range regions {
			weight += (r.To - r.From) / 8
		}
		if s.takenAgain(at, lock) {
			weight += 6 // one section does it too
		}
		s.add(Repair{Title: title, Kind: kind, Regions: regions, Weight: weight, newIn: s.placeOfLock(lock)}, d)
		return
	}
}

// ownersOf are the variables beside which a new lock belongs: what the steps access, or,
// where they go through calls, the package variable or field whose methods are called, in
// tests also a local one.
func (s *search) ownersOf(tears []tear, at place) (vars []*types.Var) {
	inTest := s.testCalls(at)
	for _, n := range at.nodes {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if v, ok := at.fn.pkg.Info.ObjectOf(identOf(sel.X)).(*types.Var); ok &&
			(inTest || v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope()) && !slices.Contains(vars, v.Origin()) {
			vars = append(vars, v.Origin())
		}
	}
	if len(vars) > 0 || inTest {
		return vars
	}
	vars = s.varsOf(tears)
	if len(vars) == 0 {
		return nil
	}
	tn, _ := structOf(vars[0])
	switch bases := s.instances(at, tn); {
	case len(bases) > 1:
		return s.commonOwners(at, bases, tn)
	case len(bases) == 0 && tn != nil:
		if around := s.fieldsOf(at.fn, tn); len(around) > 0 {
			return around // the lines know it through these
		}
	}
	return vars
}

func with(regions []Region, lock *types.Var) string {
	if len(regions) > 0 {
		return regions[0].With
	}
	return lock.Name()
}

// linesOf names the lines of regions.
func (s *search) linesOf(regions []Region) string {
	if len(regions) == 0 {
		return "the lines"
	}
	var parts []string
	for _, r := range regions {
		if r.From == r.To {
			parts = append(parts, fmt.Sprintf("line %d", r.From))
		} else {
			parts = append(parts, fmt.Sprintf("lines %d-%d", r.From, r.To))
		}
	}
	return strings.Join(parts, " and ")
}

var (
	errHeld = fmt.Errorf("the lock is held there already")
	errTest = fmt.Errorf("a test would hold a lock of what it tests")
)

// atomicAt encloses the first tear at a place, and what else must hold the lock.
func (s *search) atomicAt(d *Draft, tears []tear, at place, lock *types.Var, all bool) ([]Region, error) {
	todo := []place{at}
	for _, t := range tears[1:] {
		options := s.places(t.steps)
		if len(options) == 0 {
			return nil, fmt.Errorf("no function does all that %s did", t.steps[0].Goroutine)
		}
		todo = append(todo, options[0])
	}
	for _, t := range tears {
		for _, o := range t.others {
			if lockOf(o) == lock {
				continue // its section begins there
			}
			if p, ok := s.unguarded(o, lock, todo); ok {
				todo = append(todo, p)
			}
		}
	}
	if all {
		for _, t := range tears {
			todo = append(todo, s.inParts(t, lock)...)
		}
	}
	todo = merged(todo)
	if all {
		s.widen(todo)
	}
	if lock.Pos() == token.NoPos { // a new one
		for i := range todo {
			todo[i] = s.around(todo[i])
		}
	}
	var regions []Region
	for i, p := range todo {
		if tn := s.structOfLock(lock); len(s.instances(p, tn)) > 1 {
			return []Region{s.span(p.region, lock.Name())}, fmt.Errorf("%s guards one %s, and these lines are about two", lock.Name(), tn.Name())
		}
		text, ok := s.lockText(p, lock)
		if !ok {
			if s.isTest(p.fn) && (!s.isTest(at.fn) || lock.Pos().IsValid() && !isTestFile(s.Code.name(lock.Pos()))) {
				return nil, errTest
			}
			return regions, fmt.Errorf("%s can't be named at %s:%d", lock.Name(), base(s.Code.name(p.first().Pos())), s.Code.line(p.first().Pos()))
		}
		if i == 0 && s.within(p, lock, text) {
			return regions, errHeld
		}
		l := lockAt{lock, text, s.onlyReads(p, lock, tears)}
		r, err := s.enclose(d, s.withUpdates(p.region, l), l)
		if err != nil {
			return []Region{s.span(p.region, text)}, err
		}
		regions = append(regions, r)
	}
	slices.SortStableFunc(regions, func(a, b Region) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.From, b.From)) })
	return regions, nil
}

// inParts are the places where a goroutine that came in between did its steps in more than
// one section of a lock: who holds the lock between these sees a part of them.
func (s *search) inParts(t tear, lock *types.Var) (list []place) {
	var order []string
	of := map[string][]*Step{}
	in := map[string][]*section{}
	for _, o := range t.others {
		sec := s.sectionAt(function{o.Pkg, o.File, o.Fn}, o.At())
		if sec == nil || sec.obj != lock || lockOf(o) != nil {
			continue
		}
		if of[o.Goroutine] == nil {
			order = append(order, o.Goroutine)
		}
		of[o.Goroutine] = append(of[o.Goroutine], o)
		if !slices.Contains(in[o.Goroutine], sec) {
			in[o.Goroutine] = append(in[o.Goroutine], sec)
		}
	}
	for _, g := range order {
		if len(in[g]) < 2 {
			continue
		}
		if at := s.places(of[g]); len(at) > 0 && !s.isTest(at[0].fn) {
			list = append(list, at[0])
		}
	}
	return list
}

// onlyReads reports whether a read lock is enough at a place: all that is done there, as
// far as the root cause knows, reads, and holds no more than that today.
func (s *search) onlyReads(p place, lock *types.Var, tears []tear) bool {
	if !isRW(lock) {
		return false
	}
	for _, t := range tears {
		for _, st := range slices.Concat(t.steps, t.others) {
			if !slices.ContainsFunc(s.ways(st), func(v via) bool { return v.fn.node == p.fn.node && p.has(v.node.Pos()) }) {
				continue
			}
			if st.Op != "read" && st.Op != "load" && st.Op != "send" && st.Op != "receive" && !s.guardedBy(st, lock, t) {
				return false
			}
			for _, sec := range s.locksOf(function{st.Pkg, st.File, st.Fn}) {
				if sec.obj == lock && !sec.read && sec.holds(st.At()) {
					return false
				}
			}
		}
	}
	return true
}

// guardedBy reports whether what a step of a torn goroutine writes is guarded by another
// lock than the one that is to be held, which all that came in between holds for writing.
func (s *search) guardedBy(st *Step, lock *types.Var, t tear) bool {
	v, ok := st.Obj.(*types.Var)
	if !ok || !slices.Contains(t.steps, st) {
		return false
	}
	if g := s.guard(v.Origin()); g == nil || g == lock {
		return false
	}
	return !slices.ContainsFunc(t.others, func(o *Step) bool {
		return !slices.ContainsFunc(s.locksOf(function{o.Pkg, o.File, o.Fn}), func(sec *section) bool {
			return sec.obj == lock && !sec.read && sec.holds(o.At())
		})
	})
}

func (s *search) span(r *region, text string) Region {
	return Region{File: s.Code.name(r.first().Pos()), From: s.Code.line(r.first().Pos()), To: s.Code.line(r.last().End()), With: text}
}

// within reports whether a whole region lies in one critical section of the lock.
func (s *search) within(p place, lock *types.Var, text string) bool {
	return slices.ContainsFunc(s.locksOf(p.fn), func(sec *section) bool {
		return sec.obj == lock && s.Code.source(sec.lock) == text && !sec.read && sec.holds(p.first().Pos()) && sec.holds(p.last().End()-1)
	})
}

// unguarded is the statement of a step that does not hold the lock, unless one of the
// places has it already. With a new lock it is the statement of the outermost function
// that the finding names, an accessor may be called with the lock held: of a test only if
// the first place is in one.
func (s *search) unguarded(st *Step, lock *types.Var, have []place) (place, bool) {
	for _, w := range s.ways(st) {
		if slices.ContainsFunc(have, func(p place) bool { return p.fn.node == w.fn.node && p.has(w.node.Pos()) }) ||
			s.held(w.fn, w.node.Pos(), lock) {
			return place{}, false
		}
	}
	if lock.Pos() == token.NoPos {
		for st.Caller != nil && (s.isTest(have[0].fn) || !isTestFile(st.Caller.Access.File)) {
			st = st.Caller
		}
	}
	fn := function{st.Pkg, st.File, st.Fn}
	r := regionOf(fn, st.Path[0])
	return place{r, []ast.Node{st.Path[0]}, true}, r != nil
}

// merged joins places of one function.
func merged(list []place) (out []place) {
	for _, p := range list {
		joined := false
		for i, o := range out {
			if o.fn.node != p.fn.node {
				continue
			}
			nodes := slices.Concat(o.nodes, p.nodes)
			if r := regionOf(o.fn, append(slices.Clone(nodes), ast.Node(o.first()), o.last(), p.first(), p.last())...); r != nil {
				out[i], joined = place{r, nodes, o.known && p.known}, true
				break
			}
		}
		if !joined {
			out = append(out, p)
		}
	}
	return out
}
