package present

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/anchor"
)

// mark is a place of a finding, then and today.
type mark struct {
	file      string
	line, col int    // when found; col 0 if unknown
	goroutine string // who does something there; "" for a switch
	text      string // what, in words with today's lines; "" for a line that only counts for the state
	quiet     bool   // known to hovers only
	helper    bool   // an access inside a helper, of which the step is at the caller
	span      Span   // today; line 0 if the line is gone or not of the main module
	changed   bool
	nowhere   bool // in a file of which there never was a text, such as a //line directive names
}

func (m *mark) shown() bool { return m.span.Line > 0 && m.text != "" }

// step is an access of the root cause.
type step struct {
	mark
	n      int // counts from 1, in the order of the failing run
	access report.Access
	row    *engine.Row // of the explanation's table; nil if it has none
}

// place finds out where a finding is today and what state that is.
func (v *View) place(k Known) *Item {
	it := &Item{Known: k, primary: -1, steps: stepsOf(k.Stored), others: othersOf(k.Stored)}
	p := placer{v: v, k: k, pairs: map[string]*pair{}, same: true, found: true, lines: renumber{base: k.Finding.Failure.File, maps: map[string]*anchor.Map{}}}
	for i := range it.steps {
		p.put(&it.steps[i].mark, true)
	}
	for i := range it.others {
		p.put(&it.others[i], it.others[i].goroutine != "") // a switch may be anywhere
	}
	for _, m := range hiddenOf(k.Stored) {
		p.put(&m, true)
	}
	p.putEntry()
	it.others = slices.DeleteFunc(it.others, func(m mark) bool { return m.helper && isStep(it.steps, &m) })
	p.lines.learn(k.Stored)
	it.lines, it.Edited, it.Outdated = p.lines, !p.same, p.says(engine.Outdated)
	it.Touched, it.Now = p.touched(), p.isNow()
	for i := range it.steps {
		it.steps[i].text = p.lines.words(it.steps[i].text)
	}
	for i := range it.others {
		it.others[i].text = p.lines.words(it.others[i].text)
	}
	it.State = p.state()
	it.primary = primaryOf(it)
	v.fallBack(it)
	return it
}

// stepsOf are the accesses of the root cause, each at the line that the
// explanation shows for it.
func stepsOf(s *engine.Stored) []step {
	var rows []engine.Row
	if s.Explanation != nil {
		rows = s.Explanation.Rows
	}
	var out []step
	next := 0
	for i, a := range s.Finding.RootCause {
		if a.File == "" {
			continue
		}
		st := step{mark: mark{file: a.File, line: a.Line, col: a.Column, goroutine: a.Goroutine}, n: i + 1, access: a}
		if a.Call != nil && (inMain(a.Call.File) || !inMain(a.File)) {
			st.file, st.line, st.col = a.Call.File, a.Call.Line, a.Call.Column
		}
		// The table has these accesses in this order, and the failure between.
		for r := next; r < len(rows); r++ {
			own := rows[r].File == a.File && rows[r].Line == a.Line
			called := a.Call != nil && rows[r].File == a.Call.File && rows[r].Line == a.Call.Line
			if rows[r].Goroutine == a.Goroutine && (own || called) {
				if own && inMain(a.File) {
					st.file, st.line, st.col = a.File, a.Line, a.Column
				}
				st.row, next = &rows[r], r+1
				break
			}
		}
		st.text = stepWords(&st)
		out = append(out, st)
	}
	return out
}

// othersOf are the places that hovers and related information know beside the
// steps: the failure, who is blocked, the switches that are needed.
func othersOf(s *engine.Stored) []mark {
	f := s.Finding
	var out []mark
	if f.Failure.File != "" && len(f.Blocked) == 0 && f.Kind != "data-race" {
		out = append(out, mark{file: f.Failure.File, line: f.Failure.Line, col: f.Failure.Column, goroutine: f.Failure.Goroutine,
			text: name(f.Failure.Goroutine) + " fails here: " + words.FirstLine(f.Message)})
	}
	out = append(out, inHelpers(f)...)
	for _, b := range f.Blocked {
		if b.File != "" {
			out = append(out, mark{file: b.File, line: b.Line, col: b.Column, goroutine: b.Goroutine, text: blockedWords(b)})
		}
	}
	for _, n := range f.Necessity {
		if n.Place.File != "" && needed(n) {
			out = append(out, mark{file: n.Place.File, line: n.Place.Line, col: n.Place.Column, text: switchWords(n), quiet: !n.Preempt})
		}
	}
	return out
}

// inHelpers are the accesses that stand in helpers, where the steps stand at
// their callers; one for each line.
func inHelpers(f *report.Finding) []mark {
	var out []mark
	numbers := map[[2]string][]string{} // steps by file and line
	for i, a := range f.RootCause {
		if a.Call != nil && a.File != "" {
			key := [2]string{a.File, fmt.Sprint(a.Line)}
			if numbers[key] == nil {
				out = append(out, mark{file: a.File, line: a.Line, col: a.Column, helper: true, text: fmt.Sprintf("the %s of %s itself", a.Op, a.Var)})
			}
			numbers[key] = append(numbers[key], fmt.Sprint(i+1))
		}
	}
	for i := range out {
		n := numbers[[2]string{out[i].file, fmt.Sprint(out[i].line)}]
		out[i].text += fmt.Sprintf(", %s of %d", stepNumbers(n), len(f.RootCause))
	}
	return out
}

// isStep reports whether a step is shown at the mark's line.
func isStep(steps []step, m *mark) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return s.file == m.file && s.line == m.line })
}

