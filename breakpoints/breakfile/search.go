package breakfile

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds of the search. They were chosen so that the property test, which
// knows the truth, sees no wrong place; what they refuse is reported as lost.
const (
	inPlace      = 0.5     // more worth than without the place: it stands where it stood
	apart        = 0.75    // between the best of equal texts and the next
	copies       = 2.5     // the same, where there are more of them than there were
	alike        = 2.0 / 3 // similarity of a changed statement
	rival        = 0.4     // similarity that makes another one a rival
	nearby       = 2.5     // worth that a move within a function may cost
	distinct     = 3       // telling tokens of a text that is hardly found twice by chance
	epsilon      = 0.01    // of sums of floats
	renamedShare = 0.5     // share of what stood around, to take a function for a renamed one
	twinShare    = 0.35    // the same, to refuse it for ever
	maxTwins     = 12      // twins that are named
	moreTwins    = "*"     // stands for more than that
)

// search looks for one place.
type search struct {
	p    Place
	toks []tok
	key  string
	tell []string
	alf  hash
	w    window
}

func newSearch(p Place) *search {
	toks := scan([]byte(p.Text))
	return &search{p: p, toks: toks, key: key(toks), tell: telling(toks), alf: hashOf(shape(toks)), w: windowIn(p)}
}

// distinctTokens counts the tokens that tell the text from others, without the
// mark for the body of a literal.
func (q *search) distinctTokens() int {
	n := 0
	for _, t := range q.tell {
		if t != elided {
			n++
		}
	}
	return n
}

// hit is a unit that is the place.
type hit struct {
	u       *unit
	changed string // how it reads differently, "" if it does not
	moved   string // why it is believed to be elsewhere
}

// once reports whether the text occurred once in its outermost function.
func (q *search) once() bool { return q.p.Of <= 1 && !q.w.has(q.w.units[q.w.at].exact) }

func (q *search) equal(units []*unit) []int {
	var out []int
	for j, u := range units {
		if u.key == q.key {
			out = append(out, j)
		}
	}
	return out
}

// inSame looks in the function that the place was in. Without a hit it says
// why not, on one line.
func (q *search) inSame(t *top) (*hit, string) {
	a := align(q.w, t.units)
	equal := q.equal(t.units)
	if len(equal) == 0 {
		return q.inPlaceChanged(a)
	}
	best, next := leaders(a, equal)
	standing := a.around(best)+sameText >= a.without()+inPlace
	switch {
	case len(equal) == 1 && q.once():
		if other, _ := q.inPlaceChanged(a); other != nil && (!standing || a.around(index(a.units, other)) >= a.around(best)+apart) {
			return nil, fmt.Sprintf("%q is elsewhere in %s now, and %q where it stood", q.p.Text, t.name, other.u.text)
		}
		if j := q.grown(a, best); j >= 0 {
			return nil, fmt.Sprintf("%q may be what became of %q, or its copy, in %s", t.units[j].text, q.p.Text, t.name)
		}
		if standing || q.distinctTokens() > distinct || a.around(best)+sameText >= a.without()-nearby {
			return &hit{u: t.units[best]}, ""
		}
		return nil, fmt.Sprintf("%q has moved within %s, too far to be sure that it is the same statement", q.p.Text, t.name)
	case standing && a.around(best) >= next+q.margin(equal) && !q.copied(a, equal, best):
		return &hit{u: t.units[best]}, ""
	case q.once():
		return nil, fmt.Sprintf("%q occurs %d times in %s now", q.p.Text, len(equal), t.name)
	}
	return nil, fmt.Sprintf("one of the equal statements %q in %s went or came, and it can't be told which", q.p.Text, t.name)
}

func index(units []*unit, h *hit) int { return slices.Index(units, h.u) }

// margin between the best of equal units and the next. One that came may be a
// copy, and what stood around the place may have gone to it, or have been
// deleted where it was: one or two neighbours tell nothing then.
func (q *search) margin(equal []int) float64 {
	if len(equal) > max(1, q.p.Of) {
		return copies
	}
	return apart
}

