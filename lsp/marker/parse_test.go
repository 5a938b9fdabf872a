package marker

import (
	"fmt"
	"strconv"
	"strings"
	"text/scanner"
)

// call is a marker or a step.
type call struct {
	name  string
	args  []string
	named map[string]string
	where string // for messages
	file  string // of a marker
	line  int    // of a marker, from 1
}

// parseCalls reads "name(args), name(args)". A golden is @name.
func parseCalls(s, where string) ([]call, error) {
	var sc scanner.Scanner
	sc.Init(strings.NewReader(s))
	sc.Mode = scanner.ScanIdents | scanner.ScanStrings | scanner.ScanRawStrings | scanner.ScanInts
	fail := func(what string) error {
		return fmt.Errorf("%s: %s at column %d of %s", where, what, sc.Position.Column, s)
	}
	sc.Error = func(*scanner.Scanner, string) {}
	var out []call
	for {
		if sc.Scan() != scanner.Ident {
			return nil, fail("no name")
		}
		c := call{name: sc.TokenText(), named: map[string]string{}, where: where}
		if sc.Scan() != '(' {
			return nil, fail("no (")
		}
		if err := c.arguments(&sc, fail); err != nil {
			return nil, err
		}
		out = append(out, c)
		switch sc.Scan() {
		case scanner.EOF:
			return out, nil
		case ',':
		default:
			return nil, fail("neither , nor the end")
		}
	}
}

func (c *call) arguments(sc *scanner.Scanner, fail func(string) error) error {
	for {
		key := ""
		tok := sc.Scan()
		switch tok {
		case ')':
			return nil
		case '@':
			if sc.Scan() != scanner.Ident {
				return fail("no name of a golden")
			}
			c.args = append(c.args, "@"+sc.TokenText())
		case scanner.Ident:
			key = sc.TokenText()
			if sc.Scan() != '=' {
				return fail("no = after " + key)
			}
			tok = sc.Scan()
			fallthrough
		default:
			v, err := value(tok, sc.TokenText())
			if err != nil {
				return fail(err.Error())
			}
			if key != "" {
				c.named[key] = v
			} else {
				c.args = append(c.args, v)
			}
		}
		switch sc.Scan() {
		case ')':
			return nil
		case ',':
		default:
			return fail("neither , nor )")
		}
	}
}

func value(tok rune, text string) (string, error) {
	switch tok {
	case scanner.String, scanner.RawString:
		return strconv.Unquote(text)
	case scanner.Int, scanner.Ident:
		return text, nil
	}
	return "", fmt.Errorf("no value: %s", text)
}

// markers of a source text.
func markers(file, text string) ([]call, error) {
	var out []call
	for i, l := range strings.Split(text, "\n") {
		_, m, ok := strings.Cut(l, "//@")
		if !ok {
			continue
		}
		cs, err := parseCalls(strings.TrimSpace(m), fmt.Sprintf("%s:%d", file, i+1))
		if err != nil {
			return nil, err
		}
		for _, c := range cs {
			c.file, c.line = file, i+1
			out = append(out, c)
		}
	}
	return out, nil
}

// steps of a script.
func steps(script string) ([]call, error) {
	var out []call
	for i, l := range strings.Split(script, "\n") {
		if l = strings.TrimSpace(l); l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		cs, err := parseCalls(l, fmt.Sprintf("script line %d", i+1))
		if err != nil {
			return nil, err
		}
		out = append(out, cs...)
	}
	return out, nil
}
