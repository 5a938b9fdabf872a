package draw

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
)

// Sizes of what only walks have.
const (
	smallHeight = 26 // of a step that is in no row of the explanation, and of a fold
	dot         = 5  // radius of such a step
	walkCode    = 32 // cells of what is said of a step
	walkPlace   = 12 // and of its place
	walkGap     = 28 // between the columns
	walkLane    = 84 // width of a lane at most
)

// Walk draws a walk: the two runs side by side, as SVG does, with all steps that are
// shown, folds, and the switches as lines from lane to lane. The picture has classes and
// no colours: who shows it has a style of their own. Each step can be addressed:
//
//	<g class="step" id="failing-12" data-run="failing" data-step="12" role="option" aria-label="...">
//
// and so can each switch, by data-switch.
func Walk(v *projection.WalkView) string {
	pic := walkLayout(v)
	d := &drawing{}
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" class="hocket walk" role="presentation" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n",
		pic.width, pic.height, pic.width, pic.height)
	for i := range pic.panels {
		d.walkPanel(&pic.panels[i], pic, v)
	}
	d.f("</svg>\n")
	return d.String()
}

// walkLayout places the columns of a walk.
func walkLayout(v *projection.WalkView) *picture {
	cols := []column{walkColumn("failing run", v.Failing)}
	if v.Steps.Passing > 0 {
		cols = append(cols, walkColumn("passing run", v.Passing))
	}
	pic := &picture{names: v.Lanes, margin: 8, gap: walkGap, where: whereIn(v)}
	pic.place, pic.code = 1, 16
	for _, c := range cols {
		for _, s := range c.steps {
			pic.place = max(pic.place, cells(line(pic.where(s.row))))
			pic.code = max(pic.code, cells(line(s.row.Code)), cells(line(s.happens)))
			if s.small() {
				pic.code = max(pic.code, cells(line(s.inOneLine())))
			}
		}
	}
	pic.place, pic.code = min(pic.place, walkPlace), min(pic.code, walkCode)
	width := pic.widths(len(cols), walkLane)
	pic.height = pic.columns(cols, width, pic.margin) + pic.margin
	return pic
}

// whereIn is how places are written: the line, with the file's name where it is not
// that of most steps.
func whereIn(v *projection.WalkView) func(projection.Row) string {
	count, most := map[string]int{}, ""
	for _, s := range slices.Concat(v.Failing, v.Passing) {
		count[s.File]++
	}
	for file, n := range count {
		if file != "" && (most == "" || n > count[most] || n == count[most] && file < most) {
			most = file
		}
	}
	return func(r projection.Row) string {
		switch {
		case r.Line == 0:
			return ""
		case r.File == most:
			return fmt.Sprint(r.Line)
		}
		return fmt.Sprintf("%s:%d", r.File[strings.LastIndexByte(r.File, '/')+1:], r.Line)
	}
}

func walkColumn(title string, steps []projection.WalkStep) column {
	c := column{title: title}
	at := map[int]int{} // by number: the index of the step
	for _, s := range steps {
		row := projection.Row{Goroutine: s.Goroutine, File: s.File, Line: s.Line, Code: s.Code}
		at[s.Number] = len(c.steps)
		c.steps = append(c.steps, step{number: s.Row, row: row, lane: s.Lane, happens: s.Happens, differs: s.Differs, role: s.Role, walked: s.Number, until: s.Until, led: s.Switch})
	}
	for i, s := range steps {
		if from, ok := at[s.From]; ok && s.From > 0 && from != i && !c.steps[from].fold() {
			c.arrows = append(c.arrows, arrow{from, i, s.FromDiffers})
		}
	}
	return c
}

// fold is true of what stands for several steps.
func (s step) fold() bool { return s.until > 0 }

// small is true of steps that take one line.
func (s step) small() bool { return s.walked > 0 && s.number == 0 }

func (s step) height() float64 {
	if s.small() {
		return smallHeight
	}
	return rowHeight
}

func (s step) inOneLine() string {
	if s.happens == "" {
		return s.row.Code
	}
	return s.row.Code + " · " + s.happens
}