// copied reports whether another of the equal units has neighbours as good as the best one's,
// as after a block was copied, and too little speaks against it for a text that
// was edited around it.
func (q *search) copied(a *alignment, equal []int, best int) bool {
	if len(equal) == max(1, q.p.Of) && a.around(best) >= float64(len(q.w.units)-1)-epsilon {
		return false // nothing was
	}
	there, _ := a.near(best)
	for _, j := range equal {
		if n, _ := a.near(j); j != best && n >= there && a.around(best) < a.around(j)+nearby {
			return true
		}
	}
	return false
}

// leaders returns the unit that fits best, and the worth around the next.
func leaders(a *alignment, units []int) (best int, next float64) {
	best, next = units[0], -1
	for _, j := range units[1:] {
		w := a.around(j)
		if w > a.around(best) {
			next = max(next, a.around(best))
			best = j
		} else {
			next = max(next, w)
		}
	}
	return best, next
}

// grown is a unit that stands as well as the best one, and reads like the place
// with something put in: the place may have been copied, then changed. -1 if
// there is none.
func (q *search) grown(a *alignment, best int) int {
	for j, u := range a.units {
		if j == best || q.w.has(u.exact) || len(u.tell) <= len(q.tell) || a.around(j) < a.around(best)-epsilon {
			continue
		}
		if common := similarity(q.tell, u.tell) * float64(len(q.tell)+len(u.tell)) / 2; common > float64(len(q.tell))-epsilon && similarity(q.tell, u.tell) >= alike {
			return j
		}
	}
	return -1
}

// inPlaceChanged looks for the place where it stood, reading differently.
func (q *search) inPlaceChanged(a *alignment) (*hit, string) {
	without := a.without()
	var best *hit
	worth, next := 0.0, 0.0
	for j, u := range a.units {
		if u.key == q.key || a.around(j) < without-epsilon || q.w.has(u.exact) || q.once() && len(twice(a.units, u)) > 1 {
			continue
		}
		sum, changed := q.worthChanged(a.units, u)
		if sum += a.around(j); changed == "" {
			if sum > 0 {
				next = max(next, sum)
			}
			continue
		}
		if best == nil || sum > worth {
			next = max(next, worth)
			best, worth = &hit{u: u, changed: changed}, sum
		} else {
			next = max(next, sum)
		}
	}
	missing := fmt.Sprintf("%q is no longer in %s", q.p.Text, q.p.Func)
	switch {
	case best == nil:
		return nil, missing
	case worth < next+0.15:
		return nil, missing + ", and several statements could be what became of it"
	}
	there, were := a.near(index(a.units, best))
	if 2*there < were || were == 0 && len(a.units) > 1 {
		return nil, missing + fmt.Sprintf("; %q is alike, but not what stands around it", best.u.text)
	}
	return best, ""
}

func twice(units []*unit, u *unit) []int {
	var out []int
	for i, v := range units {
		if v.key == u.key {
			out = append(out, i)
		}
	}
	return out
}

// worthChanged is the worth of a unit that reads differently, and how it does; no
// words if it is only a rival. The worth is -1000 for one that is neither.
func (q *search) worthChanged(units []*unit, u *unit) (float64, string) {
	if u.alf == q.alf {
		if names := renames(q.toks, u.toks); gone(units, names) {
			return sameShape, "renamed " + describe(names)
		}
	}
	like := similarity(q.tell, u.tell)
	switch {
	case like < rival || u.toks[0].kind.IsKeyword() != q.toks[0].kind.IsKeyword() || u.toks[0].kind.IsKeyword() && u.toks[0].kind != q.toks[0].kind:
		return -1000, ""
	case like < alike:
		return like / 2, ""
	}
	return like / 2, fmt.Sprintf("it was %q", q.p.Text)
}

// gone reports whether no variable of the old names is left.
func gone(units []*unit, names map[string]string) bool {
	for _, u := range units {
		for i := range u.toks {
			if _, old := names[u.toks[i].text]; old && variable(u.toks, i) {
				return false
			}
		}
	}
	return true
}

func describe(names map[string]string) string {
	var parts []string
	for from, to := range names {
		parts = append(parts, from+" to "+to)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
