package present

import (
	"fmt"
	"slices"
	"strings"
)

// Severity as in the Language Server Protocol.
type Severity int

const (
	Warning     Severity = 2
	Information Severity = 3
	Hint        Severity = 4
)

// Diagnostic is one entry of a problem list.
type Diagnostic struct {
	Span     Span
	Severity Severity
	Code     string // the finding's kind
	Message  string // its first line suffices
	Related  []Related
	IDs      []string // findings, the one that the message is about first
}

// Related is a place that belongs to a diagnostic. File may be one of a
// dependency or of the standard library; Span is then as it was when found.
type Related struct {
	File    string
	Span    Span
	Message string
}

// group is what becomes one diagnostic: findings of one kind on one line.
type group struct {
	code  string
	state State
	line  int
	items []*Item
	spots [][]spot // per item: its steps on the line
}

// Diagnostics of a file, by line; several on a line are surest first.
func (v *View) Diagnostics(name string) []Diagnostic {
	var groups []*group
	for _, s := range v.files[name] {
		if s.step < 0 {
			continue
		}
		groups = join(groups, s)
	}
	out := make([]Diagnostic, 0, len(groups))
	for _, g := range groups {
		out = append(out, g.diagnostic(name))
	}
	slices.SortStableFunc(out, func(a, b Diagnostic) int { return a.Span.Line - b.Span.Line })
	return out
}

func join(groups []*group, s spot) []*group {
	for _, g := range groups {
		if g.line != s.at.Line || g.code != s.item.Finding.Kind || g.state != s.item.State {
			continue
		}
		for i, it := range g.items {
			if it == s.item {
				g.spots[i] = append(g.spots[i], s)
				return groups
			}
		}
		g.items, g.spots = append(g.items, s.item), append(g.spots, []spot{s})
		return groups
	}
	return append(groups, &group{code: s.item.Finding.Kind, state: s.item.State, line: s.at.Line,
		items: []*Item{s.item}, spots: [][]spot{{s}}})
}

func (g *group) diagnostic(file string) Diagnostic {
	first := g.items[0]
	d := Diagnostic{Span: g.spots[0][0].at, Severity: severity(first), Code: g.code}
	lines := first.message(g.spots[0])
	d.Related = first.related(file, g.spots[0])
	for _, it := range g.items {
		d.IDs = append(d.IDs, it.Finding.ID)
	}
	for i, it := range g.items[1:] {
		d.Severity = min(d.Severity, severity(it))
		d.Related = append(d.Related, it.more(file, g.spots[i+1]))
	}
	if n := len(g.items) - 1; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more of this kind on this line: %s", n, strings.Join(d.IDs[1:], ", ")))
	}
	if g.state == Changed {
		lines[len(lines)-1] += "; " + changedNote
	}
	d.Message = strings.Join(lines, "\n")
	return d
}

func severity(it *Item) Severity {
	switch {
	case it.Finding.TimeDependent != nil || it.Finding.Confirmed == "" || it.Finding.OnlyControlled():
		return Hint
	case it.State == Changed:
		return Information
	}
	return Warning
}

// message is about the steps of a finding on one line.
func (it *Item) message(spots []spot) []string {
	f := it.Finding
	for _, s := range spots {
		if s.step == it.primary {
			return it.headMessage()
		}
	}
	who, n := it.whoAndSteps(spots)
	line := fmt.Sprintf("%s %s: %s of %s", who, it.steps[spots[0].step].text, n, it.failure())
	if f.OnlyControlled() {
		line += " (seen only under control)"
	}
	return []string{line}
}

// whoAndSteps is "client#1, then client#2" and "steps 1 and 2 of 4".
func (it *Item) whoAndSteps(spots []spot) (who, steps string) {
	var names, numbers []string
	for _, s := range spots {
		st := it.steps[s.step]
		if n := name(st.goroutine); len(names) == 0 || names[len(names)-1] != n {
			names = append(names, n)
		}
		numbers = append(numbers, fmt.Sprint(st.n))
	}
	return strings.Join(names, ", then "), fmt.Sprintf("%s of %d", stepNumbers(numbers), len(it.Finding.RootCause))
}

// stepNumbers is "step 1", or "steps 1 and 2".
func stepNumbers(numbers []string) string {
	if len(numbers) == 1 {
		return "step " + numbers[0]
	}
	return "steps " + enumerate(numbers)
}

// enumerate is "1, 2 and 4".
func enumerate(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}

// headMessage carries the sentence and how the finding is known.
func (it *Item) headMessage() []string {
	f := it.Finding
	first, rest := it.sentence()
	line := what(f)
	if first != "" {
		line = first + ": " + line
	} else if it.primary >= 0 && len(f.RootCause) > 0 {
		line = it.words(&it.steps[it.primary]) + ": " + line
	}
	second := upper(level(f))
	if c := class(f); c != strings.ReplaceAll(f.Kind, "-", " ") {
		second += " (" + c + ")"
	}
	if rest != "" {
		second = strings.TrimSuffix(rest, ".") + ". " + second
	}
	return []string{line, second}
}

// failure is the message with its place.
func (it *Item) failure() string {
	s := what(it.Finding)
	if p := it.Finding.Failure; p.File != "" && len(it.Finding.Blocked) == 0 && it.Finding.Kind != "data-race" {
		s += " (" + it.lines.words(fmt.Sprintf("%s:%d", baseName(p.File), p.Line)) + ")"
	}
	return s
}

// related are all other places of the finding, in the order of the failing
// run, then where it fails or who is blocked, then the switches.
func (it *Item) related(file string, here []spot) []Related {
	var out []Related
	for i := range it.steps {
		s := &it.steps[i]
		at, on := it.relatedSpan(&s.mark)
		if !on || isHere(here, i) {
			continue
		}
		out = append(out, Related{s.file, at, fmt.Sprintf("step %d of %d: %s", s.n, len(it.Finding.RootCause), it.words(s))})
	}
	for i := range it.others {
		m := &it.others[i]
		if at, on := it.relatedSpan(m); on && m.text != "" && !m.quiet && !it.waitsAsStep(m) {
			out = append(out, Related{m.file, at, m.text})
		}
	}
	return out
}

// waitsAsStep: a blocked goroutine whose wait is a step has been shown.
func (it *Item) waitsAsStep(m *mark) bool {
	for _, s := range it.steps {
		if s.row != nil && s.row.Failing == forEver && s.file == m.file && s.line == m.line && s.goroutine == m.goroutine {
			return true
		}
	}
	return false
}

// words are what a step does, and who.
func (it *Item) words(s *step) string { return name(s.goroutine) + " " + s.text }

func (it *Item) relatedSpan(m *mark) (Span, bool) {
	if m.span.Line > 0 {
		return m.span, true
	}
	if inMain(m.file) || m.file == "" || m.line < 1 {
		return Span{}, false
	}
	col := max(m.col, 1)
	return Span{Line: m.line, Start: col, End: col + 1}, true
}

// more points to another finding of the same group.
func (it *Item) more(file string, here []spot) Related {
	first, _ := it.sentence()
	if first == "" {
		first = it.words(&it.steps[here[0].step])
	}
	return Related{file, here[0].at, fmt.Sprintf("%s: %s: %s (%s)", it.Finding.ID, first, what(it.Finding), it.Finding.Entry)}
}

func isHere(spots []spot, step int) bool {
	for _, s := range spots {
		if s.step == step {
			return true
		}
	}
	return false
}

func baseName(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }
