package decided

import (
	"go/types"
)

// region is memory that can be reached from each other. Regions are joined; flags
// are of the root.
type region struct {
	up     *region
	shared bool // others may come to it
	open   bool // open values were put into it
	global bool // it holds package variables
	later  bool // it is written after the initialisation of packages
}

func (r *region) root() *region {
	for r.up != nil {
		if r.up.up != nil {
			r.up = r.up.up
		}
		r = r.up
	}
	return r
}

// isOpen reports whether what is read from it is open.
func (r *region) isOpen() bool {
	r = r.root()
	return r.open || r.shared || r.global && r.later
}

// join makes two regions one; nil is none. It reports whether anything changed.
func join(a, b *region) bool {
	if a == nil || b == nil {
		return false
	}
	a, b = a.root(), b.root()
	if a == b {
		return false
	}
	b.up = a
	a.shared = a.shared || b.shared
	a.open = a.open || b.open
	a.global = a.global || b.global
	a.later = a.later || b.later
	return true
}

// set sets a flag of a root, and reports whether it was not set.
func set(flag *bool) bool {
	if *flag {
		return false
	}
	*flag = true
	return true
}

// reaches reports whether memory can be reached through a value of the type.
// Strings can't be written, so that they are values.
func (a *analysis) reaches(t types.Type) bool {
	if known, ok := a.types[t]; ok {
		return known
	}
	a.types[t] = true // of a type that contains itself
	out := true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		out = u.Kind() == types.UnsafePointer
	case *types.Array:
		out = a.reaches(u.Elem())
	case *types.Struct:
		out = false
		for f := range u.Fields() {
			out = out || a.reaches(f.Type())
		}
	case *types.Tuple:
		out = false
		for v := range u.Variables() {
			out = out || a.reaches(v.Type())
		}
	}
	a.types[t] = out
	return out
}
