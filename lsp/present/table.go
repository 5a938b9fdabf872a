package present

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/hocket-dev/hocket/engine"
)

// The table of a hover is markdown that reads as plain text too: some clients
// show it nearly as it is, hiding only the signs of markup. So its columns are
// padded to the width of what is seen, and narrow.

// columns of the table, with the most width that each gets.
var columns = []struct {
	title string
	max   int
}{
	{"#", 2}, {"goroutine", 18}, {"line", 14}, {"code", 30}, {"failing", 26}, {"passing", 26},
}

// rendered is how wide a table may be that is shown in a proportional font,
// without its markup.
const rendered = 110

const codeColumn = 3

// givesWay is the order in which columns lose width, and down to what.
var givesWay = []struct{ column, to int }{
	{codeColumn, 20}, {1, 14}, {5, 9}, {codeColumn, 14}, {4, 16}, {1, 9}, {codeColumn, 10}, {2, 8}, {4, 10},
}

type cell struct {
	text string
	code bool // between backticks
	bold bool
	link string
}

// table is that of the explanation, for a reader of a file.
func (it *Item) table(file string, style Style) string {
	if it.Explanation == nil || len(it.Explanation.Rows) == 0 {
		return ""
	}
	var rows [][]cell
	for i, r := range it.Explanation.Rows {
		line := it.lines.line(r.File, r.Line)
		where, code := fmt.Sprint(line), r.Code
		if r.File != file {
			// Names of files would take the width from the code of all rows.
			if style.Link != nil {
				where = fmt.Sprintf("%s:%d", baseName(r.File), line)
			} else {
				code = baseName(r.File) + ": " + code
			}
		}
		where += it.editedMark(r.File, r.Line)
		link := ""
		if style.Link != nil {
			link = style.Link(r.File, line)
		}
		rows = append(rows, []cell{{text: fmt.Sprint(i + 1)}, {text: r.Goroutine}, {text: where, link: link},
			{text: code, code: !style.Plain}, {text: it.lines.words(r.Failing), bold: r.Differs && !style.Plain},
			{text: it.passing(r)}})
	}
	return layOut(rows, style.Link == nil)
}

// passing is the cell of the passing run; that it is the same needs no width.
func (it *Item) passing(r engine.Row) string {
	if !r.Differs && r.Passing != nothing {
		return "same"
	}
	return it.lines.words(r.Passing)
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
	width := widths(rows, plain)
	var b strings.Builder
	for c, col := range columns {
		b.WriteString("| " + cell{text: col.title}.render(width[c], plain) + " ")
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

// widths of the columns. What the clipping of others leaves is the code's.
func widths(rows [][]cell, plain bool) []int {
	limit := rendered
	if plain {
		limit = Width - maxMarkup(rows) // lines are broken before signs are hidden
	}
	width, total := make([]int, len(columns)), 3*len(columns)+1
	for c, col := range columns {
		width[c] = takes(rows, c, col.max)
		total += width[c]
	}
	for _, g := range givesWay {
		if less := min(total-limit, width[g.column]-g.to); less > 0 {
			width[g.column] -= less
			total -= less
		}
	}
	for c := range columns {
		least := takes(rows, c, width[c])
		total -= width[c] - least
		width[c] = least
	}
	code := takes(rows, codeColumn, min(columns[codeColumn].max, width[codeColumn]+max(0, limit-total)))
	width[codeColumn] = code
	return width
}

// takes is how wide a column is whose cells are clipped to a width.
func takes(rows [][]cell, c, limit int) int {
	n := runewidth.StringWidth(columns[c].title)
	for _, r := range rows {
		n = max(n, runewidth.StringWidth(clip(r[c].text, limit)))
	}
	return n
}

// maxMarkup is the most that the signs of one row take.
func maxMarkup(rows [][]cell) int {
	most := 0
	for _, r := range rows {
		n := 0
		for _, c := range r {
			switch {
			case c.bold:
				n += 4
			case c.code && special.MatchString(c.text):
				n += 2
			}
		}
		most = max(most, n)
	}
	return most
}

func (c cell) render(width int, plain bool) string {
	s := clip(c.text, width)
	blanks := strings.Repeat(" ", max(0, width-runewidth.StringWidth(s)))
	switch {
	case c.code && (!plain || special.MatchString(s)):
		s = "`" + strings.NewReplacer("`", "'", "|", "¦").Replace(s) + "`"
	case c.bold:
		s = "**" + cellText(s) + "**"
	case c.link != "" && !plain:
		s = "[" + s + "](" + c.link + ")"
	default:
		s = cellText(s)
	}
	return s + blanks
}

// special is what markdown takes for markup of its own. Code without it stands
// bare in plain text: not all clients hide the signs.
var special = regexp.MustCompile("\\*.*\\*|_.*_|~.*~|\\[.*\\]|[<&]\\w|[`\\\\]")

// cellText keeps a cell one cell: a bar would end it. Other characters of
// markdown are rare in these words, and escapes would spoil the plain text.
func cellText(s string) string { return strings.ReplaceAll(s, "|", "¦") }

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
