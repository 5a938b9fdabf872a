package draw

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
)

// Sizes in pixels. A cell is a character of the fixed-width font at its size; fonts
// differ, so it is taken a little wider than most are.
const (
	cell        = 7.4 // at 12 px
	bigCell     = 9.3 // at 15 px
	outside     = 24
	gap         = 56 // between the columns
	lineUp      = 17 // from one line of text to the next
	rowHeight   = 46
	radius      = 11
	laneLeast   = 66
	leastWidth  = 560
	besideLanes = 14 // between the lanes and the texts
	laneMost    = 148
	lanesMost   = 560 // of all lanes together, unless each has the least
	placeMost   = 18  // cells of a step's line and file
	codeMost    = 44  // cells of what is said of a step
)

// label is a text in the picture, in a box that no other label meets.
type label struct {
	x, y, w float64 // left end of the base line, and the width that is kept for it
	text    string
	full    string // if text is shortened
	class   string
	centred bool // x is the middle
}

// node is a step where it is drawn.
type node struct {
	step
	x, y  float64
	notes []label // what is said beside it
}

// path is an arrow where it is drawn: a cubic curve.
type path struct {
	arrow
	x [4]float64
	y [4]float64
}

// panel is a column where it is drawn.
type panel struct {
	column
	x, width float64
	heads    []label
	lanesX   []float64
	top, end float64 // of the lanes
	nodes    []node
	paths    []path
}

// picture is a layout.
type picture struct {
	width, height float64
	margin        float64
	names         []string // of the lanes
	lane          float64  // width of one
	place, code   int      // cells that the texts beside the steps have
	gap           float64  // between the columns
	where         func(projection.Row) string
	head          []label
	panels        []panel
	foot          []label
}

func layout(p *projection.Projection, bare bool) *picture {
	cols := columns(p)
	pic := &picture{names: lanes(p.Rows), margin: outside, gap: gap, where: p.Where}
	if bare { // the page has a margin
		pic.margin = 1
	}
	pic.place, pic.code = notesWidth(p)
	width := pic.widths(len(cols), laneMost)
	top := pic.margin
	if !bare {
		top = pic.heading(p)
	}
	pic.footing(p, pic.columns(cols, width, top), bare)
	return pic
}

// widths decides how wide lanes, at most so wide, and picture are, and returns that of a
// column.
func (pic *picture) widths(columns int, lane float64) float64 {
	pic.lane = min(laneWidth(pic.names), lane)
	width := pic.lane*float64(len(pic.names)) + besideLanes + float64(pic.place+1+pic.code)*cell
	pic.width = max(2*pic.margin+float64(columns)*width+float64(columns-1)*pic.gap, leastWidth)
	return width
}

// columns places the columns side by side, and returns where the longest ends.
func (pic *picture) columns(cols []column, width, top float64) (bottom float64) {
	bottom = top
	for i, c := range cols {
		pn := panel{column: c, x: pic.margin + float64(i)*(width+pic.gap), width: width}
		pn.place(pic, top)
		pic.panels = append(pic.panels, pn)
		bottom = max(bottom, pn.end)
	}
	for i := range pic.panels {
		pic.panels[i].end = bottom
	}
	return bottom
}

// laneWidth is what the names need, within limits.
func laneWidth(names []string) float64 {
	w := float64(laneLeast)
	for _, n := range names {
		w = max(w, float64(cells(line(n))+2)*cell)
	}
	return max(laneLeast, min(w, laneMost, lanesMost/float64(max(len(names), 1))))
}

// notesWidth is what the texts beside the steps need, within limits.
func notesWidth(p *projection.Projection) (place, code int) {
	code = 16
	for _, r := range p.Rows {
		place = max(place, cells(line(p.Where(r))))
		code = max(code, cells(line(r.Code)), cells(line(r.Failing)), cells(line(cmp.Or(r.Nearest, r.Passing))))
	}
	return min(place, placeMost), min(code, codeMost)
}

// heading places failure, class and sentence, and returns where the columns begin.
func (pic *picture) heading(p *projection.Projection) float64 {
	y := pic.margin
	room := pic.width - 2*pic.margin
	put := func(text, class string, cell float64, most int) {
		lines := wrap(line(text), int(room/cell))
		if len(lines) > most {
			lines = append(lines[:most-1], clip(lines[most-1]+" …", int(room/cell)))
		}
		for _, l := range lines {
			y += lineUp * cell / bigCell * 1.25
			pic.head = append(pic.head, label{x: pic.margin, y: y, w: room, text: l, class: class})
		}
	}
	put(p.Headline(), "headline", bigCell, 2)
	put(p.Subline(), "muted", cell, 1)
	y += 6
	put(plain(p.Sentence), "text", cell, 8)
	put(plain(p.MustNot), "text strong", cell, 3)
	return y + 22
}

