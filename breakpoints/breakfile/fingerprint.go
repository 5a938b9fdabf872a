package breakfile

import (
	"bytes"
	"errors"
	"fmt"
	"go/scanner"
	"slices"
	"strings"
	"unicode"
)

// Fingerprint describes the statement of a Go text that starts at a line, or,
// if none does, goes on there; of several the first, or the one at the column.
// line and col start at 1, col in bytes, 0 for no choice. file is for the
// place's name only. The errors are one line, without the file's name, and say
// why there is no statement and where the nearest ones are.
func Fingerprint(src []byte, file string, line, col int) (Place, error) {
	return NewText(src).Fingerprint(file, line, col)
}

func (s *source) fingerprint(src []byte, file string, line, col int) (Place, error) {
	lines := bytes.Split(src, []byte("\n"))
	if len(lines) > 1 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	switch {
	case line < 1:
		return Place{}, fmt.Errorf("line %d: lines start at 1", line)
	case line > len(lines):
		return Place{}, fmt.Errorf("line %d is beyond the end; the file has %s", line, count(len(lines), "line"))
	case col < 0:
		return Place{}, fmt.Errorf("column %d: columns start at 1", col)
	case col > len(lines[line-1])+1:
		return Place{}, fmt.Errorf("column %d is beyond the end of line %d, which has %s", col, line, count(len(lines[line-1]), "column"))
	}
	u := s.at(line, col)
	if u == nil {
		return Place{}, s.nothing(line, lines)
	}
	if u.dead != "" {
		return Place{}, fmt.Errorf("line %d can't be reached: %s", line, u.dead)
	}
	return s.place(u, file), nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func errUnreadable(err error) error {
	return fmt.Errorf("the file does not parse: %s", firstOf(err))
}

// firstOf is the first of the parser's errors: "12:3: expected operand".
func firstOf(err error) string {
	var list scanner.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return fmt.Sprintf("%d:%d: %s", list[0].Pos.Line, list[0].Pos.Column, strings.Join(strings.Fields(list[0].Msg), " "))
	}
	return err.Error()
}

// at chooses a unit.
func (s *source) at(line, col int) *unit {
	var starting, on []*unit
	for _, u := range s.units {
		from, _ := s.position(u.start)
		to, _ := s.position(u.end)
		switch {
		case from == line:
			starting = append(starting, u)
		case from < line && line <= to && s.goesOn(u, line):
			on = append(on, u)
		}
	}
	if col > 0 {
		off := s.tok.Offset(s.tok.LineStart(line)) + col - 1
		if u := s.around(off, append(on, starting...)); u != nil {
			return u
		}
		for _, u := range starting {
			if u.start >= off {
				return u
			}
		}
		if len(starting) > 0 {
			return starting[len(starting)-1]
		}
	}
	if len(starting) > 0 {
		return starting[0]
	}
	if len(on) > 0 {
		return on[len(on)-1] // the innermost
	}
	return nil
}

// around is the innermost of the units that has an offset.
func (s *source) around(off int, units []*unit) *unit {
	var best *unit
	for _, u := range units {
		if u.start <= off && off < u.end && (best == nil || u.start > best.start) {
			best = u
		}
	}
	return best
}

// goesOn reports whether the unit has more than closing brackets on a line after its first.
func (s *source) goesOn(u *unit, line int) bool {
	for _, h := range s.holes(u) {
		first, _ := s.position(h[0])
		last, _ := s.position(h[1])
		if first < line && line < last {
			return false // inside a literal, where no statement of its own is
		}
	}
	from := s.tok.Offset(s.tok.LineStart(line))
	to := u.end
	if line < s.tok.LineCount() {
		to = min(to, s.tok.Offset(s.tok.LineStart(line+1)))
	}
	for _, t := range scan(s.src[from:to]) {
		if word(t) {
			return true
		}
	}
	return false
}

// place makes the fingerprint of a unit.
func (s *source) place(u *unit, file string) Place {
	units := u.top.units
	k := slices.Index(units, u)
	p := Place{File: file, Func: u.fn, Text: u.text, Around: windowOf(units, k).String()}
	p.Line, p.Column = s.position(u.start)
	for i, v := range units {
		if v.key != u.key {
			continue
		}
		if i < k {
			p.Nth++
		}
		p.Of++
	}
	if p.Of == 1 {
		p.Of = 0
	}
	if k > 0 {
		p.Before = units[k-1].text
	}
	if k+1 < len(units) {
		p.After = units[k+1].text
	}
	var with others
	for _, v := range s.units {
		if v.top == u.top || v.key != u.key {
			continue
		}
		p.Elsewhere++
		if h := hashOf(v.top.name); !slices.Contains(with.names, h) {
			with.names = append(with.names, h)
		}
	}
	p.Others = with.String()
	p.Twins = s.twins(u, newSearch(p))
	return p
}

// twins are the functions that would be taken for u's if that one went.
func (s *source) twins(u *unit, q *search) []string {
	var out []string
	for _, t := range s.tops {
		if t != u.top && q.inRenamedFunc(t, twinShare) != nil {
			out = append(out, t.name)
		}
	}
	if len(out) > maxTwins {
		return []string{moreTwins}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// nothing says why a line has no statement, and where the nearest ones are.
func (s *source) nothing(line int, lines [][]byte) error {
	why := "has no statement that runs"
	text := strings.TrimSpace(string(lines[line-1]))
	switch {
	case text == "":
		why = "is empty"
	case s.comment(line):
		why = "is a comment"
	case len(scan([]byte(text))) > 0 && !strings.ContainsFunc(text, unicode.IsLetter):
		why = "only closes a block"
	case s.declares(line):
		why = "is a declaration"
	}
	if near := s.nearest(line); near != "" {
		return fmt.Errorf("line %d %s; the nearest statements are on %s", line, why, near)
	}
	return fmt.Errorf("line %d %s, and the file has no statement", line, why)
}

func (s *source) comment(line int) bool {
	for _, g := range s.ast.Comments {
		for _, c := range g.List {
			from, col := s.position(s.offset(c.Pos()))
			to, _ := s.position(s.offset(c.End()))
			start := s.tok.Offset(s.tok.LineStart(line))
			if from < line && line <= to || from == line && len(bytes.TrimSpace(s.src[start:start+col-1])) == 0 {
				return true
			}
		}
	}
	return false
}

// declares reports whether the line is part of a declaration.
func (s *source) declares(line int) bool {
	for _, d := range s.ast.Decls {
		from, _ := s.position(s.offset(d.Pos()))
		to, _ := s.position(s.offset(d.End()))
		if from <= line && line <= to {
			return true
		}
	}
	return false
}

func (s *source) nearest(line int) string {
	before, after := 0, 0
	for _, u := range s.units {
		if u.dead != "" {
			continue
		}
		l, _ := s.position(u.start)
		if l < line {
			before = max(before, l)
		} else if l > line && (after == 0 || l < after) {
			after = l
		}
	}
	switch {
	case before > 0 && after > 0:
		return fmt.Sprintf("lines %d and %d", before, after)
	case before > 0 || after > 0:
		return fmt.Sprintf("line %d", before+after)
	}
	return ""
}
