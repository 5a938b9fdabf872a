package draw

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// cells is how many cells of a fixed-width font a text takes at most.
func cells(s string) (n int) {
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}

// cellsOf counts marks too, which take none: too much is better than too little.
func cellsOf(r rune) int {
	if r >= 0x1100 && r <= 0x115f || r >= 0x2e80 { // ideographs, emoji
		return 2
	}
	return 1
}

// line makes one line of a text, without what can't be shown.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return '·'
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// clip shortens a text to so many cells.
func clip(s string, most int) string {
	if cells(s) <= most {
		return s
	}
	n, end := 1, 0 // one for the dots
	for i, r := range s {
		if n += cellsOf(r); n > most {
			break
		}
		end = i + len(string(r))
	}
	return strings.TrimRight(s[:end], " ") + "…"
}

// clipStart shortens a text to so many cells at its start: the end of a name, or the line
// of a place, tells more.
func clipStart(s string, most int) string {
	if cells(s) <= most {
		return s
	}
	n, from := 1, len(s)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(s[:from])
		if n += cellsOf(r); n > most {
			break
		}
		from -= size
	}
	return "…" + strings.TrimLeft(s[from:], " ")
}

// wrap breaks a text into lines of so many cells; a longer word is clipped.
func wrap(s string, most int) (lines []string) {
	for _, w := range strings.Fields(s) {
		w = clip(w, most)
		last := len(lines) - 1
		if last >= 0 && cells(lines[last])+1+cells(w) <= most {
			lines[last] += " " + w
			continue
		}
		lines = append(lines, w)
	}
	return lines
}
