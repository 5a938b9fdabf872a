package protocol

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// texts is made of what is hard: all line breaks, characters of one to four
// bytes, combining ones, surrogate pairs, bytes that are no UTF-8.
var pieces = []string{"a", "b", "\t", " ", "\n", "\r\n", "\r", "é", "e\u0301", "漢", "😀", "\u2028", "\xff", "\xf0\x9f", "\xc3", "\x80", ""}

func text(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, name), "")
}

// slowPositions lists the position before each byte, by walking the text.
func slowPositions(s string, enc Encoding) []Position {
	var all []Position
	p := Position{}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			all = append(all, p, p)
			p = Position{Line: p.Line + 1}
			i += 2
			continue
		}
		for range n {
			all = append(all, p)
		}
		i += n
		switch {
		case r == '\n' || r == '\r':
			p = Position{Line: p.Line + 1}
		case enc == UTF8:
			p.Character += uint32(n)
		case enc == UTF16 && r > 0xffff:
			p.Character += 2
		default:
			p.Character++
		}
	}
	return append(all, p)
}

// slowOffset is the first byte of the last character that is not after p on its line.
func slowOffset(all []Position, p Position) int {
	if p.Line > all[len(all)-1].Line {
		return len(all) - 1
	}
	best := -1
	for i, q := range all {
		if q.Line == p.Line && q.Character <= p.Character && (best < 0 || q != all[best]) {
			best = i
		}
	}
	return best
}

func encoding(t *rapid.T) Encoding {
	return rapid.SampledFrom([]Encoding{UTF16, UTF8, UTF32}).Draw(t, "encoding")
}

func checkMapper(t interface{ Fatalf(string, ...any) }, m *Mapper, s string, enc Encoding) {
	all := slowPositions(s, enc)
	if got, want := m.Lines(), int(all[len(all)-1].Line)+1; got != want {
		t.Fatalf("%q: %d lines, want %d", s, got, want)
	}
	for i := -1; i <= len(s)+1; i++ {
		want := all[max(0, min(i, len(s)))]
		if got := m.Position(i); got != want {
			t.Fatalf("%q (%v): Position(%d) = %v, want %v", s, enc.Kind(), i, got, want)
		}
	}
	for line := uint32(0); line < uint32(m.Lines())+2; line++ {
		for column := uint32(0); column < 12; column++ {
			p := Position{Line: line, Character: column}
			if got, want := m.Offset(p), slowOffset(all, p); got != want {
				t.Fatalf("%q (%v): Offset(%v) = %d, want %d", s, enc.Kind(), p, got, want)
			}
		}
	}
	if got := m.Offset(Position{Line: 0, Character: 1<<32 - 1}); got != slowOffset(all, Position{Character: 1<<32 - 1}) {
		t.Fatalf("%q: the greatest column is at %d", s, got)
	}
}

func TestMapperAgainstAWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, enc := text(t, "text"), encoding(t)
		checkMapper(t, NewMapper(s, enc), s, enc)
	})
}

func TestReplaceIsAsANewMapper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, enc := text(t, "text"), encoding(t)
		m := NewMapper(s, enc)
		for range rapid.IntRange(1, 5).Draw(t, "edits") {
			start := rapid.IntRange(0, len(s)).Draw(t, "start")
			end := rapid.IntRange(start, len(s)).Draw(t, "end")
			in := text(t, "in")
			s = s[:start] + in + s[end:]
			if m = m.Replace(start, end, in); m.Text() != s {
				t.Fatalf("text %q, want %q", m.Text(), s)
			}
			checkMapper(t, m, s, enc)
			checkGoLines(t, m, s)
		}
	})
}

func TestGoLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, enc := text(t, "text"), encoding(t)
		checkGoLines(t, NewMapper(s, enc), s)
	})
}

func checkGoLines(t interface{ Fatalf(string, ...any) }, m *Mapper, s string) {
	for i := 0; i <= len(s); i++ {
		line, column := m.GoLineColumn(i)
		if want := strings.Count(s[:i], "\n") + 1; line != want {
			t.Fatalf("%q: byte %d is on Go line %d, want %d", s, i, line, want)
		}
		if want := i - strings.LastIndexByte(s[:i], '\n'); column != want {
			t.Fatalf("%q: byte %d is at column %d, want %d", s, i, column, want)
		}
		if s[i:] == "" || s[i] != '\n' && (s[i] != '\r' || !strings.HasPrefix(s[i+1:], "\n")) {
			if back := m.GoOffset(line, column); back != i {
				t.Fatalf("%q: byte %d comes back as %d", s, i, back)
			}
		}
	}
}

func TestPositionsThatAreNot(t *testing.T) {
	m := NewMapper("ab\r\n😀é\n", UTF16)
	for _, c := range []struct {
		p    Position
		want int
	}{
		{at(0, 2), 2},
		{at(0, 3), 2}, // before the line break
		{at(0, 99), 2},
		{at(1, 1), 4}, // inside a surrogate pair
		{at(1, 2), 8},
		{at(1, 3), 10},
		{at(2, 0), 11},
		{at(2, 7), 11},
		{at(3, 0), 11},
		{at(1<<32-1, 1<<32-1), 11},
	} {
		if got := m.Offset(c.p); got != c.want {
			t.Errorf("Offset(%v) = %d, want %d", c.p, got, c.want)
		}
	}
	if r, ok := m.GoLine(2); !ok || r != (Range{Start: at(1, 0), End: at(1, 3)}) {
		t.Errorf("line 2 is %v, %v", r, ok)
	}
	if _, ok := m.GoLine(4); ok {
		t.Error("a line 4")
	}
	if _, ok := m.GoLine(0); ok {
		t.Error("a line 0")
	}
}

func TestChooseEncoding(t *testing.T) {
	for _, c := range []struct {
		offered []PositionEncodingKind
		want    Encoding
	}{
		{nil, UTF16},
		{[]PositionEncodingKind{"utf-8", "utf-16"}, UTF16},
		{[]PositionEncodingKind{"utf-8"}, UTF8},
		{[]PositionEncodingKind{"utf-32", "utf-8"}, UTF32},
		{[]PositionEncodingKind{"utf-7"}, UTF16},
		{[]PositionEncodingKind{"utf-7", "utf-32"}, UTF32},
	} {
		if got := ChooseEncoding(c.offered); got != c.want {
			t.Errorf("of %v: %v, want %v", c.offered, got.Kind(), c.want.Kind())
		}
	}
}

func FuzzMapper(f *testing.F) {
	f.Add("a\r\nb\rc\n😀", 2, 4, "é\r", byte(0))
	f.Add("\xff\xf0\x9f\n", 0, 1, "\n", byte(1))
	f.Fuzz(func(t *testing.T, s string, start, end int, in string, e byte) {
		if len(s)+len(in) > 200 {
			return
		}
		start = max(0, min(start, len(s)))
		end = max(start, min(end, len(s)))
		enc := Encoding(e % 3)
		m := NewMapper(s, enc)
		checkMapper(t, m, s, enc)
		s = s[:start] + in + s[end:]
		m = m.Replace(start, end, in)
		checkMapper(t, m, s, enc)
		checkGoLines(t, m, s)
	})
}

func at(line, character uint32) Position { return Position{Line: line, Character: character} }
