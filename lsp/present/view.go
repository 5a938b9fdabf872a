package present

import (
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
)

// State says how a finding relates to today's texts; see the package comment.
type State string

const (
	Current State = "current"
	Changed State = "changed"
	Older   State = "older"
	Fixed   State = "fixed"
)

// Known is a finding as a server knows it.
type Known struct {
	*engine.Stored
	// Dir is the package's folder below the module's root, "" for the root.
	Dir string
	// Seen: this server has had it as current before.
	Seen bool
}

// Entry is where a finding's test, example or main function starts.
type Entry struct {
	File string // by its name in findings
	Line int
}

// Source gives today's texts and what else a view needs to know of a module.
type Source struct {
	// Text is the text of a file by its name in findings; false if there is
	// no such file.
	Text func(name string) (string, bool)
	// Entry finds the function of a finding that names no line of the main
	// module; nil, or false, leaves such a finding without diagnostic.
	Entry func(Known) (Entry, bool)
}

// Item is a finding placed in today's texts.
type Item struct {
	Known
	State State
	// Edited: files that the finding names have been edited, but not its lines.
	Edited bool
	// Touched: some file that the search read has another text today, named or not.
	Touched bool
	// Now: the newest replay is of today's texts.
	Now bool
	// Outdated: the newest replay, of today's texts, did not fail, and its schedule
	// may have led elsewhere (engine.Outdated).
	Outdated bool

	steps   []step
	others  []mark // switches, failure, blocked goroutines: hover and related only
	primary int    // index into steps; -1 if none lies in the main module
	lines   renumber
}

// View is the findings of a module in today's texts.
type View struct {
	items []*Item
	src   Source
	cache *Cache            // while the view is made
	now   map[string]*today // while the view is made
	files map[string][]spot // by file: where each item has lines
}

// spot is a place of an item in a file.
type spot struct {
	item *Item
	at   Span
	step int // index into item.steps; -1 for another mark
	mark int // index into item.others if step is -1
}

// NewView places findings, newest first, in today's texts. The cache, which
// may be nil, makes the next view of nearly the same texts cheap.
func NewView(findings []Known, src Source, cache *Cache) *View {
	if cache == nil {
		cache = NewCache()
	}
	cache.begin()
	defer cache.mu.Unlock()
	v := &View{src: src, cache: cache, files: map[string][]spot{}, now: map[string]*today{}}
	for _, k := range findings {
		v.items = append(v.items, v.place(k))
	}
	// What is surest comes first wherever several stand at one place.
	slices.SortStableFunc(v.items, func(a, b *Item) int { return rank(a) - rank(b) })
	for _, it := range v.items {
		v.index(it)
	}
	v.cache, v.now = nil, nil
	return v
}

// today is a file of today's, nil if there is none.
func (v *View) today(name string) *today {
	f, ok := v.now[name]
	if !ok {
		if text, exists := v.src.Text(name); exists {
			f = &today{text, v.cache.linesOf(text), v.cache.syntaxOf(text)}
		}
		v.now[name] = f
	}
	return f
}

func rank(it *Item) int {
	r := map[report.Level]int{report.Native: 0, report.Pinned: 1, report.RaceProved: 2}
	n, ok := r[it.Finding.Confirmed]
	if !ok {
		n = 3
	}
	if it.State != Current {
		n += 4
	}
	return n
}

func (v *View) index(it *Item) {
	if it.State == Older || it.State == Fixed {
		return
	}
	for i, s := range it.steps {
		if s.shown() {
			v.files[s.file] = append(v.files[s.file], spot{item: it, at: s.span, step: i})
		}
	}
	for i, m := range it.others {
		if m.shown() {
			v.files[m.file] = append(v.files[m.file], spot{item: it, at: m.span, step: -1, mark: i})
		}
	}
}

// Items are all findings, surest and newest first.
func (v *View) Items() []*Item { return v.items }

// Files are the names of the files in which anything is shown, sorted.
func (v *View) Files() []string {
	var out []string
	for name := range v.files {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Shows reports whether anything is shown in a file.
func (v *View) Shows(name string) bool { return len(v.files[name]) > 0 }

// Of lists the findings of an entry of a package's folder and of its subtests.
func (v *View) Of(dir, entry string) []*Item {
	var out []*Item
	for _, it := range v.items {
		if it.Dir == dir && (it.Finding.Entry == entry || strings.HasPrefix(it.Finding.Entry, entry+"/")) {
			out = append(out, it)
		}
	}
	return out
}

// On lists the findings that have something on the lines from..to of a file.
func (v *View) On(name string, from, to int) []*Item {
	var out []*Item
	for _, s := range v.files[name] {
		if from <= s.at.Line && s.at.Line <= to && !slices.Contains(out, s.item) {
			out = append(out, s.item)
		}
	}
	return out
}

// Location is where the finding is best looked at: the line of its sentence,
// else its failure; false if neither is in a file of today's main module.
func (it *Item) Location() (name string, at Span, ok bool) {
	if it.primary >= 0 {
		s := it.steps[it.primary]
		return s.file, s.span, true
	}
	for _, m := range it.others {
		if m.shown() {
			return m.file, m.span, true
		}
	}
	return "", Span{}, false
}
