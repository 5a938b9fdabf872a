package repair

import "slices"

// writers is for what is written with a lock held for reading only: by the function that
// holds it, or by one that it calls.
func writers(s *search) {
	var seen []*section
	for _, st := range s.known() {
		if st.Op != "write" {
			continue
		}
		for _, w := range s.ways(st) {
			sec := s.sectionAt(w.fn, w.node.Pos())
			if sec == nil {
				continue
			}
			if sec.read && !slices.Contains(seen, sec) {
				seen = append(seen, sec)
				s.lockForWriting(w.fn, sec)
			}
			break // what holds the lock for writing further out is of no use here
		}
	}
}

// lockForWriting makes a section that reads one that writes.
func (s *search) lockForWriting(fn function, sec *section) {
	if sec.deferred == nil && len(sec.releases) == 0 {
		return // others release it
	}
	for _, o := range s.locksOf(fn) {
		if o != sec && o.obj == sec.obj && o.read && sec.holds(o.take.Pos()) {
			return // it is released and taken again in between
		}
	}
	read := lockAt{sec.obj, s.Code.source(sec.lock), true}
	write := lockAt{sec.obj, read.text, false}
	d := s.draft()
	s.tellReaders(d, []*section{sec})
	d.Replace(sec.take.X, write.take())
	to := s.Code.line(sec.to)
	if sec.deferred != nil {
		if _, _, name := lockCall(fn.pkg.Info, sec.deferred.Call); name != "RUnlock" {
			return // in a function literal
		}
		d.Replace(sec.deferred.Call, write.release())
	}
	for _, r := range sec.releases {
		if s.Code.source(r) != read.release() {
			return
		}
		d.Replace(r, write.release())
	}
	from := s.Code.line(sec.take.Pos())
	r := Region{File: s.Code.name(sec.take.Pos()), From: from, To: to, With: write.text}
	s.add(Repair{Title: "Hold " + write.text + " for writing at " + s.linesOf([]Region{r}), Kind: ExtendLock, Regions: []Region{r}, Weight: 8}, d)
}
