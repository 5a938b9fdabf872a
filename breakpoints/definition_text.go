package breakpoints

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// FormatDefinitions gives the text that ParseDefinitions reads: a line each,
//
//	break ID "NAME" SIDES [order 2,1] [oneway] [timeouts 100ms,0s] [ignore K] [most K] [dids 1,2] [funcs "F" "G"] [at 7,0] [joint "EXPR"]
//
// with "dids" listing the sides that Dids is true for, and quoted Go strings.
func FormatDefinitions(defs []Definition) string {
	var b strings.Builder
	for _, d := range defs {
		fmt.Fprintf(&b, "break %d %q %d", d.ID, d.Name, d.Sides)
		if len(d.Order) > 0 {
			b.WriteString(" order " + list(d.Order, strconv.Itoa))
		}
		if d.OneWay {
			b.WriteString(" oneway")
		}
		if len(d.Timeouts) > 0 {
			b.WriteString(" timeouts " + list(d.Timeouts, time.Duration.String))
		}
		if d.IgnoreFirst != 0 {
			fmt.Fprintf(&b, " ignore %d", d.IgnoreFirst)
		}
		if d.AtMost != 0 {
			fmt.Fprintf(&b, " most %d", d.AtMost)
		}
		var dids []int
		for i, did := range d.Dids {
			if did {
				dids = append(dids, i+1)
			}
		}
		if len(dids) > 0 {
			b.WriteString(" dids " + list(dids, strconv.Itoa))
		}
		if len(d.Funcs) > 0 {
			b.WriteString(" funcs")
			for _, f := range d.Funcs {
				b.WriteString(" " + strconv.Quote(f))
			}
		}
		if len(d.At) > 0 {
			b.WriteString(" at " + list(d.At, strconv.Itoa))
		}
		if d.Joint != "" {
			fmt.Fprintf(&b, " joint %q", d.Joint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func list[T any](items []T, show func(T) string) string {
	var words []string
	for _, it := range items {
		words = append(words, show(it))
	}
	return strings.Join(words, ",")
}

// ParseDefinitions reads definitions and checks them; see FormatDefinitions.
// Empty lines and lines that start with "#" are skipped.
func ParseDefinitions(text string) ([]Definition, error) {
	var defs []Definition
	seen := map[int]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		d, err := parseDefinition(line)
		if err == nil && seen[d.ID] {
			err = fmt.Errorf("number %d occurs twice", d.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("breakpoint definition %q: %w", line, err)
		}
		seen[d.ID] = true
		defs = append(defs, d)
	}
	return defs, nil
}

// words are the rest of a definition's line.
type words struct {
	rest string
	err  error
}

func (w *words) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// next is the next word, "" at the end.
func (w *words) next() string {
	w.rest = strings.TrimLeft(w.rest, " \t")
	word, rest, _ := strings.Cut(w.rest, " ")
	w.rest = rest
	return word
}

func (w *words) number() int {
	word := w.next()
	n, err := strconv.Atoi(word)
	if err != nil {
		w.fail("%q is not a number", word)
	}
	return n
}

func (w *words) quoted() string {
	w.rest = strings.TrimLeft(w.rest, " \t")
	q, err := strconv.QuotedPrefix(w.rest)
	if err != nil || q[0] != '"' {
		w.fail("want a quoted string, have %q", w.rest)
		return ""
	}
	w.rest = w.rest[len(q):]
	s, err := strconv.Unquote(q)
	if err != nil {
		w.fail("%s: %v", q, err)
	}
	return s
}

func (w *words) numbers() []int {
	var ns []int
	for _, s := range strings.Split(w.next(), ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			w.fail("%q is not a number", s)
		}
		ns = append(ns, n)
	}
	return ns
}

func parseDefinition(line string) (Definition, error) {
	var d Definition
	w := &words{rest: line}
	if first := w.next(); first != "break" {
		return d, fmt.Errorf("want break, have %q", first)
	}
	d.ID, d.Name, d.Sides = w.number(), w.quoted(), w.number()
	for w.err == nil {
		switch word := w.next(); word {
		case "":
			return d, d.check()
		case "order":
			d.Order = w.numbers()
		case "oneway":
			d.OneWay = true
		case "timeouts":
			for _, s := range strings.Split(w.next(), ",") {
				t, err := time.ParseDuration(s)
				if err != nil {
					w.fail("%q is not a valid duration", s)
				}
				d.Timeouts = append(d.Timeouts, t)
			}
		case "ignore":
			d.IgnoreFirst = w.number()
		case "most":
			d.AtMost = w.number()
		case "dids":
			d.setDids(w)
		case "funcs":
			for strings.HasPrefix(strings.TrimLeft(w.rest, " \t"), `"`) {
				d.Funcs = append(d.Funcs, w.quoted())
				if w.err != nil {
					break
				}
			}
		case "at":
			d.At = w.numbers()
		case "joint":
			d.Joint = w.quoted()
		default:
			w.fail("%q has no meaning", word)
		}
	}
	return d, w.err
}

func (d *Definition) setDids(w *words) {
	for _, side := range w.numbers() {
		if side < 1 || side > MaxSides {
			w.fail("side %d does not exist", side)
			return
		}
		for len(d.Dids) < side {
			d.Dids = append(d.Dids, false)
		}
		d.Dids[side-1] = true
	}
}

// check refuses definitions that could never be hit, or mean nothing.
func (d *Definition) check() error {
	switch {
	case d.ID < 0 || d.ID > MaxID:
		return fmt.Errorf("number %d, want 0 to %d", d.ID, MaxID)
	case d.Sides < 2 || d.Sides > MaxSides:
		return fmt.Errorf("%d sides, want 2 to %d", d.Sides, MaxSides)
	case len(d.Timeouts) > d.Sides || len(d.Dids) > d.Sides || len(d.Funcs) > d.Sides || len(d.At) > d.Sides:
		return fmt.Errorf("more time-outs, dids, funcs or statements than its %d sides", d.Sides)
	case d.IgnoreFirst < 0 || d.AtMost < 0:
		return fmt.Errorf("ignore %d and most %d, want 0 or more", d.IgnoreFirst, d.AtMost)
	}
	if err := d.checkOrder(); err != nil {
		return err
	}
	joint, err := parseJoint(d.Joint)
	joint.captures(func(e *expr) {
		if e.side > d.Sides && err == nil {
			err = fmt.Errorf("joint predicate %q, column %d: there are %d sides only", d.Joint, e.pos, d.Sides)
		}
	})
	return err
}

func (d *Definition) checkOrder() error {
	if len(d.Order) == 0 {
		return nil
	}
	var seen [MaxSides + 1]bool
	for _, side := range d.Order {
		if len(d.Order) != d.Sides || side < 1 || side > d.Sides || seen[side] {
			return fmt.Errorf("order %v is not a permutation of the sides 1 to %d", d.Order, d.Sides)
		}
		seen[side] = true
	}
	return nil
}

// order is Order with its default filled in.
func (d *Definition) order() []int {
	if len(d.Order) > 0 {
		return d.Order
	}
	var o []int
	for s := 1; s <= d.Sides; s++ {
		o = append(o, s)
	}
	return o
}

// at is the number of a side's statement; 0 is unknown.
func (d *Definition) at(side int) int {
	if side > len(d.At) {
		return 0
	}
	return d.At[side-1]
}

// timeout of a side; 0 is no pause.
func (d *Definition) timeout(side int) time.Duration {
	if side > len(d.Timeouts) || d.Timeouts[side-1] == 0 {
		return DefaultTimeout
	}
	return max(0, d.Timeouts[side-1])
}
