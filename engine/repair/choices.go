package repair

import (
	"go/types"
	"slices"
	"strings"
)

// choice is a lock that may make regions atomic.
type choice struct {
	lock   *types.Var // nil: a new one
	weight int
}

// locksFor are the locks that fit the variables of tears, the best first.
func (s *search) locksFor(tears []tear) (list []choice) {
	add := func(v *types.Var, weight int) {
		if v != nil && !slices.ContainsFunc(list, func(c choice) bool { return c.lock == v }) {
			list = append(list, choice{v, weight})
		}
	}
	vars := s.varsOf(tears)
	for _, v := range vars {
		add(s.guard(v), 10)
	}
	for _, l := range contended(tears) {
		add(l, 12)
	}
	for _, v := range vars {
		for _, l := range locksBeside(v) {
			add(l, 20+s.owner(l, v))
		}
	}
	return append(list, choice{nil, 30})
}

// contended are the locks that both the torn goroutine and one that came in between took,
// by the steps of the root cause.
func contended(tears []tear) (locks []*types.Var) {
	for _, t := range tears {
		for _, st := range t.steps {
			if l := lockOf(st); l != nil && slices.ContainsFunc(t.others, func(o *Step) bool { return lockOf(o) == l }) {
				locks = append(locks, l)
			}
		}
	}
	return locks
}

// lockOf is the lock that a step takes, nil if it takes none.
func lockOf(st *Step) *types.Var {
	if v, ok := st.Obj.(*types.Var); ok && (st.Op == "lock" || st.Op == "rlock") && isLock(v.Type()) {
		return v.Origin()
	}
	return nil
}

// varsOf are the variables that the steps access, the first first.
func (s *search) varsOf(tears []tear) (vars []*types.Var) {
	for _, t := range tears {
		for _, st := range slices.Concat(t.steps, t.others) {
			if v, ok := st.Obj.(*types.Var); ok && !isLock(v.Type()) && !slices.Contains(vars, v.Origin()) {
				vars = append(vars, v.Origin())
			}
		}
	}
	return vars
}

// isLock reports whether a type is a mutex, or a pointer to one.
func isLock(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && (n.Obj().Name() == "Mutex" || n.Obj().Name() == "RWMutex")
}

// locksBeside are the locks in the struct of a field.
func locksBeside(v *types.Var) (locks []*types.Var) {
	_, st := structOf(v)
	if st == nil {
		return nil
	}
	for i := range st.NumFields() {
		if isLock(st.Field(i).Type()) {
			locks = append(locks, st.Field(i))
		}
	}
	return locks
}

// owner is a weight for a lock that is named after another field of its struct than the
// variable: it is that field's alone.
func (s *search) owner(lock, v *types.Var) int {
	_, st := structOf(v)
	for i := range st.NumFields() {
		f := st.Field(i)
		if f != lock && f != v && !isLock(f.Type()) && len(f.Name()) > 2 && strings.HasPrefix(strings.ToLower(lock.Name()), strings.ToLower(f.Name())) {
			return 15
		}
	}
	return 0
}

// structOf is the named struct type of the package that has a field.
func structOf(v *types.Var) (*types.TypeName, *types.Struct) {
	if !v.IsField() || v.Pkg() == nil {
		return nil, nil
	}
	for _, name := range v.Pkg().Scope().Names() {
		tn, ok := v.Pkg().Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		st, ok := tn.Type().Underlying().(*types.Struct)
		if !ok {
			continue
		}
		for i := range st.NumFields() {
			if st.Field(i) == v {
				return tn, st
			}
		}
	}
	return nil, nil
}
