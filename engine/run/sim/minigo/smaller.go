package minigo

import (
	"iter"
	"slices"
)

// Smaller are the programs that lack one statement, one case or one default of
// p, or have what is in a statement in its place; all numbered anew.
func (p *Program) Smaller() iter.Seq[*Program] {
	return func(yield func(*Program) bool) {
		for at, n := 0, p.Number(); at < n; at++ {
			for way := 0; ; way++ {
				q := p.Clone()
				list, i := q.find(at)
				if !smaller(list, i, way) {
					break
				}
				if q.Number(); !yield(q) {
					return
				}
			}
		}
	}
}

// find is the list of the statement that Walk visits after at others, and its
// index there.
func (p *Program) find(at int) (in *[]*Stmt, index int) {
	var look func(list *[]*Stmt)
	look = func(list *[]*Stmt) {
		for i, s := range *list {
			if at == 0 && in == nil {
				in, index = list, i
			}
			at--
			for _, b := range s.blocks() {
				look(b)
			}
		}
	}
	for t := range p.Threads {
		look(&p.Threads[t])
	}
	return in, index
}

// smaller changes a statement in one of several ways; false: there are fewer.
func smaller(list *[]*Stmt, i, way int) bool {
	s := (*list)[i]
	switch n := len(s.Cases); {
	case way == 0:
		*list = slices.Delete(*list, i, i+1)
	case way <= len(s.blocks()):
		inner := *s.blocks()[way-1]
		*list = slices.Replace(*list, i, i+1, inner...)
	case way <= len(s.blocks())+n:
		s.Cases = slices.Delete(s.Cases, way-len(s.blocks())-1, way-len(s.blocks()))
		if len(s.Cases) == 0 {
			*list = slices.Delete(*list, i, i+1)
		}
	case way == len(s.blocks())+n+1 && s.Default:
		s.Default, s.Else = false, nil
	default:
		return false
	}
	return true
}