func (d *drawing) walkPanel(pn *panel, pic *picture, v *projection.WalkView) {
	run, _, _ := strings.Cut(pn.title, " ")
	d.f(`<g class="heads" data-below="%.0f">`+"\n", pn.top)
	d.labels(pn.heads)
	d.f("</g>\n<g>\n")
	for _, x := range pn.lanesX {
		d.f(`<line class="life" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`+"\n", x, pn.top, x, pn.end)
	}
	for _, n := range pn.nodes { // below the lines, since the one that is looked at is filled
		d.walkNode(pn, pic, n, run)
	}
	for i, n := range pn.nodes {
		if n.led > 0 && i > 0 {
			d.switchLine(pn.nodes[i-1], n, v.Switches[n.led-1])
		}
	}
	for _, p := range pn.paths {
		d.arrow(p)
	}
	if run == "failing" {
		d.orders(pn, v.Orders)
	}
	d.f("</g>\n")
}

// switchLine leads from the goroutine that is stopped to the one that goes on.
func (d *drawing) switchLine(from, to node, s projection.Switch) {
	class := "switch"
	if s.Preempt {
		class += " preempt"
	}
	if s.Runs > 0 && s.Failed*4 < s.Runs {
		class += " needed"
	}
	middle := (from.y + from.height()/2 + to.y - to.height()/2) / 2
	d.f(`<path class="%s" data-switch="%d" d="M%.1f %.1fV%.1fH%.1fV%.1f"><title>%s</title></path>`+"\n", class, s.Number,
		from.x, from.y+from.size(), middle, to.x, to.y-to.size(), escape(line(s.Words)))
}

// orders are drawn from the step that came first to the one that came after it.
func (d *drawing) orders(pn *panel, all []projection.WalkOrder) {
	index := func(number int) int {
		return slices.IndexFunc(pn.nodes, func(n node) bool { return n.walked == number && !n.fold() })
	}
	for _, o := range all {
		from, to := index(o.Before), index(o.After)
		if from < 0 || to < 0 {
			continue
		}
		a, b := pn.nodes[from], pn.nodes[to]
		d.f(`<path class="order" data-order="%d" d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f"><title>order %d: this came before</title></path>`+"\n", o.Number,
			a.x+a.size(), a.y, a.x+24, a.y, b.x+24, b.y, b.x+b.size()+2, b.y, o.Number)
	}
}

func (s step) size() float64 {
	if s.small() {
		return dot
	}
	return radius
}

func (d *drawing) walkNode(pn *panel, pic *picture, n node, run string) {
	class := "step"
	for _, c := range []struct {
		is   bool
		name string
	}{{n.small(), "small"}, {n.fold(), "fold"}, {n.differs, "differs"}, {n.number > 0, "cause"}, {n.role != "", string(n.role)}} {
		if c.is {
			class += " " + c.name
		}
	}
	d.f(`<g class="%s" id="%s-%d" data-run="%s" data-step="%d" role="option" aria-selected="false" aria-label="%s">`,
		class, run, n.walked, run, n.walked, escape(walkWords(pic, n.step)))
	d.f(`<rect class="hit" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, pn.x, n.y-n.height()/2, pn.width, n.height())
	d.f(`<line class="lead" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, n.x, n.y, n.notes[0].x-5, n.y)
	switch {
	case n.fold():
		d.f(`<rect class="mark" x="%.1f" y="%.1f" width="%d" height="%d" rx="3"/>`, n.x-2*dot, n.y-dot, 4*dot, 2*dot)
	case n.small() && n.role == "":
		d.f(`<circle class="mark" cx="%.1f" cy="%.1f" r="%d"/>`, n.x, n.y, dot)
	default:
		d.mark(n)
	}
	d.labels(n.notes)
	d.f("</g>\n")
}

// walkWords say a step in one line, for who does not see the picture.
func walkWords(pic *picture, s step) string {
	if s.fold() {
		return fmt.Sprintf("steps %d to %d, folded: %s", s.walked, s.until, line(s.row.Code))
	}
	text := fmt.Sprintf("step %d, %s, line %s, %s: %s", s.walked, line(s.row.Goroutine), pic.where(s.row), line(s.row.Code), line(s.happens))
	if s.differs {
		text += "; otherwise in the other run"
	}
	if s.number > 0 {
		text += fmt.Sprintf("; row %d of the explanation", s.number)
	}
	return text
}