// hiddenOf are lines that are shown nowhere but that the finding depends on:
// accesses inside helpers.
func hiddenOf(s *engine.Stored) []mark {
	var out []mark
	for _, a := range s.Finding.RootCause {
		if a.File != "" {
			out = append(out, mark{file: a.File, line: a.Line})
		}
		if a.Call != nil {
			out = append(out, mark{file: a.Call.File, line: a.Call.Line})
		}
	}
	return out
}

func needed(n report.Need) bool { return n.Runs > 0 && n.Failed*4 < n.Runs }

// inMain reports whether a name is of the main module, or of a module that
// replaces another one beside it: a file that people edit. A test's main, where
// its main goroutine waits in a deadlock, is made by the go command for a build.
func inMain(name string) bool {
	return name != "" && path.Base(name) != "_testmain.go" && !strings.HasPrefix(name, "std/") && !strings.Contains(name, "@") && !strings.HasPrefix(name, "<")
}

// placer places the marks of one finding and learns its state on the way.
type placer struct {
	v           *View
	k           Known
	lines       renumber
	pairs       map[string]*pair
	same, found bool // all files are as they were; all lines were found
	unknown     bool // a text as it was is missing
}

// pair is a file then and today. Texts are long: they are looked up once for
// each finding, not for each of its lines.
type pair struct {
	old     []string // lines; nil if the text isn't known
	now     *today   // nil if there is no such file
	anchors *anchor.Map
}

func (p *placer) pair(file string) *pair {
	if f, ok := p.pairs[file]; ok {
		return f
	}
	f := &pair{now: p.v.today(file)}
	p.pairs[file] = f
	old, known := p.k.Texts[file]
	if !known {
		return f
	}
	f.old = p.v.cache.linesOf(old)
	if f.now != nil {
		f.anchors = p.v.cache.between(old, f.now.text)
		p.lines.maps[file] = f.anchors
	}
	return f
}

// put finds today's line of a mark. Lines that don't count don't change the
// finding's state.
func (p *placer) put(m *mark, counts bool) {
	if !inMain(m.file) {
		return
	}
	f := p.pair(m.file)
	switch {
	case f.old == nil && f.now == nil:
		m.nowhere = true
		return
	case f.old == nil:
		p.unknown = p.unknown || counts
		return
	case f.now == nil:
		p.same, m.changed = false, true
		p.found = p.found && !counts
		return
	}
	p.same = p.same && f.anchors.Same()
	at, ok := f.anchors.At(m.line)
	if !ok {
		m.changed = true
		p.found = p.found && !counts
		if at, ok = f.anchors.Near(m.line); !ok {
			return
		}
	}
	if m.text != "" {
		is := lineOf(f.now.lines, at)
		m.span = f.now.syntax.span(at, is, column(lineOf(f.old, m.line), is, m.col))
	}
}

// putEntry has the line count where the finding's function starts: one that was
// renamed or deleted can't be replayed.
func (p *placer) putEntry() {
	entry, _, _ := strings.Cut(p.k.Finding.Entry, "/")
	for file, text := range p.k.Texts {
		if dir := path.Dir(file); dir != p.k.Dir && (dir != "." || p.k.Dir != "") {
			continue
		}
		if line := p.v.cache.funcLine(text, entry); line > 0 {
			p.put(&mark{file: file, line: line}, true)
		}
	}
}

// says reports whether the newest replay or search is of today's texts, and says
// that of them.
func (p *placer) says(o engine.Outcome) bool {
	return p.k.Last != nil && p.k.Last.Outcome == o && p.isNow()
}

func (p *placer) isNow() bool { return p.k.Last != nil && p.k.Last.Sources.Hold(p.v.src.Text) }

// touched reports whether any file has another text than when the finding was made.
func (p *placer) touched() bool {
	if !p.same {
		return true
	}
	for name, old := range p.k.Texts {
		if now := p.v.today(name); now == nil || now.text != old {
			return true
		}
	}
	return false
}

func (p *placer) state() State {
	switch {
	case p.unknown:
		return Older
	case p.says(engine.Fixed): // by a change in another file, perhaps
		return Fixed
	case p.same:
		return Current
	case p.found:
		return Current
	case p.k.Seen:
		return Changed
	}
	return Older
}

// primaryOf is the step that carries the sentence: the last one of the
// goroutine that failed, else the last one.
func primaryOf(it *Item) int {
	last := -1
	for i := range it.steps {
		if it.steps[i].shown() {
			last = i
		}
	}
	for i := range it.steps {
		if s := it.steps[i]; s.shown() && s.goroutine == it.Finding.Failure.Goroutine && s.goroutine != "" {
			last = i
		}
	}
	return last
}

// fallBack shows a finding whose steps all lie elsewhere, in the standard library or a
// dependency: where it fails or is blocked in the main module, the call that matters, else
// at its entry.
func (v *View) fallBack(it *Item) {
	for _, s := range it.steps {
		if inMain(s.file) && !s.nowhere {
			return
		}
	}
	for i, m := range it.others {
		if m.shown() && m.goroutine != "" && it.State != Older {
			it.steps = append(it.steps, step{n: 1, mark: m})
			it.others = slices.Delete(it.others, i, i+1)
			it.primary = len(it.steps) - 1
			return
		}
	}
	if v.src.Entry == nil || it.State == Older {
		return
	}
	e, ok := v.src.Entry(it.Known)
	if !ok {
		return
	}
	now := v.today(e.File)
	if now == nil {
		return
	}
	line := lineOf(now.lines, e.Line)
	if strings.TrimSpace(line) == "" {
		return
	}
	s := step{n: 1, mark: mark{file: e.File, line: e.Line, goroutine: it.Finding.Entry, text: "starts here", span: trimmed(e.Line, line)}}
	it.steps = append(it.steps, s)
	it.primary = len(it.steps) - 1
}
