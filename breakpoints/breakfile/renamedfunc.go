package breakfile

import (
	"encoding/base64"
	"slices"
	"strings"
)

// inRenamedFunc looks in a function that may be the one of the place under a new
// name: enough of what stood around must be there.
func (q *search) inRenamedFunc(t *top, share float64) *hit {
	a := align(q.w, t.units)
	around := float64(len(q.w.units) - 1)
	if around < 1 {
		return nil // nothing to tell it by
	}
	var h *hit
	if equal := q.equal(t.units); len(equal) > 0 {
		best, next := leaders(a, equal)
		if share != twinShare && (a.around(best) < next+q.margin(equal) || a.around(best) < a.without()-epsilon) {
			return nil
		}
		h = &hit{u: t.units[best]}
	} else if h = q.renamed(a); h == nil {
		return nil
	}
	if a.around(index(a.units, h)) < share*around {
		return nil
	}
	return h
}

// renamed is the one unit of the place's shape that stands where it stood.
func (q *search) renamed(a *alignment) *hit {
	var best *hit
	for j, u := range a.units {
		if u.alf != q.alf || a.around(j) < a.without()-sameShape-epsilon {
			continue
		}
		if best != nil {
			return nil
		}
		best = &hit{u: u, changed: "renamed " + describe(renames(q.toks, u.toks))}
	}
	return best
}

// mayBeAnother reports whether the function may not be the place's under a new
// name: it was there when the place was set, or is a copy of one that was. Base
// names are compared too, since the type of a receiver may have a new name.
func (q *search) mayBeAnother(s *source, t *top, h *hit) bool {
	around := align(q.w, t.units).around(index(t.units, h))
	if q.hadEqual(s, t, around) {
		return true
	}
	worth := around + sameText
	for _, name := range q.p.Twins {
		other := s.byBase(name)
		switch {
		case name == moreTwins || other == nil || other == t:
			return true // it may be the twin under a new name
		case likeness(other.units, t.units)*float64(len(q.w.units)) >= worth*float64(len(other.units))-epsilon:
			return true // it may be a copy of the twin
		}
	}
	return false
}

// others are the functions that had an equal statement when the place was set,
// as hashes of their names, and whether there were more than are kept.
type others struct {
	names []hash
	more  bool
}

// maxOthers is how many are kept.
const maxOthers = 48

func (o others) String() string {
	var b strings.Builder
	for i, h := range o.names {
		if i == maxOthers {
			b.WriteString(moreTwins)
			break
		}
		b.WriteString(h.String())
	}
	return b.String()
}

func readOthers(text string) others {
	text, more := strings.CutSuffix(text, moreTwins)
	o := others{more: more}
	for ; len(text) >= 4; text = text[4:] {
		if raw, err := base64.RawURLEncoding.DecodeString(text[:4]); err == nil {
			o.names = append(o.names, hash(raw))
		}
	}
	return o
}

// hadEqual reports whether the function had an equal statement of its own when
// the place was set, or may be one that had, under a new name.
func (q *search) hadEqual(s *source, t *top, around float64) bool {
	old := readOthers(q.p.Others)
	if slices.Contains(old.names, hashOf(t.name)) {
		return true
	}
	if around >= copies || base(t.name) == base(q.outermost()) {
		return false // much is there; or only the type's name is another
	}
	if old.more {
		return true
	}
	for _, h := range old.names {
		if !slices.ContainsFunc(s.tops, func(t *top) bool { return hashOf(t.name) == h }) {
			return true
		}
	}
	return false
}

// byBase finds the one function of a name, else the one method of that name
// on whatever type.
func (s *source) byBase(name string) *top {
	var found []*top
	for _, t := range s.tops {
		if t.name == name {
			return t
		}
		if base(t.name) == base(name) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return nil
}

// retyped is the method that may be the one of this name, if its type was
// renamed: no method of that type is left, and one method has the same name.
func (s *source) retyped(fn string) *top {
	recv, name, method := strings.Cut(fn, ").")
	if !method {
		recv, name, method = strings.Cut(fn, ".")
	}
	if !method || strings.ContainsRune(name, '.') || recv == "init" {
		return nil
	}
	recv = strings.TrimPrefix(recv, "(*")
	var found *top
	for _, t := range s.tops {
		if strings.HasPrefix(t.name, "(*"+recv+").") || strings.HasPrefix(t.name, recv+".") {
			return nil
		}
		if base(t.name) != name || t.name == name {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	return found
}

// base is a function's name without its receiver.
func base(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// likeness is the worth of an alignment of two functions.
func likeness(a, b []*unit) float64 {
	if len(a) == 0 {
		return 0
	}
	w := windowOf(a, 0)
	w.units = nil
	for _, u := range a {
		w.units = append(w.units, oldUnit{u.exact, u.alf})
	}
	w.at = len(w.units)
	w.units = append(w.units, oldUnit{})
	return align(w, b).ahead[len(a)][len(b)]
}
