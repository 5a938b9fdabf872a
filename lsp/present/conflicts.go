package present

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/anchor"
)

// maxPairs are kept of one package: the most suspicious ones.
const maxPairs = 2000

// Conflicts are the pairs of places of a package that may conflict, in the texts
// in which they were found; they are shown in later ones. A place whose line was
// changed or deleted is shown no more. Safe for concurrent use.
type Conflicts struct {
	pairs []engine.ConflictPair
	plain int                      // so many of them are suspicious enough to be shown unasked
	files map[string]*conflictFile // by name
}

// conflictFile is a file that pairs name, as it was.
type conflictFile struct {
	text  string
	lines []string
	pairs []int // that have a place in it, most suspicious first

	mu  sync.Mutex
	now *version // the newest text that was asked for; nil before the first
}

// NewConflicts keeps a report with the texts that it is about, by name. Places
// in other files than those are not shown.
func NewConflicts(rep *engine.ConflictReport, texts map[string]string) *Conflicts {
	shown, _ := rep.Suspicious()
	c := &Conflicts{plain: len(shown), files: map[string]*conflictFile{}}
	for i, p := range rep.Pairs {
		if len(p.Sides) != 2 {
			if i < len(shown) {
				c.plain--
			}
			continue
		}
		if len(c.pairs) == maxPairs {
			break
		}
		n := len(c.pairs)
		c.pairs = append(c.pairs, p)
		for _, s := range sidesOf(&p) {
			c.note(n, s.File, texts)
		}
	}
	return c
}

func (c *Conflicts) note(pair int, name string, texts map[string]string) {
	f := c.files[name]
	if f == nil {
		text, ok := texts[name]
		if !ok {
			return
		}
		f = &conflictFile{text: text, lines: strings.Split(text, "\n")}
		c.files[name] = f
	}
	if !slices.Contains(f.pairs[max(0, len(f.pairs)-1):], pair) {
		f.pairs = append(f.pairs, pair)
	}
}

// sidesOf are the places of a pair: its two sides, and what relies on the first.
func sidesOf(p *engine.ConflictPair) []*engine.ConflictSide {
	out := []*engine.ConflictSide{&p.Sides[0], &p.Sides[1]}
	if p.Then != nil {
		out = append(out, p.Then)
	}
	return out
}

// Pairs is how many pairs there are.
func (c *Conflicts) Pairs() int { return len(c.pairs) }

