package points

import (
	"slices"
	"strings"
)

// edit replaces src[from:to] (an insertion if empty). An edit with wrap set
// has a text that is made from the rest of the file with its edits applied.
type edit struct {
	from, to int
	text     string
	order    int // among insertions at one offset, ascending
	wrap     func(render func(from, to int) string) string
}

// Orders of insertions at one offset: what closes comes before what opens,
// and inner closes before outer. Points go outside of spawn brackets, so that
// they run under the parent's name.
const (
	orderClose = -1 << 30 // minus nothing: closers add their start offset, negated, see closer
	orderBody  = 0
	orderAt    = 10
	orderSpawn = 20
	orderWrap  = 30
)

func insert(at, order int, text string) edit { return edit{from: at, to: at, text: text, order: order} }

// closer ends what was opened at offset start: of two that end at one offset,
// the one that started later is the inner one.
func closer(at, start int, text string) edit {
	return edit{from: at, to: at, text: text, order: orderClose - start}
}

// apply returns src[from:to] with all edits inside that range.
func apply(src []byte, edits []edit, from, to int) string {
	slices.SortStableFunc(edits, func(a, b edit) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.order - b.order
	})
	return render(src, edits, from, to)
}

func render(src []byte, edits []edit, from, to int) string {
	var b strings.Builder
	pos := from
	for _, e := range edits {
		if e.from < pos || e.to > to {
			continue
		}
		b.Write(src[pos:e.from])
		if e.wrap != nil {
			b.WriteString(e.wrap(func(f, t int) string {
				return render(src, within(edits, e, f, t), f, t)
			}))
		} else {
			b.WriteString(e.text)
		}
		pos = e.to
	}
	b.Write(src[pos:to])
	return b.String()
}

// within are the edits of the text [from:to) inside of e, with e itself left
// out: at its borders only what opens at the start and what closes at the end,
// and nothing at e's own borders, for that has been written around e.
func within(edits []edit, e edit, from, to int) []edit {
	var in []edit
	for _, x := range edits {
		if x.wrap != nil && x.from == e.from {
			continue
		}
		if insertion := x.from == x.to; insertion {
			opens := x.order >= orderBody
			if x.from == from && (!opens || from == e.from) || x.from == to && (opens || to == e.to) {
				continue
			}
		}
		in = append(in, x)
	}
	return in
}
