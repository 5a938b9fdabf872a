package present

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/hocket-dev/hocket/engine/report"
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

// maxMessage is the width of a message in columns: what is longer is cut in lists.
// maxHead is that of what fails: where it is longer, VS Code takes a second line for it
// from the explanation below.
const (
	maxMessage = 99
	maxHead    = 85
)

func (g *group) diagnostic(file string) Diagnostic {
	first, spots := g.first()
	head := first.headed(spots)
	d := Diagnostic{Span: spots[0].at, Severity: severity(first, head), Code: g.code}
	if head {
		d.Related = first.related(file, spots)
	} else {
		d.Related = first.relatedHead(spots)
	}
	d.IDs = append(d.IDs, first.Finding.ID)
	for i, it := range g.items {
		if it == first {
			continue
		}
		d.IDs = append(d.IDs, it.Finding.ID)
		d.Severity = min(d.Severity, severity(it, it.headed(g.spots[i])))
		d.Related = append(d.Related, it.more(file, g.spots[i]))
	}
	end := ""
	if n := len(g.items) - 1; n > 0 {
		end = fmt.Sprintf("; and %d more of this kind", n)
	}
	if g.state == Changed {
		end += "; " + changedNote
	}
	width := maxMessage
	if head && end == "" {
		width = maxHead
	}
	d.Message = first.message(spots, width-runewidth.StringWidth(end)) + end
	return d
}

// first is the finding that the message is about: the surest that is best looked at here.
func (g *group) first() (*Item, []spot) {
	for i, it := range g.items {
		if it.headed(g.spots[i]) {
			return it, g.spots[i]
		}
	}
	return g.items[0], g.spots[0]
}

// headed reports whether the finding is best looked at here: one of its places is.
func (it *Item) headed(spots []spot) bool {
	return slices.ContainsFunc(spots, func(s spot) bool { return s.step == it.primary })
}

// relatedHead is the place of the finding's own diagnostic.
func (it *Item) relatedHead(here []spot) []Related {
	name, at, ok := it.Location()
	if !ok || isHere(here, it.primary) {
		return nil
	}
	return []Related{{name, at, it.failure()}}
}

// severity: one place of a finding stands in lists of problems, its other steps are hints.
func severity(it *Item, head bool) Severity {
	switch {
	case !head, it.Finding.TimeDependent != nil || it.Finding.Confirmed == "" || it.Finding.OnlyControlled():
		return Hint
	case it.State == Changed:
		return Information
	}
	return Warning
}

// message is about the steps of a finding on one line, within a width.
func (it *Item) message(spots []spot, width int) string {
	if it.headed(spots) {
		return it.headMessage(width)
	}
	who, n := it.whoAndSteps(spots)
	end := fmt.Sprintf(": %s of %s", n, what(it.Finding))
	start := who + " " + it.steps[spots[0].step].text
	// What happens here matters more than what comes of it, which is said at its place.
	end = runewidth.Truncate(end, max(width-runewidth.StringWidth(start), width/2), "…")
	return runewidth.Truncate(start, width-runewidth.StringWidth(end), "…") + end
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

// headMessage says what fails and how surely; hovers explain why.
func (it *Item) headMessage(width int) string {
	// That an error of the runtime is one takes width from which it is.
	text := strings.Replace(what(it.Finding), "panic: runtime error: ", "panic: ", 1)
	sure := " (" + surely(it.Finding) + ")"
	if it.State == Changed {
		sure = "" // it was measured on another text
	}
	width -= runewidth.StringWidth(sure)
	// That goroutines wait says little; who waits for what says all, where it fits.
	if first, _ := it.sentence(); len(it.Finding.Blocked) > 0 && first != "" && runewidth.StringWidth(first) <= width {
		text = first
	}
	return runewidth.Truncate(text, width, "…") + sure
}

// surely says in a few words on which build a finding was seen.
func surely(f *report.Finding) string {
	switch {
	case f.Baseline != nil && f.Baseline.Failed > 0:
		return fmt.Sprintf("fails by itself %d/%d", f.Baseline.Failed, f.Baseline.Runs)
	case f.Native != nil && f.Native.Failed > 0:
		return fmt.Sprintf("fails %d/%d, order enforced", f.Native.Failed, f.Native.Runs)
	case f.Confirmed == report.Pinned && f.Pinned != nil:
		return fmt.Sprintf("fails %d/%d as compiled for production", f.Pinned.Failed, f.Pinned.Runs)
	case f.Confirmed == report.RaceProved:
		return fmt.Sprintf("proved, replays %d/%d", f.Replay.Failed, f.Replay.Runs)
	case f.OnlyControlled() || f.NeverNatively():
		return fmt.Sprintf("fails %d/%d, seen only under control", f.Replay.Failed, f.Replay.Runs)
	}
	return fmt.Sprintf("fails %d/%d under control", f.Replay.Failed, f.Replay.Runs)
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
