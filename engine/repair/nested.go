package repair

import (
	"slices"
)

// nested is for a lock that a goroutine takes again while it holds it: what is called
// within its section is called in a variant that does not lock.
func nested(s *search) {
	byG := map[string][]*Step{}
	for _, st := range slices.Concat(s.steps, s.blocked) {
		if st != nil && (st.Op == "lock" || st.Op == "rlock") {
			byG[st.Goroutine] = append(byG[st.Goroutine], st)
		}
	}
	for _, own := range byG {
		for _, outer := range own {
			fn := function{outer.Pkg, outer.File, outer.Fn}
			for _, sec := range s.locksOf(fn) {
				if s.Code.line(sec.take.Pos()) == outer.Line {
					s.lockOnce(fn, sec)
				}
			}
		}
	}
}

// lockOnce calls variants within a section.
func (s *search) lockOnce(fn function, sec *section) {
	last := len(sec.list) - 1
	if i := indexAt(sec.list, sec.to); i >= 0 && sec.deferred == nil {
		last = i
	}
	r := &region{fn: fn, list: sec.list, from: min(sec.at+1, last), to: last}
	d := s.draft()
	l := lockAt{sec.obj, s.Code.source(sec.lock), sec.read}
	if err := s.unlockCalls(d, r, l, nil); err != nil {
		s.refuse("Take "+l.text+" once", err.Error())
		return
	}
	s.add(Repair{Title: "Take " + l.text + " once, at line " + itoa(s.Code.line(sec.take.Pos())), Kind: Other, Weight: 5}, d)
}
