package repair

import (
	"go/ast"
	"go/types"
	"slices"
)

// unlocks is for locks that are not released on some path: an early return, or a panic.
func unlocks(s *search) {
	seen := map[ast.Node]bool{}
	for _, st := range slices.Concat(s.steps, s.blocked) {
		if st == nil || seen[st.Fn] {
			continue
		}
		seen[st.Fn] = true
		fn := function{st.Pkg, st.File, st.Fn}
		for _, sec := range s.locksOf(fn) {
			if sec.deferred == nil {
				s.releaseOnAll(fn, sec)
			}
		}
	}
}

// releaseOnAll proposes a release before each exit of a section that has none, and a
// deferred one in place of all.
func (s *search) releaseOnAll(fn function, sec *section) {
	text := s.Code.source(sec.lock)
	l := lockAt{sec.obj, text, sec.read}
	last := len(sec.list) - 1
	if i := indexAt(sec.list, sec.to); i >= 0 && slices.Contains(sec.releases, sec.list[i]) {
		last = i
	}
	r := &region{fn: fn, list: sec.list, from: sec.at + 1, to: last}
	if r.from > r.to {
		return
	}
	var missing []exit
	for _, e := range exitsOf(r) {
		if !slices.ContainsFunc(e.before, func(st ast.Stmt) bool { return slices.Contains(sec.releases, st) }) {
			missing = append(missing, e)
		}
	}
	never := len(sec.releases) == 0
	if never && s.releasedBy(fn, sec.obj) {
		return // it hands the lock to who calls that
	}
	if len(missing) == 0 && !never {
		return
	}
	if len(missing) > 0 {
		d := s.draft()
		ok := true
		for _, e := range missing {
			if s.releaseAt(d, r, e, l, nil) != nil {
				ok = false
			}
		}
		if ok {
			s.add(Repair{Title: "Release " + text + " before line " + itoa(s.Code.line(missing[0].stmt.Pos())) + " leaves", Kind: Other, Weight: 3}, d)
		}
	}
	if slices.Equal(sec.list, body(fn.node).List) {
		d := s.draft()
		for _, rel := range sec.releases {
			d.Remove(rel)
		}
		d.After(sec.take, "defer "+l.release())
		s.add(Repair{Title: "Release " + text + " by defer", Kind: Other, Weight: 4}, d)
	}
}

// releasedBy reports whether a function other than the given one releases a lock that it
// does not take.
func (s *search) releasedBy(not function, lock *types.Var) (yes bool) {
	for _, fn := range s.functions() {
		if fn.node == not.node || slices.ContainsFunc(s.locksOf(fn), func(sec *section) bool { return sec.obj == lock }) {
			continue
		}
		inspectOwn(fn.node, func(n ast.Node) {
			if e, ok := n.(ast.Expr); ok {
				_, obj, name := lockCall(fn.pkg.Info, e)
				yes = yes || obj == lock && (name == "Unlock" || name == "RUnlock")
			}
		})
	}
	return yes
}
