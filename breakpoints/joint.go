package breakpoints

import (
	"fmt"
	"strconv"
	"strings"
)

// A joint predicate is an expression over what the sides captured: $S.I is
// value I (from 0) of side S (from 1). From loosest to tightest:
//
//	||   &&   == != < <= > >=   + -   * / %   ! -   ( )
//
// with Go's literals for integers, floating-point numbers, characters and
// strings, and true, false, nil. Two values compare as Go's interface values
// do, so values of different types differ; a literal takes the type of what it
// is combined with. Arithmetic wraps around as in the values' type.

// CheckJoint says what is wrong with a joint predicate, and at which column
// (in bytes, from 1).
func CheckJoint(expr string) error {
	_, err := parseJoint(expr)
	return err
}

// expr is a node of a joint predicate: an operator, a literal (op "lit") or a
// captured value (op "$").
type expr struct {
	op          string
	pos         int // column, from 1
	l, r        *expr
	lit         any // untyped constant: bool, int64, uint64 (above int64), float64, string or nil
	side, index int
}

// class is what is known of a value before there is one.
type class int

const (
	anyClass class = iota
	boolClass
	numberClass
	stringClass
	nilClass
)

var classNames = [...]string{"a value", "a bool", "a number", "a string", "nil"}

const maxDepth = 200 // of nested expressions: what people write, not what breaks the stack

type jointParser struct {
	src   string
	at    int // offset of tok
	tok   string
	depth int
	err   error
}

