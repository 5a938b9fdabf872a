package protocol

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Encoding is the unit that the columns of positions count.
type Encoding int

// The encodings of the specification. Clients that do not negotiate count
// UTF-16 code units.
const (
	UTF16 Encoding = iota
	UTF8
	UTF32
)

// Kind is the encoding's name in the protocol.
func (e Encoding) Kind() PositionEncodingKind {
	switch e {
	case UTF8:
		return PositionEncodingKindUTF8
	case UTF32:
		return PositionEncodingKindUTF32
	}
	return PositionEncodingKindUTF16
}

// ChooseEncoding is UTF-16 unless the client lists encodings and UTF-16 is not
// among them: other servers beside this one count UTF-16 without asking, and
// editors do badly when servers on one document differ.
func ChooseEncoding(offered []PositionEncodingKind) Encoding {
	choice := UTF16
	for i, kind := range offered {
		switch kind {
		case PositionEncodingKindUTF16, "":
			return UTF16
		case PositionEncodingKindUTF8, PositionEncodingKindUTF32:
			if i == 0 || choice == UTF16 {
				choice = UTF8
				if kind == PositionEncodingKindUTF32 {
					choice = UTF32
				}
			}
		}
	}
	return choice
}

// Mapper converts between byte offsets of one text, positions of the protocol,
// and the lines and columns of Go tools. It is immutable.
//
// Three ways to count lines meet here. The protocol ends a line at \n, \r\n and
// a lone \r; Go ends it at \n only. They differ for texts with a lone \r, so
// Go lines are found apart from the protocol's. An invalid byte is one
// character, as decoding it to U+FFFD makes it one.
type Mapper struct {
	text  string
	enc   Encoding
	lines []int // offsets at which the protocol's lines start; lines[0] is 0
	feeds int   // number of \n
	wide  bool  // some byte may be not ASCII, so columns are not bytes
	gone  []int // Go's lines if a lone \r makes them differ, else nil
}

// NewMapper indexes a text; that takes about a millisecond per megabyte.
func NewMapper(text string, enc Encoding) *Mapper {
	m := &Mapper{text: text, enc: enc, feeds: strings.Count(text, "\n")}
	m.lines = appendLines(append(make([]int, 0, 1+m.feeds), 0), text, 0)
	m.wide = enc != UTF8 && !ascii(text)
	m.finish()
	return m
}

// Replace is the mapper of the text in which the bytes from start to before end
// are replaced by s. Only the lines touched are indexed again.
func (m *Mapper) Replace(start, end int, s string) *Mapper {
	r := &Mapper{enc: m.enc, text: m.text[:start] + s + m.text[end:]}
	r.feeds = m.feeds - strings.Count(m.text[start:end], "\n") + strings.Count(s, "\n")
	r.wide = m.wide || m.enc != UTF8 && !ascii(s)

	// The lines up to the one of the byte before the edit begin where they did;
	// an \r there may come to stand before an \n, or no longer. Those whose line
	// break lies behind the edit, the byte that decides about it included, move.
	keep := sort.SearchInts(m.lines, max(0, start-1)+1)
	move := sort.SearchInts(m.lines, end+2)
	shift := len(s) - (end - start)
	r.lines = append(make([]int, 0, len(m.lines)+strings.Count(s, "\n")+1), m.lines[:keep]...)
	if move == len(m.lines) {
		r.lines = appendLines(r.lines, r.text, r.lines[keep-1])
	} else {
		r.lines = appendLines(r.lines, r.text[:m.lines[move]+shift], r.lines[keep-1])
		for _, l := range m.lines[move+1:] {
			r.lines = append(r.lines, l+shift)
		}
	}
	r.finish()
	return r
}

// Text is the text that is mapped.
func (m *Mapper) Text() string { return m.text }

// Lines is the number of the protocol's lines, at least 1: the text after the
// last line break counts, though it may be empty.
func (m *Mapper) Lines() int { return len(m.lines) }

// appendLines appends the starts of the lines that begin in text[from:] because
// of a line break at or after from.
func appendLines(lines []int, text string, from int) []int {
	cr := strings.IndexByte(text[from:], '\r') >= 0
	for i := from; i < len(text); {
		var n int
		if cr {
			n = strings.IndexAny(text[i:], "\r\n")
		} else {
			n = strings.IndexByte(text[i:], '\n')
		}
		if n < 0 {
			break
		}
		i += n + 1
		if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
			i++
		}
		lines = append(lines, i)
	}
	return lines
}

