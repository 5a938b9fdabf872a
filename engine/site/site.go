package site

import (
	"fmt"
	"strconv"
	"strings"
)

// Site is an instruction of a program, told by what the sources say of it. As
// text it is what is stored and compared:
//
//	runtime.raceread#1/2,4/7 example.com/m.(*cell).get+3 example.com/m.work+12
//
// is the first of the two calls of runtime.raceread that the compiler made of
// the third line below the one at which get begins, where get is inlined into
// the twelfth line below the beginning of work; of all such calls of get there,
// it is the fourth of seven. Names with spaces are quoted.
type Site struct {
	// Callee is the function that the instruction calls, which tells reads from
	// writes; "" if it is no direct call, and then Nth counts bytes from the
	// beginning of the function.
	Callee string
	Nth    int // from 1: which of the calls of Callee with the same Chain
	Of     int // how many there are
	// NthAll and OfAll are the same for the calls of Callee whose chains have the
	// same functions, on whatever lines: they outlive a comment above the line.
	NthAll, OfAll int
	// Chain are the function and those that it is inlined into, innermost first.
	// The last one is a function of the binary, with its type arguments.
	Chain []Line
}

// Line is a line of a function, counted from the one at which it begins.
type Line struct {
	Func string
	Line int
}

// lineCallee marks a Site that stands for all accesses of a line of a file:
// schedules of earlier versions keep lines only. The file takes the function's
// place.
const lineCallee = "line"

// OfLine is the site of all accesses of a line.
func OfLine(file string, line int) Site {
	return Site{Callee: lineCallee, Nth: 1, Of: 1, NthAll: 1, OfAll: 1, Chain: []Line{{file, line}}}
}

// IsOfLine reports whether the text is that of a site made by OfLine.
func IsOfLine(text string) bool { return strings.HasPrefix(text, lineCallee+"#") }

// String is the site as text.
func (s Site) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s#%d/%d,%d/%d", quote(s.Callee), s.Nth, s.Of, s.NthAll, s.OfAll)
	for _, l := range s.Chain {
		fmt.Fprintf(&b, " %s%+d", quote(l.Func), l.Line)
	}
	return b.String()
}

// Parse reads the text of a site.
func Parse(text string) (Site, error) {
	s, ok := parse(text)
	if !ok || s.String() != text {
		return Site{}, fmt.Errorf("invalid site %q", text)
	}
	return s, nil
}

func parse(text string) (s Site, ok bool) {
	if s.Callee, text, ok = name(text, "#"); !ok {
		return s, false
	}
	head, rest, _ := strings.Cut(text[1:], " ")
	here, all, _ := strings.Cut(head, ",")
	if !nthOf(here, &s.Nth, &s.Of) || !nthOf(all, &s.NthAll, &s.OfAll) {
		return s, false
	}
	for rest != "" {
		var l Line
		if l.Func, rest, ok = name(rest, "+-"); !ok {
			return s, false
		}
		var line string
		line, rest, _ = strings.Cut(rest, " ")
		if !number(line, &l.Line) {
			return s, false
		}
		s.Chain = append(s.Chain, l)
	}
	return s, len(s.Chain) > 0
}

func nthOf(text string, nth, of *int) bool {
	a, b, _ := strings.Cut(text, "/")
	return number(a, nth) && number(b, of)
}

func number(text string, n *int) (ok bool) {
	v, err := strconv.Atoi(text)
	*n = v
	return err == nil
}

// name cuts off a name, which the last of some bytes before the next space ends.
func name(text, ends string) (name, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		q, err := strconv.QuotedPrefix(text)
		if err != nil {
			return "", "", false
		}
		name, _ = strconv.Unquote(q)
		rest = text[len(q):]
		return name, rest, rest != "" && strings.Contains(ends, rest[:1])
	}
	word, _, _ := strings.Cut(text, " ")
	i := strings.LastIndexAny(word, ends)
	if i < 0 {
		return "", "", false
	}
	return text[:i], text[i:], true
}

// quote leaves names as they are that are one word.
func quote(name string) string {
	if q := strconv.Quote(name); name == "" || strings.ContainsAny(name, ` "`) || len(q) != len(name)+2 {
		return q
	}
	return name
}

func (s Site) innermost() Line { return s.Chain[0] }

// funcs are the chain without its lines.
func (s Site) funcs() (names []string) {
	for _, l := range s.Chain {
		names = append(names, l.Func)
	}
	return names
}
