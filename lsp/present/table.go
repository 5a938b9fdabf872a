package present

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// The table of a hover is markdown that reads as plain text too: some clients
// show it as it is. So its columns are padded, and narrow.

// columns of the table, with the most width that each gets.
var columns = []struct {
	title string
	max   int
}{
	{"#", 2}, {"goroutine", 18}, {"line", 14}, {"code", 30}, {"failing", 26}, {"passing", 22},
}

// rendered is how wide a table may be that is shown in a proportional font,
// without its markup.
const rendered = 110

// givesWay is the order in which columns lose width, and down to what.
var givesWay = []struct{ column, to int }{
	{3, 20}, {1, 14}, {5, 9}, {3, 14}, {4, 16}, {1, 9}, {3, 10}, {2, 8}, {4, 10},
}

type cell struct {
	text string
	code bool // between backticks
	bold bool
	link string
}

func (it *Item) table(style Style) string {
	if it.Explanation == nil || len(it.Explanation.Rows) == 0 {
		return ""
	}
	var rows [][]cell
	for i, r := range it.Explanation.Rows {
		line := it.lines.line(r.File, r.Line)
		where := fmt.Sprint(line)
		if r.File != it.lines.base {
			where = fmt.Sprintf("%s:%d", baseName(r.File), line)
		}
		where += it.editedMark(r.File, r.Line)
		link := ""
		if style.Link != nil {
			link = style.Link(r.File, line)
		}
		rows = append(rows, []cell{{text: fmt.Sprint(i + 1)}, {text: r.Goroutine}, {text: where, link: link},
			{text: r.Code, code: true}, {text: it.lines.words(r.Failing), bold: r.Differs},
			{text: it.lines.words(r.Passing)}})
	}
	return layOut(rows, style.Link == nil)
}

// editedMark follows the number of a line that is not what it was.
func (it *Item) editedMark(file string, line int) string {
	if m := it.lines.maps[file]; m != nil {
		if _, ok := m.At(line); !ok {
			return "?"
		}
	}
	return ""
}

func layOut(rows [][]cell, plain bool) string {
	width := make([]int, len(columns))
	total := 3*len(columns) + 1
	for c, col := range columns {
		width[c] = len(col.title)
		for _, r := range rows {
			width[c] = max(width[c], min(r[c].width(), col.max+r[c].markup()))
		}
		total += width[c]
	}
	limit := Width
	if !plain {
		limit = rendered
	}
	for _, g := range givesWay {
		if less := min(total-limit, width[g.column]-g.to); less > 0 {
			width[g.column] -= less
			total -= less
		}
	}
	var b strings.Builder
	for c, col := range columns {
		b.WriteString("| " + pad(col.title, width[c]) + " ")
	}
	b.WriteString("|\n")
	for _, w := range width {
		b.WriteString("|" + strings.Repeat("-", w+2))
	}
	b.WriteString("|\n")
	for _, r := range rows {
		for c := range columns {
			b.WriteString("| " + r[c].render(width[c], plain) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// markup is the width of what makes the cell bold or code.
func (c cell) markup() int {
	switch {
	case c.bold:
		return 4
	case c.code:
		return 2
	}
	return 0
}

func (c cell) width() int { return runewidth.StringWidth(c.text) + c.markup() }

func (c cell) render(width int, plain bool) string {
	s := clip(c.text, width-c.markup())
	switch {
	case c.code:
		s = "`" + strings.NewReplacer("`", "'", "|", "¦").Replace(s) + "`"
	case c.bold:
		s = "**" + cellText(s) + "**"
	case c.link != "" && !plain:
		s = "[" + s + "](" + c.link + ")"
	default:
		s = cellText(s)
	}
	return pad(s, width)
}

// cellText keeps a cell one cell: a bar would end it. Other characters of
// markdown are rare in these words, and escapes would spoil the plain text.
func cellText(s string) string { return strings.ReplaceAll(s, "|", "¦") }

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-runewidth.StringWidth(s)))
}

var source = regexp.MustCompile(` \(from [^)]*\)`)

// clip shortens: where a value came from is left out first; then the start is
// kept, but of a dotted name the end, which tells more.
func clip(s string, width int) string {
	if runewidth.StringWidth(s) > width {
		s = source.ReplaceAllString(strings.TrimSuffix(s, elsewhere), "")
	}
	switch {
	case runewidth.StringWidth(s) <= width:
		return s
	case !strings.ContainsAny(s, " (") && strings.Contains(s, "."):
		return "…" + lastColumns(s, width-1)
	}
	return runewidth.Truncate(s, width, "…")
}

func lastColumns(s string, width int) string {
	for runewidth.StringWidth(s) > width {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s
}

// wrap breaks lines at blanks, never within `code`.
func wrap(s string, width int) string {
	var b strings.Builder
	col, inCode := 0, false
	for i, w := range strings.Fields(s) {
		n := runewidth.StringWidth(w)
		switch {
		case i == 0:
		case col+1+n > width && !inCode:
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteByte(' ')
			col++
		}
		b.WriteString(w)
		col += n
		if strings.Count(w, "`")%2 == 1 {
			inCode = !inCode
		}
	}
	return b.String()
}
