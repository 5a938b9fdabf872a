// Package draw shows an explanation as a picture: SVG, a page of HTML around it, and
// DOT for Graphviz.
//
// A picture has two columns, the failing and the passing run. A column has a lane for
// each goroutine; time runs downwards. A step of the table is a node in its lane, with
// its line and what happened there beside it; an arrow leads from the step that wrote a
// value to the one that saw it. What differs between the runs is bold.
//
//	run.go     which steps, lanes and arrows a column has
//	layout.go  where they are
//	svg.go     the picture
//	page.go    the page: picture, table, source text; page.html is its template
//	dot.go     the graph
//	walk.go    the two runs step by step (projection.Walk), for who moves through them
//	text.go    widths of text, names in short
//
// Invariants:
//   - A file needs nothing else: no network, no font, no script of others.
//   - Any text may come from the user's program; none is taken for markup.
//   - No two labels overlap, however long names are.
//   - What the picture says is also there as text, for screen readers.
package draw