// parseJoint returns nil for the empty predicate, which is true.
func parseJoint(src string) (*expr, error) {
	if strings.TrimSpace(src) == "" {
		return nil, nil
	}
	p := &jointParser{src: src}
	p.next()
	e := p.binary(0)
	if p.err == nil && p.tok != "" {
		p.fail(p.at, "%q is in the way here", p.tok)
	}
	if p.err == nil {
		if c := p.classOf(e); c != boolClass && c != anyClass {
			p.fail(e.pos-1, "the predicate is %s, want a bool", classNames[c])
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

func (p *jointParser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("joint predicate %q, column %d: %s", p.src, at+1, fmt.Sprintf(format, args...))
	}
	p.tok = ""
}

// levels of binary operators, loosest first.
var levels = [...][]string{{"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}}

const comparing = 2 // level whose operators don't chain

func (p *jointParser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	e := p.binary(level + 1)
	for p.err == nil && isOneOf(p.tok, levels[level]) {
		n := &expr{op: p.tok, pos: p.at + 1, l: e}
		p.next()
		n.r = p.binary(level + 1)
		e = n
		if level == comparing && isOneOf(p.tok, levels[level]) {
			p.fail(p.at, "comparisons don't chain: use &&")
		}
	}
	return e
}

func isOneOf(s string, list []string) bool {
	for _, x := range list {
		if s == x {
			return true
		}
	}
	return false
}

func (p *jointParser) unary() *expr {
	p.depth++
	defer func() { p.depth-- }()
	e := &expr{op: "lit", pos: p.at + 1, lit: false}
	if p.depth > maxDepth {
		p.fail(p.at, "nested too deeply")
	}
	switch t := p.tok; {
	case p.err != nil:
	case t == "!" || t == "-":
		p.next()
		e.op, e.l = "unary"+t, p.unary()
	case t == "(":
		p.next()
		e = p.binary(0)
		if p.err == nil && p.tok != ")" {
			p.fail(p.at, "a ) is missing")
		}
		p.next()
	case t == "":
		p.fail(p.at, "something is missing here")
	case t[0] == '$':
		e.op = "$"
		p.captured(e)
		p.next()
	default:
		p.literal(e)
		p.next()
	}
	return e
}

// captured reads $S.I.
func (p *jointParser) captured(e *expr) {
	s, i, ok := strings.Cut(p.tok[1:], ".")
	var err1, err2 error
	e.side, err1 = strconv.Atoi(s)
	e.index, err2 = strconv.Atoi(i)
	if !ok || err1 != nil || err2 != nil || e.side < 1 || e.side > MaxSides {
		p.fail(p.at, "%q is not a captured value: want $SIDE.INDEX, as $1.0", p.tok)
	}
}

func (p *jointParser) literal(e *expr) {
	var err error
	switch c := p.tok[0]; {
	case p.tok == "true", p.tok == "false":
		e.lit = p.tok == "true"
	case p.tok == "nil":
		e.lit = nil
	case c == '"' || c == '`':
		e.lit, err = strconv.Unquote(p.tok)
	case c == '\'':
		var s string
		s, err = strconv.Unquote(p.tok)
		for _, r := range s {
			e.lit = int64(r)
		}
	case c >= '0' && c <= '9' || c == '.':
		e.lit, err = number(p.tok)
	default:
		p.fail(p.at, "%q is neither a literal nor a captured value", p.tok)
	}
	if err != nil {
		p.fail(p.at, "%s is not a literal, or does not fit 64 bits", p.tok)
	}
}

func number(s string) (any, error) {
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return n, nil
	}
	if n, err := strconv.ParseUint(s, 0, 64); err == nil {
		return n, nil
	}
	if !strings.ContainsAny(s, ".eEpP") {
		return nil, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// classOf finds combinations that no values could make right.
func (p *jointParser) classOf(e *expr) class {
	if e.op == "$" {
		return anyClass
	}
	if e.op == "lit" {
		return classOfLiteral(e.lit)
	}
	l := p.classOf(e.l)
	r := l
	if e.r != nil {
		r = p.classOf(e.r)
	}
	want, result := boolClass, boolClass
	switch e.op {
	case "||", "&&", "unary!":
	case "==", "!=":
		want = anyClass
	case "<", "<=", ">", ">=":
		want = orderedOf(l, r)
	case "+":
		want = orderedOf(l, r)
		result = want
	default:
		want, result = numberClass, numberClass
	}
	for _, c := range []class{l, r} {
		if want != anyClass && c != anyClass && c != want {
			p.fail(e.pos-1, "%s does not work on %s", strings.TrimPrefix(e.op, "unary"), classNames[c])
		}
	}
	if l != r && l != anyClass && r != anyClass {
		p.fail(e.pos-1, "%s of %s and %s", e.op, classNames[l], classNames[r])
	}
	if l == nilClass && r == nilClass {
		p.fail(e.pos-1, "nil beside nil")
	}
	return result
}

// orderedOf is what an operator for strings and numbers works on here.
func orderedOf(l, r class) class {
	switch {
	case l == stringClass || r == stringClass:
		return stringClass
	case l == anyClass && r == anyClass:
		return anyClass
	}
	return numberClass
}

func classOfLiteral(v any) class {
	switch v.(type) {
	case nil:
		return nilClass
	case bool:
		return boolClass
	case string:
		return stringClass
	}
	return numberClass
}

// next reads a token into tok; "" at the end.
func (p *jointParser) next() {
	if p.err != nil {
		return
	}
	p.at += len(p.tok)
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
	rest := p.src[p.at:]
	p.tok = ""
	if rest == "" {
		return
	}
	switch c := rest[0]; {
	case c == '"' || c == '`' || c == '\'':
		q, err := strconv.QuotedPrefix(rest)
		if err != nil {
			p.fail(p.at, "a literal does not end")
			return
		}
		p.tok = q
	case isWord(c) || c == '$':
		n := 1
		for n < len(rest) && (isWord(rest[n]) || signOfExponent(rest[:n+1])) {
			n++
		}
		p.tok = rest[:n]
	case len(rest) > 1 && strings.Contains("|| && == != <= >=", rest[:2]) && rest[1] != ' ':
		p.tok = rest[:2]
	case strings.IndexByte("<>+-*/%!()", c) >= 0:
		p.tok = rest[:1]
	default:
		p.fail(p.at, "%q is not an operator", string([]rune(rest)[:1]))
	}
}

func isWord(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// signOfExponent is true at the sign of "1e-9" and "0x1p+2".
func signOfExponent(s string) bool {
	if len(s) < 3 || s[0] == '$' || s[0] != '.' && (s[0] < '0' || s[0] > '9') {
		return false
	}
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	exp, sign := s[len(s)-2]|0x20, s[len(s)-1]
	return (sign == '+' || sign == '-') && (exp == 'p' || exp == 'e' && !hex)
}

// captures calls f with all captured values that the predicate names.
func (e *expr) captures(f func(e *expr)) {
	if e == nil {
		return
	}
	if e.op == "$" {
		f(e)
	}
	e.l.captures(f)
	e.r.captures(f)
}
