// Package table prints the rows of a measurement as they come, in columns, so
// that an interrupted measurement has shown what it had.
package table

import (
	"fmt"
	"io"
	"strings"
)

// Table has columns of fixed least widths.
type Table struct {
	w      io.Writer
	widths []int
}

// New prints the headers; each column is at least as wide as its header, and
// spaces at its end widen it.
func New(w io.Writer, headers ...string) *Table {
	t := &Table{w: w}
	for _, h := range headers {
		t.widths = append(t.widths, len(h))
	}
	cells := make([]any, len(headers))
	for i, h := range headers {
		cells[i] = strings.TrimRight(h, " ")
	}
	t.Row(cells...)
	return t
}

// Row prints one line; numbers go to the right of their column.
func (t *Table) Row(cells ...any) {
	var b strings.Builder
	for i, c := range cells {
		width := 0
		if i < len(t.widths) {
			width = t.widths[i]
		}
		switch c := c.(type) {
		case int:
			fmt.Fprintf(&b, "%*d  ", width, c)
		case float64:
			fmt.Fprintf(&b, "%*.1f  ", width, c)
		default:
			fmt.Fprintf(&b, "%-*v  ", width, c)
		}
	}
	fmt.Fprintln(t.w, strings.TrimRight(b.String(), " "))
}
