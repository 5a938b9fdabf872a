package breakfile

import (
	"fmt"
	"regexp"
	"slices"
)

// Locate finds a place in the text that its file has now. The error is a
// *LostError if it can't be told for sure where it is.
//
// A statement is looked for in its function first, by its text and by what
// stands around it; then, if the function has gone, in one that reads like it;
// then, if its text was the only one of its kind in the file and still is, in
// the rest of the file. A text that does not parse is searched by its tokens.
func Locate(p Place, src []byte) (Location, error) { return NewText(src).Locate(p) }

// located makes the location of a hit.
func (q *search) located(s *source, h *hit) Location {
	l := s.location(h.u)
	l.Moved = l.Line != q.p.Line || h.moved != ""
	l.Changed = h.changed != ""
	switch {
	case h.changed != "" && h.moved != "":
		l.Why = h.changed + "; " + h.moved
	case h.changed != "":
		l.Why = h.changed
	case h.moved != "":
		l.Why = h.moved
	case l.Moved:
		l.Why = fmt.Sprintf("it was on line %d", q.p.Line)
	}
	return l
}

func (q *search) inFile(s *source) (*hit, string) {
	t := s.topOf(q.p.Func)
	if t == nil {
		return q.withoutFunc(s)
	}
	h, why := q.inSame(t)
	if h != nil && h.changed == "" {
		return h, ""
	}
	other := q.elsewhere(s, t)
	switch {
	case other == nil && h != nil:
		return h, ""
	case other == nil:
		return nil, why
	case h == nil && len(q.equal(t.units)) == 0:
		return other, ""
	}
	return nil, fmt.Sprintf("%q is in %s now, and %s has something like it", q.p.Text, other.u.fn, t.name)
}

// withoutFunc looks for a place whose function has gone.
func (q *search) withoutFunc(s *source) (*hit, string) {
	var hits, same []*hit
	for _, t := range s.tops {
		h := q.inRenamedFunc(t, renamedShare)
		if h == nil || q.mayBeAnother(s, t, h) {
			continue
		}
		h.moved = fmt.Sprintf("in %s now, which reads as %s did", h.u.fn, q.p.Func)
		if hits = append(hits, h); base(t.name) == base(q.outermost()) {
			same = append(same, h)
		}
	}
	switch {
	case len(same) > 0:
		hits = same // its type has a new name
	case len(hits) > 0 && s.retyped(q.outermost()) != nil:
		return nil, fmt.Sprintf("%s may be %s now, where it is not to be found, and %s reads as it did", s.retyped(q.outermost()).name, q.p.Func, hits[0].u.fn)
	}
	switch len(hits) {
	case 1:
		return hits[0], ""
	case 0:
		if h := q.elsewhere(s, nil); h != nil {
			return h, ""
		}
		return nil, fmt.Sprintf("there is no %s any more, and no function that reads as it did", q.p.Func)
	}
	return nil, fmt.Sprintf("there is no %s any more, and both %s and %s read as it did", q.p.Func, hits[0].u.fn, hits[1].u.fn)
}

// elsewhere looks for a text that stood once in the file, in its other
// functions.
func (q *search) elsewhere(s *source, own *top) *hit {
	if q.p.Elsewhere > 0 || !q.once() || q.distinctTokens() < distinct {
		return nil
	}
	equal := q.equal(s.units)
	if len(equal) != 1 || s.units[equal[0]].top == own {
		return nil
	}
	u := s.units[equal[0]]
	return &hit{u: u, moved: fmt.Sprintf("in %s now, it was in %s", u.fn, q.p.Func)}
}

var literal = regexp.MustCompile(`\.func\d+(\.\d+)*$`)

func (q *search) outermost() string { return literal.ReplaceAllString(q.p.Func, "") }

// topOf is the declaration around a function, nil if there is none, or several.
func (s *source) topOf(fn string) *top {
	for _, name := range []string{fn, literal.ReplaceAllString(fn, "")} {
		var found []*top
		for _, t := range s.tops {
			if t.name == name {
				found = append(found, t)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return nil
}

// LocateIn finds a place in the files of its package, by their names as in
// Place.File: in its own; or, if that has gone or has its function no longer,
// in the one that has it now.
func LocateIn(p Place, files map[string][]byte) (file string, at Location, err error) {
	own, here := files[p.File]
	var lost error = &LostError{p, fmt.Sprintf("there is no file %s any more", p.File)}
	if here {
		if at, err = Locate(p, own); err == nil {
			return p.File, at, nil
		}
		lost = err
		if s, perr := parse(own); perr != nil || s.topOf(p.Func) != nil {
			return "", Location{}, lost
		}
	}
	q := newSearch(p)
	type found struct {
		file string
		at   Location
	}
	var sure, like []found
	for _, name := range sorted(files) {
		s, perr := parse(files[name])
		if name == p.File || perr != nil || len(scan([]byte(p.Text))) == 0 {
			continue
		}
		if t := s.topOf(p.Func); t != nil {
			if h, _ := q.inSame(t); h != nil {
				h.moved = fmt.Sprintf("in %s now, it was in %s", name, p.File)
				sure = append(sure, found{name, q.located(s, h)})
			}
			continue
		}
		if !here { // the file was renamed, and perhaps the function too
			if h, _ := q.withoutFunc(s); h != nil && h.changed == "" {
				h.moved = fmt.Sprintf("in %s now, it was in %s of %s", name, p.Func, p.File)
				like = append(like, found{name, q.located(s, h)})
			}
		}
	}
	if len(sure) == 0 {
		sure = like
	}
	switch len(sure) {
	case 0:
		return "", Location{}, lost
	case 1:
		return sure[0].file, sure[0].at, nil
	}
	return "", Location{}, &LostError{p, fmt.Sprintf("%s, and both %s and %s have the statement", lost, sure[0].file, sure[1].file)}
}

func sorted(files map[string][]byte) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
