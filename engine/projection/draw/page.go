package draw

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{"spans": spans, "line": line}).Parse(pageText))

// around is how many lines of source are shown before and after each line of a step.
const around = 3

// Source is what a page shows beside the explanation.
type Source struct {
	Texts map[string]string // of files, by the names that the rows use; those that are missing are left out
	Notes []string          // what else is known of the finding, one sentence or more each
}

// HTML is the explanation as a page of its own.
func HTML(p *projection.Projection, src Source) (string, error) {
	data := struct {
		*projection.Projection
		Picture  template.HTML
		Steps    []tableRow
		Excerpts []excerpt
		Notes    []string
	}{p, template.HTML(svg(p, true)), tableOf(p), excerpts(p, src.Texts), src.Notes}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, data); err != nil {
		return "", fmt.Errorf("write the page of an explanation: %w", err)
	}
	return b.String(), nil
}

// tableRow is a step in the table below the picture.
type tableRow struct {
	Number       int
	Where, Class string
	projection.Row
}

func tableOf(p *projection.Projection) (rows []tableRow) {
	for i, r := range p.Rows {
		t := tableRow{Number: i + 1, Where: p.Where(r), Row: r}
		if r.Differs {
			t.Class = "differs"
		}
		rows = append(rows, t)
	}
	return rows
}

// span is a part of a sentence.
type span struct {
	Code bool
	Text string
}

// spans splits a sentence at its marks of code.
func spans(s string) (out []span) {
	for i, part := range strings.Split(s, "`") {
		if part != "" {
			out = append(out, span{i%2 == 1, part})
		}
	}
	return out
}

// excerpt is the part of a file that the steps are in.
type excerpt struct {
	File  string
	Lines []sourceLine
}

type sourceLine struct {
	Number int // 0: lines are left out here
	Text   string
	Steps  []int // that are at this line
}

// excerpts are the lines of the steps with some around them, of files whose text is known.
func excerpts(p *projection.Projection, texts map[string]string) (out []excerpt) {
	var files []string
	at := map[string]map[int][]int{} // file to line to steps
	for i, r := range p.Rows {
		if at[r.File] == nil {
			files, at[r.File] = append(files, r.File), map[int][]int{}
		}
		at[r.File][r.Line] = append(at[r.File][r.Line], i+1)
	}
	for _, f := range files {
		if text, ok := texts[f]; ok {
			out = append(out, excerpt{f, linesAround(strings.Split(text, "\n"), at[f])})
		}
	}
	return out
}

func linesAround(text []string, steps map[int][]int) (out []sourceLine) {
	near := map[int]bool{}
	for l := range steps {
		for n := l - around; n <= l+around; n++ {
			near[n] = true
		}
	}
	last := 0
	for n := 1; n <= len(text); n++ {
		if !near[n] {
			continue
		}
		if last > 0 && n > last+1 {
			out = append(out, sourceLine{})
		}
		out = append(out, sourceLine{n, strings.TrimRight(text[n-1], "\r"), steps[n]})
		last = n
	}
	return out
}
