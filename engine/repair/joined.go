package repair

import "go/ast"

// joined is for a decision that is made in one critical section and acted on in the next
// of the same lock, or between the two: both become one. It needs no second access in the
// root cause, since what is acted on may be another variable.
func joined(s *search) {
	done := map[ast.Stmt]bool{}
	for _, st := range s.steps {
		if st == nil {
			continue
		}
		for f := st; f != nil; f = f.Caller {
			fn := function{f.Pkg, f.File, f.Fn}
			for _, first := range s.locksOf(fn) {
				if first.deferred != nil || done[first.take] || f.At() < first.take.End() {
					continue
				}
				next := s.nextSection(fn, first)
				if next == nil || f.At() > next.take.Pos() {
					continue
				}
				done[first.take] = true
				s.join(fn, first, next)
			}
		}
	}
}

// nextSection is the section of the same lock that follows in the same list.
func (s *search) nextSection(fn function, first *section) (next *section) {
	for _, sec := range s.locksOf(fn) {
		if sec.obj != first.obj || sec.take.Pos() < first.to || s.Code.source(sec.lock) != s.Code.source(first.lock) ||
			indexAt(first.list, sec.take.Pos()) < 0 {
			continue
		}
		if next == nil || sec.take.Pos() < next.take.Pos() {
			next = sec
		}
	}
	return next
}

func (s *search) join(fn function, first, next *section) {
	r := regionOf(fn, first.take, next.take)
	if r == nil {
		return
	}
	text := s.Code.source(first.lock)
	d := s.draft()
	made, err := s.enclose(d, r, lockAt{first.obj, text, first.read && next.read})
	if err != nil {
		return // the rule for torn regions has told why
	}
	s.add(Repair{Title: "Make " + s.linesOf([]Region{made}) + " atomic with " + text, Kind: ExtendLock, Regions: []Region{made}, Weight: 12 + (made.To-made.From)/8}, d)
}