// finish finds Go's lines if they are others.
func (m *Mapper) finish() {
	if m.feeds+1 == len(m.lines) {
		return
	}
	m.gone = []int{0}
	for i := 0; i < len(m.text); i++ {
		if m.text[i] == '\n' {
			m.gone = append(m.gone, i+1)
		}
	}
}

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Offset is the byte at which a position stands. Positions that the text does
// not have are moved: beyond the end of a line to that end, before the line
// break; beyond the last line to the end of the text; inside a character to its
// start.
func (m *Mapper) Offset(p Position) int {
	if uint64(p.Line) >= uint64(len(m.lines)) {
		return len(m.text)
	}
	start, end := m.line(int(p.Line))
	if !m.wide {
		return start + m.whole(start, end, p.Character)
	}
	rest := uint64(p.Character)
	for i := start; i < end; {
		r, n := utf8.DecodeRuneInString(m.text[i:end])
		u := m.units(r)
		if u > rest {
			return i
		}
		rest -= u
		i += n
	}
	return end
}

// whole is Offset within a line whose columns are bytes.
func (m *Mapper) whole(start, end int, column uint32) int {
	if uint64(column) >= uint64(end-start) {
		return end - start
	}
	at := start + int(column)
	if m.text[at] < utf8.RuneSelf || utf8.RuneStart(m.text[at]) {
		return at - start
	}
	for i := at - 1; i >= max(start, at-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(m.text[i]) {
			if _, n := utf8.DecodeRuneInString(m.text[i:end]); i+n > at {
				return i - start
			}
			break
		}
	}
	return at - start
}

// line is the part of the text that a line has, without its line break.
func (m *Mapper) line(n int) (start, end int) {
	start, end = m.lines[n], len(m.text)
	if n+1 == len(m.lines) {
		return start, end
	}
	end = m.lines[n+1] - 1
	if end > start && m.text[end] == '\n' && m.text[end-1] == '\r' {
		end--
	}
	return start, end
}

// Position is where a byte stands. An offset inside a character stands for its
// start, one inside a line break for the end of the line, one outside of the
// text for the nearer end.
func (m *Mapper) Position(offset int) Position {
	offset = max(0, min(offset, len(m.text)))
	n := sort.SearchInts(m.lines, offset+1) - 1
	start, end := m.line(n)
	offset = min(offset, end)
	if !m.wide {
		return Position{Line: uint32(n), Character: uint32(m.whole(start, end, uint32(offset-start)))}
	}
	var column uint64
	for i := start; i < offset; {
		r, size := utf8.DecodeRuneInString(m.text[i:end])
		if i += size; i <= offset {
			column += m.units(r)
		}
	}
	return Position{Line: uint32(n), Character: uint32(column)}
}

func (m *Mapper) units(r rune) uint64 {
	if m.enc == UTF16 && r >= 0x10000 {
		return 2
	}
	return 1
}

// Range is the range from one byte to before another.
func (m *Mapper) Range(start, end int) Range {
	return Range{Start: m.Position(start), End: m.Position(end)}
}

// GoOffset is the byte of a line and column as Go tools count them: from 1, the
// column in bytes. Column 0 stands for 1. What the text does not have is moved
// as Offset does.
func (m *Mapper) GoOffset(line, column int) int {
	start, end, ok := m.goLine(line)
	if !ok {
		return end
	}
	return min(start+max(0, column-1), end)
}

// GoPosition is the position of a line and column as Go tools count them.
func (m *Mapper) GoPosition(line, column int) Position { return m.Position(m.GoOffset(line, column)) }

// GoLineColumn is the line and column that Go tools give to a byte.
func (m *Mapper) GoLineColumn(offset int) (line, column int) {
	offset = max(0, min(offset, len(m.text)))
	starts := m.goStarts()
	n := sort.SearchInts(starts, offset+1)
	return n, offset - starts[n-1] + 1
}

// GoLine is the range of a line as Go counts it, without the spaces around its
// text; ok is false if the text has no such line.
func (m *Mapper) GoLine(line int) (r Range, ok bool) {
	start, end, ok := m.goLine(line)
	if !ok {
		return Range{}, false
	}
	s := m.text[start:end]
	trimmed := strings.TrimSpace(s)
	if trimmed != "" {
		start += strings.Index(s, trimmed)
		end = start + len(trimmed)
	}
	return m.Range(start, end), true
}

func (m *Mapper) goStarts() []int {
	if m.gone != nil {
		return m.gone
	}
	return m.lines
}

func (m *Mapper) goLine(line int) (start, end int, ok bool) {
	starts := m.goStarts()
	switch {
	case line < 1:
		return 0, 0, false
	case line > len(starts):
		return len(m.text), len(m.text), false
	}
	start, end = starts[line-1], len(m.text)
	if line < len(starts) {
		end = starts[line] - 1
		if end > start && m.text[end-1] == '\r' {
			end--
		}
	}
	return start, end, true
}
