// Package textedit applies edits, which are given as ranges of bytes, to a text.
//
// Invariants:
//   - The text outside of the edits stays as it is.
//   - Edits that overlap are an error, but for those inside of the range of an
//     edit with Wrap, which sees them applied.
//   - Of insertions at one offset, what closes comes before what opens.
package textedit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Edit replaces text[From:To] by Text; if that range is empty, it inserts Text.
type Edit struct {
	From, To int
	Text     string
	// Order is that of edits at one offset, ascending; equal ones are applied as
	// they are given. Insertions that open something have an order of 0 or more.
	Order int
	// Wrap, if set, makes the text instead, from parts of the original text
	// that lie in [From:To]: render gives them with the edits inside applied.
	Wrap func(render func(from, to int) string) string
}

// Insert inserts text at an offset.
func Insert(at, order int, text string) Edit {
	return Edit{From: at, To: at, Text: text, Order: order}
}

// closes is the order of what closes: minus the offset where it was opened, so
// that of two that end at one offset, the one that started later comes first.
const closes = -1 << 30

// Close inserts, at an offset, the end of what was opened at offset start.
func Close(at, start int, text string) Edit {
	return Edit{From: at, To: at, Text: text, Order: closes - start}
}

// Apply returns the text with all edits applied.
func Apply(text []byte, edits []Edit) ([]byte, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Order, b.Order)) })
	if err := check(edits, len(text)); err != nil {
		return nil, err
	}
	return []byte(render(text, edits, 0, len(text))), nil
}

// check refuses what render would leave out. The edits are sorted.
func check(edits []Edit, size int) error {
	var outer []Edit // those that e may be inside of
	for _, e := range edits {
		if e.From < 0 || e.To < e.From || e.To > size {
			return fmt.Errorf("edit of bytes %d to %d of %d", e.From, e.To, size)
		}
		for len(outer) > 0 && outer[len(outer)-1].To <= e.From {
			outer = outer[:len(outer)-1]
		}
		if len(outer) > 0 {
			if o := outer[len(outer)-1]; o.Wrap == nil || e.To > o.To {
				return fmt.Errorf("overlapping edits of bytes %d to %d and %d to %d", o.From, o.To, e.From, e.To)
			}
		}
		if e.From < e.To {
			outer = append(outer, e)
		}
	}
	return nil
}

func render(text []byte, edits []Edit, from, to int) string {
	var b strings.Builder
	at := from
	for _, e := range edits {
		if e.From < at || e.To > to {
			continue // outside of the part, or inside of an edit that wraps it
		}
		b.Write(text[at:e.From])
		if e.Wrap != nil {
			b.WriteString(e.Wrap(func(f, t int) string { return render(text, inside(edits, e, f, t), f, t) }))
		} else {
			b.WriteString(e.Text)
		}
		at = e.To
	}
	b.Write(text[at:to])
	return b.String()
}

// inside returns the edits of text[from:to] inside of outer, without outer: at
// the borders of the part only what opens at its start and what closes at its
// end, and nothing at the borders of outer, for that is written around outer.
func inside(edits []Edit, outer Edit, from, to int) []Edit {
	var in []Edit
	for _, e := range edits {
		if e.Wrap != nil && e.From == outer.From {
			continue
		}
		if e.From == e.To {
			opens := e.Order >= 0
			if e.From == from && (!opens || from == outer.From) || e.From == to && (opens || to == outer.To) {
				continue
			}
		}
		in = append(in, e)
	}
	return in
}
