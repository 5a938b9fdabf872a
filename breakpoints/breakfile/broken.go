package breakfile

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"regexp"
)

// A text that does not parse is being typed. Its declarations are read one by
// one: those that parse are searched as always, the others by their tokens.

var declaration = regexp.MustCompile(`(?m)^(func|var|const|type|import)\b`)

// inBroken finds a place in a text that does not parse.
func (q *search) inBroken(src []byte, cause error) (Location, error) {
	lost := &LostError{q.p, fmt.Sprintf("the file does not parse: %s", firstOf(cause))}
	readable, broken := blankBroken(src)
	s, err := parse(readable)
	if err != nil {
		return Location{}, lost
	}
	if t := s.topOf(q.p.Func); t != nil {
		if h, _ := q.inSame(t); h != nil {
			return q.located(s, h), nil
		}
		return Location{}, lost
	}
	for _, part := range broken {
		name := declared(src[part[0]:part[1]])
		if name == q.p.Func || name == literal.ReplaceAllString(q.p.Func, "") {
			if l, ok := q.byTokens(src, part); ok {
				return l, nil
			}
		}
	}
	return Location{}, lost
}

// blankBroken blanks the declarations that don't parse, and returns where they are.
func blankBroken(src []byte) (readable []byte, broken [][2]int) {
	readable = bytes.Clone(src)
	starts := declaration.FindAllIndex(src, -1)
	for i, at := range starts {
		from, to := at[0], len(src)
		if i+1 < len(starts) {
			to = starts[i+1][0]
		}
		text := append([]byte("package p;"), src[from:to]...)
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution); err == nil {
			continue
		}
		broken = append(broken, [2]int{from, to})
		for j := from; j < to; j++ {
			if readable[j] != '\n' {
				readable[j] = ' '
			}
		}
	}
	return readable, broken
}

// declared is the name of the function that a text starts to declare, as
// funcName has it.
func declared(text []byte) string {
	toks := scan(text)
	if len(toks) < 2 || toks[0].kind != token.FUNC {
		return ""
	}
	if toks[1].kind == token.IDENT {
		return toks[1].text
	}
	recv, star := "", false
	for i := 1; i+1 < len(toks); i++ {
		switch toks[i].kind {
		case token.MUL:
			star = true
		case token.IDENT:
			if toks[i-1].kind != token.LBRACK && toks[i-1].kind != token.COMMA {
				recv = toks[i].text
			}
		case token.RPAREN:
			if star {
				recv = "(*" + recv + ")"
			}
			return recv + "." + toks[i+1].text
		}
	}
	return ""
}

// byTokens finds the place in a part of a text by its tokens alone. All the
// equal ones that were there must be there.
func (q *search) byTokens(src []byte, part [2]int) (Location, bool) {
	toks := scan(src[part[0]:part[1]])
	var found [][2]int
	for i := range toks {
		if n := q.matches(toks[i:]); n > 0 && (begins(toks, i) || firstOnLine(src[part[0]:], toks, i)) && ends(toks, i+n) {
			last := toks[i+n-1]
			found = append(found, [2]int{part[0] + toks[i].off, part[0] + last.off + len(last.text)})
		}
	}
	if len(found) != max(1, q.p.Of) || q.p.Nth >= len(found) {
		return Location{}, false
	}
	at := found[q.p.Nth]
	l := Location{Func: q.p.Func, Text: q.p.Text}
	l.Line, l.Column = lineColumn(src, at[0])
	l.EndLine, l.EndColumn = lineColumn(src, at[1])
	if l.Moved = l.Line != q.p.Line; l.Moved {
		l.Why = fmt.Sprintf("it was on line %d", q.p.Line)
	}
	return l, true
}

// matches returns how many tokens the place takes at the start of toks, 0 if
// they are others. The elided body of a literal takes any.
func (q *search) matches(toks []tok) int {
	n := 0
	for _, t := range q.toks {
		if t.text == elided {
			for depth := 0; n < len(toks); n++ {
				switch toks[n].kind {
				case token.LBRACE:
					depth++
				case token.RBRACE:
					depth--
				}
				if depth < 0 {
					break
				}
			}
			continue
		}
		if n == len(toks) || toks[n].text != t.text {
			return 0
		}
		n++
	}
	return n
}

// begins reports whether a statement may begin with token i.
func begins(toks []tok, i int) bool {
	if i == 0 {
		return false
	}
	switch toks[i-1].kind {
	case token.SEMICOLON, token.LBRACE, token.RBRACE, token.COLON, token.ELSE:
		return true
	}
	return false
}

// firstOnLine reports whether a line begins with token i: what comes before may
// then be half of something.
func firstOnLine(src []byte, toks []tok, i int) bool {
	return i > 0 && bytes.ContainsRune(src[toks[i-1].off:toks[i].off], '\n')
}

// ends reports whether a statement, or its head, may end before token i.
func ends(toks []tok, i int) bool {
	if i == len(toks) {
		return true
	}
	switch toks[i].kind {
	case token.SEMICOLON, token.LBRACE, token.RBRACE, token.COLON:
		return true
	}
	return false
}

func lineColumn(src []byte, off int) (line, col int) {
	before := src[:off]
	return 1 + bytes.Count(before, []byte("\n")), off - bytes.LastIndexByte(before, '\n')
}
