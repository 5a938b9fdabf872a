package reproduce

import (
	"sort"
	"strings"
)

// change replaces text[from:to] of a file (an insertion if empty). One with
// wrap set makes its text from the rest of the file with the changes applied.
type change struct {
	from, to int
	text     string
	order    int // among insertions at one offset, ascending
	wrap     func(render func(from, to int) string) string
}

// What closes comes before what opens, and inner closes before outer: of two
// that end at one offset, the one that started later is the inner one.
const closes = -1 << 30

func closer(at, start int, text string) change {
	return change{from: at, to: at, text: text, order: closes - start}
}

// apply returns the file with all changes.
func apply(src []byte, changes []change) string {
	sort.SliceStable(changes, func(i, j int) bool {
		a, b := changes[i], changes[j]
		return a.from < b.from || a.from == b.from && a.order < b.order
	})
	return render(src, changes, 0, len(src))
}

func render(src []byte, changes []change, from, to int) string {
	var b strings.Builder
	pos := from
	for _, c := range changes {
		if c.from < pos || c.to > to {
			continue
		}
		b.Write(src[pos:c.from])
		if c.wrap != nil {
			b.WriteString(c.wrap(func(f, t int) string { return render(src, inside(changes, c, f, t), f, t) }))
		} else {
			b.WriteString(c.text)
		}
		pos = c.to
	}
	b.Write(src[pos:to])
	return b.String()
}

// inside are the changes of the text [from:to) inside of c, c itself left out:
// at its borders only what opens at the start and what closes at the end, and
// nothing at c's own borders, for that has been written around c.
func inside(changes []change, c change, from, to int) []change {
	var in []change
	for _, x := range changes {
		if x.wrap != nil && x.from == c.from {
			continue
		}
		if x.from == x.to {
			opens := x.order >= 0
			if x.from == from && (!opens || from == c.from) || x.from == to && (opens || to == c.to) {
				continue
			}
		}
		in = append(in, x)
	}
	return in
}
