package draw

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
)

// SVG draws the explanation as a file of its own.
func SVG(p *projection.Projection) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + svg(p, false)
}

// The colours, light and dark. A sign is never told by its colour alone.
const style = `
.hocket{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328}
.hocket .page{fill:#fff}
.hocket .headline{font-size:15px;font-weight:600}
.hocket .title,.hocket .strong{font-weight:600}
.hocket .muted{fill:#59636e}
.hocket .lane{text-anchor:middle}
.hocket .life{stroke:#b7bfc8;stroke-width:1.5}
.hocket .lead{stroke:#d1d9e0;stroke-dasharray:1 3}
.hocket .changed{font-weight:600;fill:#0550ae}
.hocket .mark{fill:#fff;stroke:#59636e;stroke-width:1.5}
.hocket .differs .mark{stroke:#0550ae;stroke-width:3}
.hocket .fails .mark{fill:#cf222e;stroke:#cf222e}
.hocket .fails .number{fill:#fff}
.hocket .waits .mark{stroke:#cf222e;stroke-width:3;stroke-dasharray:4 2}
.hocket .number{text-anchor:middle;font-size:11px;font-weight:600}
.hocket .flow{fill:none;stroke:#59636e;stroke-width:1.5}
.hocket .flow.bold{stroke:#0550ae;stroke-width:3}
.hocket .tip{fill:#59636e}
.hocket .tip.bold{fill:#0550ae}
.hocket .on .mark{stroke:#bf8700;stroke-width:5;stroke-dasharray:none}
@media (prefers-color-scheme:dark){
.hocket{fill:#e6edf3}
.hocket .page{fill:#0d1117}
.hocket .muted{fill:#9198a1}
.hocket .life{stroke:#4b535d}
.hocket .lead{stroke:#3d444d}
.hocket .changed{fill:#79c0ff}
.hocket .mark{fill:#0d1117;stroke:#9198a1}
.hocket .differs .mark{stroke:#79c0ff}
.hocket .fails .mark{fill:#ff7b72;stroke:#ff7b72}
.hocket .fails .number{fill:#0d1117}
.hocket .waits .mark{stroke:#ff7b72}
.hocket .flow{stroke:#9198a1}
.hocket .flow.bold{stroke:#79c0ff}
.hocket .tip{fill:#9198a1}
.hocket .tip.bold{fill:#79c0ff}
.hocket .on .mark{stroke:#e3b341}
}
`

// svg is the picture without the declaration that a file of its own begins with; bare,
// without what the page around it says.
func svg(p *projection.Projection, bare bool) string {
	pic := layout(p, bare)
	d := &drawing{}
	least := ""
	if bare { // the page makes a wide picture smaller, as far as it can be read
		least = fmt.Sprintf(` style="min-width:%.0fpx"`, pic.width*3/4)
	}
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" class="hocket" role="img" aria-labelledby="hocket-title hocket-desc" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f"%s>`+"\n",
		pic.width, pic.height, pic.width, pic.height, least)
	d.f("<title id=\"hocket-title\">%s</title>\n<desc id=\"hocket-desc\">%s</desc>\n", escape(line(p.Headline())), escape(description(p)))
	d.f("<style>%s</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n", style)
	d.labels(pic.head)
	for i := range pic.panels {
		d.panel(&pic.panels[i])
	}
	d.labels(pic.foot)
	d.f("</svg>\n")
	return d.String()
}

// description is the whole picture in words.
func description(p *projection.Projection) string {
	var b strings.Builder
	b.WriteString(line(plain(p.Sentence + " " + p.MustNot)))
	for _, c := range columns(p) {
		fmt.Fprintf(&b, "\nThe %s:", c.title)
		for _, s := range c.steps {
			b.WriteString("\n" + describe(p.Where, s))
		}
	}
	return b.String()
}

type drawing struct{ strings.Builder }

func (d *drawing) f(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) panel(pn *panel) {
	d.f("<g>\n")
	d.labels(pn.heads)
	for _, x := range pn.lanesX {
		d.f(`<line class="life" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x, pn.top, x, pn.end)
	}
	for _, n := range pn.nodes {
		d.f(`<line class="lead" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", n.x, n.y, n.notes[0].x-5, n.y)
	}
	for _, p := range pn.paths {
		d.arrow(p)
	}
	for _, n := range pn.nodes {
		d.node(n)
	}
	d.f("</g>\n")
}

// node draws a step: a circle, a diamond where the run fails, a square where it waits.
func (d *drawing) node(n node) {
	class := "step"
	if n.differs {
		class += " differs"
	}
	if n.role != "" {
		class += " " + string(n.role)
	}
	d.f(`<g class="%s" data-step="%d">`, class, n.number)
	d.mark(n)
	d.labels(n.notes)
	d.f("</g>\n")
}

// mark draws the sign of a step, with its number in the explanation.
func (d *drawing) mark(n node) {
	switch n.role {
	case projection.Fails:
		const r = radius + 3
		d.f(`<path class="mark" d="M%.1f %.1fl%d %dl-%d %dl-%d -%dz"/>`, n.x, n.y-r, r, r, r, r, r, r)
	case projection.Waits:
		d.f(`<rect class="mark" x="%.1f" y="%.1f" width="%d" height="%d"/>`, n.x-radius, n.y-radius, 2*radius, 2*radius)
	default:
		d.f(`<circle class="mark" cx="%.1f" cy="%.1f" r="%d"/>`, n.x, n.y, radius)
	}
	if n.number > 0 {
		d.f(`<text class="number" x="%.1f" y="%.1f">%d</text>`, n.x, n.y+4, n.number)
	}
}

// arrow draws a curve and its tip, which points along its end.
func (d *drawing) arrow(p path) {
	bold := ""
	if p.changed {
		bold = " bold"
	}
	d.f(`<path class="flow%s" d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f"/>`, bold,
		p.x[0], p.y[0], p.x[1], p.y[1], p.x[2], p.y[2], p.x[3], p.y[3])
	const length, width = 8, 4.5
	back := -float64(length)
	if p.x[2] > p.x[3] {
		back = length
	}
	d.f(`<path class="tip%s" d="M%.1f %.1fl%.1f %.1fv%.1fz"/>`+"\n", bold, p.x[3], p.y[3], back, -width, 2*width)
}

func (d *drawing) labels(all []label) {
	for _, l := range all {
		d.f(`<text class="%s" x="%.1f" y="%.1f">`, l.class, l.x, l.y)
		if l.full != "" && l.full != l.text {
			d.f("<title>%s</title>", escape(l.full))
		}
		d.f("%s</text>\n", escape(l.text))
	}
}

// escape makes any text fit for XML: what XML forbids becomes a replacement character.
func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder returns no error
	return b.String()
}