// Files are the names of the files with places, sorted.
func (c *Conflicts) Files() []string {
	names := make([]string, 0, len(c.files))
	for name := range c.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Access is a place that conflicts with another one, today.
type Access struct {
	engine.ConflictSide
	At Span
}

// Place names the access's line for users.
func (a *Access) Place() string { return fmt.Sprintf("%s:%d", path.Base(a.File), a.At.Line) }

// Label names the access in a list: "write in (*Cache).Put, cache.go:12".
func (a *Access) Label() string {
	s := a.Op
	if a.Func != "" {
		s += " in " + a.Func
	}
	return s + ", " + a.Place()
}

// Detail says under which locks and in which goroutine.
func (a *Access) Detail() string {
	locks := "no lock held"
	if len(a.Locks) > 0 {
		locks = "holds " + strings.Join(a.Locks, ", ")
	}
	if a.Goroutine != "" {
		locks += "; " + a.Goroutine
	}
	return locks
}

// Partner is a place that conflicts with the one asked for.
type Partner struct {
	Access
	Pair *engine.ConflictPair
}

// Partners are the places that conflict with what is on the lines from..to of a
// file, most suspicious first, each place once. text gives today's texts.
func (c *Conflicts) Partners(name string, from, to int, text func(name string) (string, bool)) []Partner {
	var out []Partner
	c.each(name, len(c.pairs), text, func(line int, p *engine.ConflictPair, other *engine.ConflictSide) {
		if line < from || line > to {
			return
		}
		at, ok := c.today(other, text)
		same := func(q Partner) bool { return q.File == other.File && q.At == at }
		if ok && !slices.ContainsFunc(out, same) {
			out = append(out, Partner{Access{*other, at}, p})
		}
	})
	return out
}

// Shared is a line with accesses that conflict with Places other places.
type Shared struct {
	Line, Column, Places int
}

// SharedIn are the lines of a file that have suspicious conflicts, in order.
func (c *Conflicts) SharedIn(name string, text func(name string) (string, bool)) []Shared {
	type place struct {
		file         string
		line, column int
	}
	others := map[int]map[place]bool{}
	c.each(name, c.plain, text, func(line int, _ *engine.ConflictPair, other *engine.ConflictSide) {
		if !c.there(other, text) {
			return
		}
		if others[line] == nil {
			others[line] = map[place]bool{}
		}
		others[line][place{other.File, other.Line, other.Column}] = true
	})
	if len(others) == 0 {
		return nil
	}
	now, _ := text(name)
	lines := c.files[name].in(now).lines
	out := make([]Shared, 0, len(others))
	for line, places := range others {
		out = append(out, Shared{line, trimmed(line, lineOf(lines, line)).Start, len(places)})
	}
	slices.SortFunc(out, func(a, b Shared) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// each calls f with today's line of each access of the first pairs in a file,
// and the access that conflicts with it.
func (c *Conflicts) each(name string, first int, text func(name string) (string, bool), f func(line int, p *engine.ConflictPair, other *engine.ConflictSide)) {
	file := c.files[name]
	if file == nil {
		return
	}
	now, ok := text(name)
	if !ok {
		return
	}
	to := file.in(now).to
	for _, n := range file.pairs {
		if n >= first {
			break
		}
		p := &c.pairs[n]
		for i, s := range sidesOf(p) {
			if s.File != name {
				continue
			}
			if line, ok := to.At(s.Line); ok {
				f(line, p, &p.Sides[other(i)])
			}
		}
	}
}

// other is the side that conflicts with one; what relies on the first side (2)
// conflicts with the second as that does.
func other(side int) int {
	if side == 1 {
		return 0
	}
	return 1
}

// there reports whether an access is still there.
func (c *Conflicts) there(s *engine.ConflictSide, text func(name string) (string, bool)) bool {
	file := c.files[s.File]
	if file == nil {
		return false
	}
	now, ok := text(s.File)
	if !ok {
		return false
	}
	_, ok = file.in(now).to.At(s.Line)
	return ok
}

// today is where an access is in today's text.
func (c *Conflicts) today(s *engine.ConflictSide, text func(name string) (string, bool)) (Span, bool) {
	file := c.files[s.File]
	if file == nil {
		return Span{}, false
	}
	now, ok := text(s.File)
	if !ok {
		return Span{}, false
	}
	v := file.in(now)
	line, ok := v.to.At(s.Line)
	if !ok {
		return Span{}, false
	}
	was, is := lineOf(file.lines, s.Line), lineOf(v.lines, line)
	at := trimmed(line, is)
	start, last := column(was, is, s.Column), column(was, is, s.EndColumn-1)
	if start > 0 && last >= start {
		at.Start, at.End = start, last+1
	}
	return at, true
}

// version is a text of a file with the way to it from the text as it was.
type version struct {
	text  string
	lines []string
	to    *anchor.Map
}

// in leads to a text of now; what was computed last is kept.
func (f *conflictFile) in(now string) *version {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now == nil || f.now.text != now {
		f.now = &version{now, strings.Split(now, "\n"), anchor.Between(anchor.NewText(f.text), anchor.NewText(now))}
	}
	return f.now
}

// ConflictLenses offer to break between a line and what it conflicts with.
func ConflictLenses(shared []Shared) (out []Lens) {
	for _, s := range shared {
		out = append(out, Lens{Line: s.Line, Column: s.Column, Action: BreakSet,
			Title: "conflicts with " + words.Count(s.Places, "place") + ": break between"})
	}
	return out
}

// ShownPair is a pair in today's texts.
type ShownPair struct {
	Pair  *engine.ConflictPair
	Sides [2]Access
}

// All are the pairs of which both places are there, most suspicious first.
func (c *Conflicts) All(text func(name string) (string, bool)) (out []ShownPair) {
	for i := range c.pairs {
		p := &c.pairs[i]
		a, ok1 := c.today(&p.Sides[0], text)
		b, ok2 := c.today(&p.Sides[1], text)
		if ok1 && ok2 {
			out = append(out, ShownPair{p, [2]Access{{p.Sides[0], a}, {p.Sides[1], b}}})
		}
	}
	return out
}
