package target

import (
	"fmt"
	"regexp"
	"strings"
)

// selector is a -run value: alternatives of slash-separated expressions, as
// package testing reads it.
type selector []alternative

type alternative struct {
	first *regexp.Regexp
	rest  string // expressions for subtests, passed on unread
}

func parseSelector(run string) (selector, error) {
	if run == "" {
		return nil, nil
	}
	// Like testing: "|" separates alternatives only where slashes make that
	// necessary; without a slash the whole is one expression.
	parts := []string{run}
	if len(splitOutside(run, '/')) > 1 {
		parts = splitOutside(run, '|')
	}
	var sel selector
	for _, part := range parts {
		elems := splitOutside(part, '/')
		re, err := regexp.Compile(elems[0])
		if err != nil {
			return nil, err
		}
		for _, e := range elems[1:] {
			if _, err := regexp.Compile(e); err != nil {
				return nil, err
			}
		}
		sel = append(sel, alternative{re, strings.Join(elems[1:], "/")})
	}
	return sel, nil
}

// CheckRun refuses a -run value that package testing could not read.
func CheckRun(run string) error {
	if _, err := parseSelector(run); err != nil {
		return fmt.Errorf("-run %q: %w", run, err)
	}
	return nil
}

// match reports whether a top-level name is selected and by which expressions
// its subtests are. An empty selector takes all.
func (s selector) match(name string) (rest string, ok bool) {
	if s == nil {
		return "", true
	}
	for _, a := range s {
		if a.first.MatchString(name) {
			return a.rest, true
		}
	}
	return "", false
}

// splitOutside splits s at sep where it stands outside brackets and
// parentheses.
func splitOutside(s string, sep byte) []string {
	var out []string
	depth, class, start := 0, false, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case class:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == sep && depth == 0:
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// plain names subtests for people: "^a$/^b\\+c$", which select exactly one, are
// "a/b+c"; other expressions stay as they are.
func plain(rest string) string {
	elems := splitOutside(rest, '/')
	for i, e := range elems {
		inner, ok := strings.CutPrefix(e, "^")
		if inner, ok2 := strings.CutSuffix(inner, "$"); ok && ok2 {
			if name := unquote(inner); regexp.QuoteMeta(name) == inner {
				elems[i] = name
			}
		}
	}
	return strings.Join(elems, "/")
}

// unquote undoes regexp.QuoteMeta.
func unquote(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
