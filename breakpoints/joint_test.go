package breakpoints

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

type celsius float32
type level uint8

func TestJoint(t *testing.T) {
	x, y := new(int), new(int)
	var nilMap map[string]int
	var err error = io.EOF
	values := [][]any{
		{x, 7, level(200), celsius(1.5), "abc", true, nilMap, err, []int{1}, 'x'},
		{x, 9, level(100), celsius(2.5), "abd", false, y, io.EOF, nil, uint64(1<<64 - 1)},
	}
	for _, c := range []struct {
		expr string
		want bool
		err  string
	}{
		{"", true, ""},
		{"$1.0 == $2.0", true, ""},
		{"$1.0 != $2.6", true, ""},
		{"$1.0 == $2.0 && $1.1 < $2.1", true, ""},
		{"$1.1 + 2 == $2.1", true, ""},
		{"$1.2 + $2.2 == 44", true, ""}, // wraps around as a byte
		{"$1.2 == 200 && 199 < $1.2", true, ""},
		{"$1.3 * 2 == 3 && $1.3 > 1", true, ""},
		{"$1.4 < $2.4 && $1.4 + \"!\" == `abc!`", true, ""},
		{"$1.5 || $2.5", true, ""},
		{"$2.5 || !$1.5", false, ""},
		{"$1.6 == nil && $2.8 == nil && $1.0 != nil", true, ""},
		{"$1.7 == $2.7", true, ""},
		{"$1.9 == 'x' && $1.9 < 'y'", true, ""},
		{"$2.9 > 9223372036854775807 && $2.9 == 0xffff_ffff_ffff_ffff", true, ""},
		{"$2.9 > -1", true, ""},
		{"-$1.1 == 0-7 && -(1+2)*3 == -9", true, ""},
		{"$1.1 % 4 == 3 && 7/2 == 3 && 7/2.0 == 3.5", true, ""},
		{"1e-3 < 0x1p-2 && .5 == 1/2.", true, ""},
		{"$1.0 == $2.1", false, ""}, // different types differ
		{"$1.1 == $2.9", false, ""},
		{"$1.1 / ($2.1 - 9) == 1", false, "division by zero"},
		{"$1.1 < $2.9", false, "types int and uint64"},
		{"$1.0 < $2.0", false, "no meaning"},
		{"$1.1", false, "int is not a bool"},
		{"$1.4 == 3", false, "can't be compared"},
		{"$1.8 == $1.8", false, "uncomparable"},
		{"$1.1 == nil", false, "never nil"},
		{"$2.40 == 1", false, "side 2 gave no value 40"},
	} {
		e, err := parseJoint(c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		captured := [][]value{capture(values[0]), capture(values[1])}
		got, err := e.holds(captured)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s = %v, %v; want %v, %q", c.expr, got, err, c.want, c.err)
		}
	}
}

func TestCheckJoint(t *testing.T) {
	for expr, want := range map[string]string{
		"$1.0 ==":            "column 8: something is missing",
		"$1.0 == $2.0)":      "column 13",
		"($1.0":              "column 6: a ) is missing",
		"$1 == 2":            "column 1",
		"$0.1 == 2":          "not a captured value",
		"$99.1 == 2":         "not a captured value",
		"x == 2":             "column 1: \"x\" is neither a literal",
		"1 + 2":              "a number, want a bool",
		"1 == \"a\"":         "== of a number and a string",
		"true + 1 == 2":      "+ does not work on a bool",
		"!3":                 "! does not work on a number",
		"nil == nil":         "nil beside nil",
		"$1.0 < $2.0 < $3.0": "chain",
		"$1.0 & 1":           "not an operator",
		"$1.0 == \"abc":      "does not end",
		"$1.0 == 1e999":      "not a literal",
		"$1.0 == 08":         "not a literal",
		"$1.0 = 1":           "not an operator",
		strings.Repeat("(", 1000) + "true" + strings.Repeat(")", 1000): "deeply",
	} {
		if err := CheckJoint(expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckJoint(%q) = %v, want %q", expr, err, want)
		}
	}
}

// Arithmetic and comparison of typed values are Go's own.
func TestJointIsGo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := rapid.Int8().Draw(rt, "a"), rapid.Int8().Draw(rt, "b")
		u, w := rapid.Uint16().Draw(rt, "u"), rapid.Uint16().Draw(rt, "w")
		d, e := time.Duration(rapid.Int64().Draw(rt, "d")), time.Duration(rapid.Int64().Draw(rt, "e"))
		k := rapid.Int8().Draw(rt, "k")
		values := [][]value{capture([]any{a, u, d}), capture([]any{b, w, e})}
		for expr, want := range map[string]bool{
			"$1.0 < $2.0":                        a < b,
			"$1.0 + $2.0 == $2.0 + $1.0":         true,
			"$1.0 * $2.0 >= $1.0 - $2.0":         a*b >= a-b,
			"$1.1 - $2.1 > $1.1 + $2.1":          u-w > u+w,
			"$1.2 - $2.2 > $1.2 || $1.2 * 3 < 9": d-e > d || d*3 < 9,
			fmt.Sprintf("$1.0 + %d <= $2.0", k):  a+k <= b,
			fmt.Sprintf("$1.0 == %d", k):         a == k,
		} {
			if got, err := must(rt, expr).holds(values); err != nil || got != want {
				rt.Fatalf("%s = %v, %v; want %v", expr, got, err, want)
			}
		}
		if b != 0 {
			if got, err := must(rt, "$1.0 / $2.0 == $1.0 % $2.0").holds(values); err != nil || got != (a/b == a%b) {
				rt.Fatalf("division: %v, %v", got, err)
			}
		}
	})
}

func must(t *rapid.T, src string) *expr {
	e, err := parseJoint(src)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func FuzzJoint(f *testing.F) {
	for _, s := range []string{"$1.0 == $2.0 && $1.1 < $2.1", "!($1.0 != nil) || -1 + 2 * 3.5 >= $2.1 % 'a'", "`a` + \"b\" == $1.1"} {
		f.Add(s)
	}
	values := [][]value{capture([]any{new(int), 1, "s", nil}), capture([]any{nil, 2.5, errors.New("e"), uint8(3)})}
	f.Fuzz(func(t *testing.T, s string) {
		e, err := parseJoint(s)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "joint predicate ") {
				t.Errorf("error %v", err)
			}
			return
		}
		one, err1 := e.holds(values) // must not panic, and say the same twice
		two, err2 := e.holds(values)
		if one != two || fmt.Sprint(err1) != fmt.Sprint(err2) {
			t.Errorf("%q: %v %v, %v %v", s, one, err1, two, err2)
		}
	})
}
