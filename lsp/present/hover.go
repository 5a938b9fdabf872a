package present

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/report/kinds"
	"github.com/hocket-dev/hocket/internal/words"
)

// Style is what a client makes of markdown.
type Style struct {
	// Link is the address of a line of a file, "" if it has none. Nil where the
	// text is shown as it is, so that links would only be in the way; sentences
	// are then wrapped, and the table is kept within Width columns.
	Link func(name string, line int) string
	// Plain is for clients that take no markdown at all: signs of markup, and
	// escapes of what would be taken for such, would be seen. Link is nil then.
	Plain bool
}

// Width in columns of what is shown as plain text.
const Width = 80

// maxHover is how many findings one hover explains.
const maxHover = 3

// Hover explains the findings that have something to do with a line, if the
// column lies within the line's text. The span is what the hover is about.
func (v *View) Hover(name string, line, column int, style Style) (markdown string, at Span, ok bool) {
	var items []*Item
	here := map[*Item][]spot{}
	for _, s := range v.files[name] {
		if s.at.Line != line {
			continue
		}
		if here[s.item] == nil {
			items = append(items, s.item)
		}
		here[s.item] = append(here[s.item], s)
		at = widen(at, s.at)
	}
	if len(items) == 0 || column < 1 {
		return "", Span{}, false
	}
	var parts []string
	for i, it := range items {
		if i == maxHover {
			parts = append(parts, fmt.Sprintf("%d more: %s\n", len(items)-i, idsOf(items[i:])))
			break
		}
		parts = append(parts, it.hover(name, here[it], style))
	}
	return strings.Join(parts, "\n---\n\n"), at, true
}