// plain is a sentence without the marks of code.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

func (pn *panel) place(pic *picture, top float64) {
	pn.heads = append(pn.heads, label{x: pn.x, y: top + 12, w: pn.width, text: pn.title, class: "title"})
	pn.top = top + 48
	room := int(pic.lane/cell) - 1
	for i, n := range pic.names {
		x := pn.x + pic.lane*(float64(i)+0.5)
		n = line(n)
		pn.lanesX = append(pn.lanesX, x)
		pn.heads = append(pn.heads, label{x: x, y: top + 38, w: pic.lane - cell, text: clipStart(n, room), full: n, class: "lane", centred: true})
	}
	notes := pn.x + pic.lane*float64(len(pic.names)) + besideLanes
	pn.end = pn.top
	for _, s := range pn.steps {
		y := pn.end + s.height()/2
		pn.nodes = append(pn.nodes, node{s, pn.lanesX[s.lane], y, pic.beside(s, notes, y)})
		pn.end += s.height()
	}
	pn.end = max(pn.end, pn.top+rowHeight)
	for _, a := range pn.arrows {
		pn.paths = append(pn.paths, pn.curve(a, pic.lane))
	}
}

// beside are the line of a step and what happened there.
func (pic *picture) beside(s step, x, y float64) []label {
	class := "happens"
	if s.differs {
		class += " changed"
	}
	note := func(x, y float64, room int, text, class string) label {
		text = line(text)
		return label{x: x, y: y, w: float64(room) * cell, text: clip(text, room), full: text, class: class}
	}
	code := x + float64(pic.place+1)*cell
	where := line(pic.where(s.row))
	if s.small() {
		text, class := s.inOneLine(), "code"
		if s.differs {
			class += " changed"
		}
		return []label{{x: x, y: y + 4, w: float64(pic.place) * cell, text: clipStart(where, pic.place), full: where, class: "muted"},
			note(code, y+4, pic.code, text, class)}
	}
	return []label{
		{x: x, y: y - 4, w: float64(pic.place) * cell, text: clipStart(where, pic.place), full: where, class: "muted"},
		note(code, y-4, pic.code, s.row.Code, "code"),
		note(code, y-4+lineUp, pic.code, s.happens, class),
	}
}

// curve leads from the edge of one node to the edge of another.
func (pn *panel) curve(a arrow, lane float64) path {
	from, to := pn.nodes[a.from], pn.nodes[a.to]
	if from.x == to.x { // round the nodes between them
		out := min(lane/2-4, 34)
		return path{a, [4]float64{from.x - radius, from.x - out, to.x - out, to.x - radius - 2},
			[4]float64{from.y, from.y, to.y, to.y}}
	}
	side := 1.0
	if to.x < from.x {
		side = -1
	}
	half := (to.x - from.x) / 2
	return path{a, [4]float64{from.x + side*radius, from.x + half, to.x - half, to.x - side*(radius+2)},
		[4]float64{from.y, from.y, to.y, to.y}}
}

// footing places the legend and, unless the page has them, the counts.
func (pic *picture) footing(p *projection.Projection, y float64, bare bool) {
	room := pic.width - 2*pic.margin
	put := func(text string) {
		for _, l := range wrap(text, int(room/cell)) {
			y += lineUp
			pic.foot = append(pic.foot, label{x: pic.margin, y: y, w: room, text: l, class: "muted"})
		}
	}
	y += 10
	put(pic.legend(p))
	if !bare {
		put(p.Footer())
	}
	pic.height = y + 6 + pic.margin
}

// legend explains the signs that the picture has.
func (pic *picture) legend(p *projection.Projection) string {
	var parts []string
	if slices.ContainsFunc(pic.panels, func(pn panel) bool { return len(pn.paths) > 0 }) {
		parts = append(parts, "Arrows lead from the step that wrote a value to the step that saw it.")
	}
	if p.Compared && len(p.Rows) > 0 {
		parts = append(parts, "Bold: otherwise in the other run; the numbers are the same in both.")
	}
	has := func(role projection.Role) bool {
		return slices.ContainsFunc(p.Rows, func(r projection.Row) bool { return r.Role == role })
	}
	if has(projection.Fails) {
		parts = append(parts, "Diamond: the failure.")
	}
	if has(projection.Waits) {
		parts = append(parts, "Square: waits for ever.")
	}
	return strings.Join(parts, " ")
}

// describe says a step in words, for who does not see the picture.
func describe(where func(projection.Row) string, s step) string {
	return fmt.Sprintf("%d. %s, line %s, %s: %s", s.number, line(s.row.Goroutine), where(s.row), line(s.row.Code), line(s.happens))
}
