package projection

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hocket-dev/hocket/internal/words"
)

// cameFrom is where a value came from, which is left out first where there is no room.
var cameFrom = regexp.MustCompile(` \(from [^)]*\)`)

// maxWidth of the text form.
const maxWidth = 100

// Text renders for a terminal, at most 100 columns wide.
func (p *Projection) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", p.Headline())
	fmt.Fprintf(&b, "%s\n", p.Subline())
	for _, s := range []string{p.Sentence, p.MustNot} {
		if s != "" {
			fmt.Fprintf(&b, "\n%s\n", wrap(strings.ReplaceAll(s, "`", ""), maxWidth))
		}
	}
	if len(p.Rows) > 0 {
		b.WriteString("\n" + p.textTable())
	}
	if foot := p.Footer(); foot != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(foot, maxWidth))
	}
	for _, e := range p.Evidence {
		fmt.Fprintf(&b, "%s\n", wrap(title(e)+".", maxWidth))
	}
	return b.String()
}

// Headline is the failure in one line.
func (p *Projection) Headline() string {
	if p.Message != "" {
		return p.Message
	}
	return string(p.Kind)
}

// Subline says where it failed, and what kind of bug that is.
func (p *Projection) Subline() string {
	s := strings.ReplaceAll(string(p.Class), "-", " ")
	if p.Failure.Line > 0 {
		s = fmt.Sprintf("%s:%d · %s", p.Failure.File, p.Failure.Line, s)
	}
	if p.PathDep {
		s += ", path-dependent"
	}
	return s
}

// Footer says how much of the runs differs.
func (p *Projection) Footer() string {
	if !p.Compared {
		return "No passing run to compare with."
	}
	c := p.Counts
	return fmt.Sprintf("%d of %d events, %d of %d data flows, %s differ from the nearest passing run.",
		c.Events, c.EventsFull, c.Dataflows, c.DataflowsFull, words.CountOf(c.Branches, "branch", "branches"))
}

func (p *Projection) textTable() string {
	rows := [][]string{{"", "goroutine", "place", "", "failing run", "passing run"}}
	for i, r := range p.Rows {
		rows = append(rows, []string{fmt.Sprint(i + 1), r.Goroutine, p.Where(r), r.Code, r.Failing, r.Passing})
	}
	limits := []int{3, 20, 18, 30, 26, 26}
	width := make([]int, 6)
	for _, r := range rows {
		for i := range r {
			if utf8.RuneCountInString(r[i]) > limits[i] {
				r[i] = cameFrom.ReplaceAllString(r[i], "")
			}
			r[i] = clip(r[i], limits[i])
			width[i] = max(width[i], utf8.RuneCountInString(r[i]))
		}
	}
	// The code is shortened first.
	total := 10
	for _, w := range width {
		total += w
	}
	if over := total - maxWidth; over > 0 {
		width[3] = max(8, width[3]-over)
	}
	var b strings.Builder
	for _, r := range rows {
		line := ""
		for i := range r {
			cell := clip(r[i], width[i])
			line += cell + strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2)
		}
		b.WriteString(clip(strings.TrimRight(line, " "), maxWidth) + "\n")
	}
	return b.String()
}

// Where is the line, with the file's name unless all rows lie in the file of the failure.
func (p *Projection) Where(r Row) string {
	if !slices.ContainsFunc(p.Rows, func(o Row) bool { return o.File != p.Failure.File }) {
		return fmt.Sprint(r.Line)
	}
	return fmt.Sprintf("%s:%d", r.File[strings.LastIndexByte(r.File, '/')+1:], r.Line)
}

func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	if n < 4 {
		return string(r[:n])
	}
	return string(r[:n-1]) + "…"
}

func wrap(s string, width int) string {
	var b strings.Builder
	col := 0
	for i, w := range strings.Fields(s) {
		n := utf8.RuneCountInString(w)
		switch {
		case i == 0:
		case col+1+n > width:
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += n
	}
	return b.String()
}

// Markdown renders as in the documentation: headline, sentence, table.
func (p *Projection) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", escape(p.Headline()))
	if p.Failure.Line > 0 {
		fmt.Fprintf(&b, " `%s:%d`", p.Failure.File, p.Failure.Line)
	}
	fmt.Fprintf(&b, " · %s", strings.ReplaceAll(string(p.Class), "-", " "))
	if p.PathDep {
		b.WriteString(", path-dependent")
	}
	b.WriteString("\n")
	if p.Sentence != "" {
		fmt.Fprintf(&b, "\n%s", p.Sentence)
		if p.MustNot != "" {
			fmt.Fprintf(&b, " **%s**", p.MustNot)
		}
		b.WriteString("\n")
	}
	if len(p.Rows) > 0 {
		b.WriteString("\n| order | goroutine | line | | failing run | passing run |\n|--:|---|--:|---|---|---|\n")
	}
	for i, r := range p.Rows {
		failing := r.Failing
		if r.Differs {
			failing = "**" + escape(failing) + "**"
		} else {
			failing = escape(failing)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | `%s` | %s | %s |\n", i+1, escape(r.Goroutine), p.Where(r), escape(r.Code), failing, escape(r.Passing))
	}
	if foot := p.Footer(); foot != "" {
		fmt.Fprintf(&b, "\n%s\n", foot)
	}
	for _, e := range p.Evidence {
		fmt.Fprintf(&b, "\n%s.\n", title(e))
	}
	return b.String()
}

func escape(s string) string {
	return strings.NewReplacer("|", "\\|", "`", "'").Replace(s)
}