func widen(a, b Span) Span {
	if a.Line == 0 {
		return b
	}
	return Span{Line: a.Line, Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

func idsOf(items []*Item) string {
	var ids []string
	for _, it := range items {
		ids = append(ids, it.Finding.ID)
	}
	return strings.Join(ids, ", ")
}

// hover is one finding, as seen from some of its places in a file.
func (it *Item) hover(file string, here []spot, style Style) string {
	var b strings.Builder
	part := func(text string) {
		if text != "" && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	para := func(text string) {
		if text != "" {
			part(style.para(text))
		}
	}
	sentence, must := it.lines.words(it.Finding.Sentence), it.must()
	if must != "" {
		must = style.strong(it.lines.words(must))
	}
	if style.Link == nil {
		para(it.headline(style))
		para(strings.TrimSpace(sentence + " " + must))
		part(it.table(file, style))
	} else {
		// Such clients show the diagnostic above, and little below it without a wheel:
		// what happened comes first, not what fails once more.
		para(sentence)
		part(it.table(file, style))
		para(must)
		para(it.headline(style))
	}
	for _, note := range it.hereNotes(here) {
		para(note)
	}
	para(it.evidence())
	para(it.notes(style))
	if doc := it.docs(style); doc != "" {
		b.WriteString("\n" + doc + "\n")
	}
	return b.String()
}

func (it *Item) headline(style Style) string {
	f := it.Finding
	s := style.strong(style.escape(what(f)))
	if p := f.Failure; p.File != "" {
		line := it.lines.line(p.File, p.Line)
		s += " " + style.link(style.code(fmt.Sprintf("%s:%d", baseName(p.File), line)), p.File, line)
	}
	if c := class(f); !strings.Contains(what(f), c) {
		s += " · " + c
	}
	return s
}

func (it *Item) must() string {
	if it.Explanation == nil {
		return ""
	}
	return it.Explanation.MustNot
}

// hereNotes say what happens on the hovered line where the table doesn't.
func (it *Item) hereNotes(here []spot) []string {
	var out []string
	for _, s := range here {
		if s.step >= 0 {
			continue
		}
		m := &it.others[s.mark]
		if m.goroutine == "" || len(it.Finding.Blocked) > 0 && !it.waitsAsStep(m) {
			out = append(out, "This line: "+m.text+".")
		}
	}
	return out
}

// evidence is what was compared and measured.
func (it *Item) evidence() string {
	f := it.Finding
	s := upper(it.lines.words(f.Evidence())) + "."
	if it.Explanation == nil {
		return s + " It is not explained: the search was cut short before that, or still runs."
	}
	if c := it.Explanation.Counts; it.Explanation.Compared {
		s += fmt.Sprintf(" %d of %d events, %d of %d data flows, %s differ from the nearest passing run.", c.Events, c.EventsFull,
			c.Dataflows, c.DataflowsFull, words.CountOf(c.Branches, "branch", "branches"))
	}
	return s
}

// notes say how the finding relates to today's texts and what came since.
func (it *Item) notes(style Style) string {
	var out []string
	switch {
	case it.Outdated: // said below
	case it.State == Changed:
		out = append(out, style.strong("A line of it was edited since it was found: replay it."))
	case it.Touched && !it.Now:
		out = append(out, "Other lines were edited since it was found: a replay shows whether it still fails.")
	}
	if l := it.Last; l != nil {
		on := ""
		switch {
		case !it.Now:
			on = ", of another text than today's"
		case !l.SameSources:
			on = ", on edited sources"
		}
		if l.Runs > 0 {
			out = append(out, fmt.Sprintf("Last replay (%s%s): failed %s.", l.Level, on, report.Count{Runs: l.Runs, Failed: l.Failed}))
		}
		if it.Outdated {
			out = append(out, style.strong("Outdated: the schedule was made for other sources or another build. Whether it is fixed, a search tells."))
		}
	}
	return strings.Join(out, " ")
}

// docs link to what the kind and the class mean.
func (it *Item) docs(style Style) string {
	f := it.Finding
	var out []string
	for _, id := range []string{f.Kind, f.Class} {
		if _, ok := kinds.Get(id); ok && (len(out) == 0 || f.Kind != f.Class) {
			out = append(out, "["+strings.ReplaceAll(id, "-", " ")+"]("+kinds.URL(id)+")")
		}
	}
	dependent := ""
	if f.PathDep {
		dependent = " · path-dependent" // not above: there it would take a line from the table
	}
	if style.Link == nil {
		// An address in a line of plain text helps nobody twice.
		return fmt.Sprintf("%s · hocket help %s%s", f.ID, f.Kind, dependent)
	}
	return strings.Join(append(out, "`"+f.ID+"`"), " · ") + dependent
}

func (s Style) link(text, name string, line int) string {
	if s.Link != nil {
		if to := s.Link(name, line); to != "" {
			return "[" + text + "](" + to + ")"
		}
	}
	return text
}

func (s Style) para(text string) string {
	if s.Plain {
		text = strings.ReplaceAll(text, "`", "") // sentences have code between them
	}
	if s.Link == nil {
		text = wrap(text, Width-2)
	}
	return text + "\n"
}

func (s Style) strong(text string) string {
	if s.Plain {
		return text
	}
	return "**" + text + "**"
}

func (s Style) code(text string) string {
	if s.Plain {
		return text
	}
	return "`" + text + "`"
}

// escape keeps markdown from taking a message's characters as its own.
func (s Style) escape(text string) string {
	if s.Plain {
		return strings.ReplaceAll(text, "`", "'")
	}
	link := strings.Contains(text, "](") || strings.Contains(text, "][") || strings.Contains(text, "]:")
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '`':
			r = '\''
		case r == '*', r == '\\', r == '[' && link, r == '_' && !inWord(text, i), r == '<' && opensTag(text[i+1:]):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// opensTag: what follows a "<" makes it the start of HTML.
func opensTag(rest string) bool {
	return rest != "" && (unicode.IsLetter(rune(rest[0])) || strings.IndexByte("/!?", rest[0]) >= 0)
}

// inWord: the byte at i stands between letters or digits, where an underscore
// is not markup. Escapes that are not needed would be seen: not all clients hide
// them.
func inWord(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+1:])
	word := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	return word(before) && word(after)
}
