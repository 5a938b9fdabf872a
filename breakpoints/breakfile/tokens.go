package breakfile

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// A tok is one token of a statement.
type tok struct {
	kind token.Token
	text string
	off  int // in what was scanned
}

// elided stands for the body of a function literal in a text.
const elided = "…"

// scan returns the tokens of Go text, comments left out, and whatever depends
// on the layout only: a last comma or semicolon before a closing bracket.
func scan(src []byte) []tok {
	fset := token.NewFileSet()
	var s scanner.Scanner
	file := fset.AddFile("", -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	var out []tok
	for {
		pos, kind, lit := s.Scan()
		if kind == token.EOF {
			return trimmed(out)
		}
		if lit == "" || kind == token.SEMICOLON {
			lit = kind.String()
		}
		if closing(kind) {
			out = trimmed(out)
		}
		out = append(out, tok{kind, lit, file.Offset(pos)})
	}
}

func trimmed(toks []tok) []tok {
	for n := len(toks); n > 0 && (toks[n-1].kind == token.SEMICOLON || toks[n-1].kind == token.COMMA); n-- {
		toks = toks[:n-1]
	}
	return toks
}

func closing(k token.Token) bool {
	return k == token.RPAREN || k == token.RBRACE || k == token.RBRACK
}

// render writes tokens much as gofmt does. scan(render(t)) is t.
func render(toks []tok) string {
	var b strings.Builder
	brackets := 0
	for i, t := range toks {
		if i > 0 && spaced(toks, i, brackets > 0) {
			b.WriteByte(' ')
		}
		switch t.kind {
		case token.LBRACK:
			brackets++
		case token.RBRACK:
			brackets--
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// spaced reports whether a space stands before token i.
func spaced(toks []tok, i int, indexed bool) bool {
	last, t := toks[i-1], toks[i]
	if word(last) && word(t) {
		return true
	}
	switch last.kind {
	case token.LPAREN, token.LBRACK, token.PERIOD, token.ELLIPSIS:
		return false
	case token.LBRACE:
		return t.kind == token.CASE || t.kind == token.DEFAULT
	case token.COLON:
		return !indexed
	}
	switch t.kind {
	case token.COMMA, token.SEMICOLON, token.RPAREN, token.RBRACK, token.PERIOD, token.COLON, token.INC, token.DEC:
		return false
	case token.RBRACE:
		return last.kind == token.COLON
	case token.ELLIPSIS:
		return last.kind == token.COMMA
	case token.LPAREN:
		return !(operandEnd(last) || last.kind == token.FUNC || unary(toks, i-1))
	case token.LBRACK:
		if last.kind == token.IDENT && i+1 < len(toks) && toks[i+1].kind == token.RBRACK {
			return true // the type of a variable
		}
		return !(operandEnd(last) || unary(toks, i-1) || last.kind == token.MAP)
	case token.LBRACE:
		if last.kind == token.RPAREN || last.kind == token.SELECT {
			return true // a body
		}
		return len(toks) > i+1 && toks[i+1].text == elided
	}
	if unary(toks, i-1) {
		return last.text == t.text && last.kind != token.ARROW && last.kind != token.MUL // "- -x" is not "--x"
	}
	if last.kind == token.RBRACK && word(t) {
		return false // []int, map[k]v
	}
	return true
}

func word(t tok) bool {
	return t.kind == token.IDENT || t.kind.IsLiteral() || t.kind.IsKeyword()
}

func operandEnd(t tok) bool {
	return t.kind == token.IDENT || t.kind.IsLiteral() || closing(t.kind)
}

// unary reports whether token i is an operator without a left operand.
func unary(toks []tok, i int) bool {
	switch toks[i].kind {
	case token.ADD, token.SUB, token.NOT, token.XOR, token.MUL, token.AND, token.ARROW, token.TILDE:
		return i == 0 || !operandEnd(toks[i-1])
	}
	return false
}

// key of tokens: equal for statements that differ in layout only.
func key(toks []tok) string { return join(toks, func(_ int, t tok) string { return t.text }) }

// shape is the key with variables named by the order in which they appear:
// equal for statements that differ in the names of variables only. Fields,
// methods and functions of packages keep their names, and so does what the
// language declares.
func shape(toks []tok) string {
	names := map[string]string{}
	return join(toks, func(i int, t tok) string {
		if !variable(toks, i) {
			return t.text
		}
		if names[t.text] == "" {
			names[t.text] = "$" + strconv.Itoa(len(names))
		}
		return names[t.text]
	})
}

func join(toks []tok, text func(int, tok) string) string {
	parts := make([]string, len(toks))
	for i, t := range toks {
		parts[i] = text(i, t)
	}
	return strings.Join(parts, "\x00")
}

// variable reports whether token i may name a variable.
func variable(toks []tok, i int) bool {
	return toks[i].kind == token.IDENT && (i == 0 || toks[i-1].kind != token.PERIOD) && !predeclared[toks[i].text]
}

var predeclared = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(`any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64
		rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag
		len make max min new panic print println real recover _`) {
		m[name] = true
	}
	return m
}()

// renames returns what each variable of one text is called in another of the
// same shape, those that kept their names left out.
func renames(from, to []tok) map[string]string {
	out := map[string]string{}
	for i := range from {
		if from[i].text != to[i].text {
			out[from[i].text] = to[i].text
		}
	}
	return out
}

// telling are the tokens that say what a statement does.
func telling(toks []tok) []string {
	var out []string
	for _, t := range toks {
		switch t.kind {
		case token.LPAREN, token.RPAREN, token.LBRACE, token.RBRACE, token.LBRACK, token.RBRACK,
			token.COMMA, token.SEMICOLON, token.PERIOD, token.COLON:
		default:
			out = append(out, t.text)
		}
	}
	return out
}

// similarity of two statements, from 0 to 1: the share of telling tokens that
// they have in common, in order.
func similarity(a, b []string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return 2 * float64(row[len(b)]) / float64(len(a)+len(b))
}
