package stored

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/projection/draw"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/choice"
)

// formats are those that an explanation can have.
var formats = map[string]bool{"text": true, "markdown": true, "json": true, "dot": true, "svg": true, "html": true, "steps": true}

// ExplainOptions says which finding to explain and how.
type ExplainOptions struct {
	Dir    string
	ID     string
	Format string // "" = text
}

// Explanation is the JSON form of an explanation.
type Explanation struct {
	Finding    *report.Finding        `json:"finding"`
	Projection *projection.Projection `json:"projection"`
}

// Explain renders the difference between the failing run of a finding and the
// nearest passing one, as it was when the finding was made. The note says
// whether the sources have changed since.
func Explain(ctx context.Context, opt ExplainOptions) (text, note string, err error) {
	if err := choice.Check("-format", &opt.Format, "text", formats); err != nil {
		return "", "", err
	}
	a, err := Open(ctx, opt.Dir, opt.ID)
	if err != nil {
		return "", "", err
	}
	if last, err := a.Store.LastReplay(a.Record); err == nil && listed(a.Record, last, a.Env.Roots()).Outcome == Fixed {
		a.outdated = fmt.Sprintf("finding %s is fixed: a later search ended without it; this is how it failed before", a.Record.Finding.ID)
	}
	var p *projection.Projection
	if err := json.Unmarshal(a.Record.Projection, &p); err != nil {
		return "", "", fmt.Errorf("finding %s is corrupt (%w); run hocket find again", a.Record.Finding.ID, err)
	}
	if p == nil {
		return "", "", notExplained(a.Record.Finding.ID)
	}
	f := a.Record.Finding
	switch opt.Format {
	case "steps":
		w, err := a.Walk()
		if err != nil {
			return "", "", err
		}
		return w.View(nil).Text(), a.outdated, nil
	case "json":
		data, err := json.MarshalIndent(Explanation{f, p}, "", "  ")
		return string(data) + "\n", a.outdated, err
	case "markdown":
		return markdown(p, f), a.outdated, nil
	case "svg", "html", "dot":
		texts, err := a.Store.Texts(a.Record)
		if err != nil {
			return "", "", err
		}
		text, err := picture(opt.Format, p, f, texts)
		return text, a.outdated, err
	default:
		return p.Text() + "\n" + paragraph(f), a.outdated, nil
	}
}

func notExplained(id string) error {
	return fmt.Errorf("finding %s was cut short before it could be explained; run hocket find again", id)
}

// picture draws an explanation as svg, html or dot; texts are the sources as they were
// when the finding was made.
func picture(format string, p *projection.Projection, f *report.Finding, texts map[string]string) (string, error) {
	switch format {
	case "svg":
		return draw.SVG(p), nil
	case "dot":
		return draw.DOT(p), nil
	}
	notes := strings.Split(strings.TrimSpace(paragraph(f)), "\n")
	return draw.HTML(p, draw.Source{Texts: texts, Notes: notes})
}

func markdown(p *projection.Projection, f *report.Finding) string {
	return p.Markdown() + "\n" + paragraph(f)
}

// paragraph describes what was measured about the finding.
func paragraph(f *report.Finding) string {
	var b strings.Builder
	if d := f.TimeDependent; d != nil {
		fmt.Fprintf(&b, "It %s.\n", d)
	}
	fmt.Fprintf(&b, "%s.\n", strings.ToUpper(f.Evidence()[:1])+f.Evidence()[1:])
	if also := f.AlsoSeen(); also != "" {
		fmt.Fprintf(&b, "%s.\n", strings.ToUpper(also[:1])+also[1:])
	}
	fmt.Fprintf(&b, "Found by %s in attempt %d, %.1f s after the start.\n", f.Search.Strategy, f.Search.Attempts, float64(f.Search.TotalMS)/1000)
	return b.String()
}
