package breakpoints

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func definitions() *rapid.Generator[[]Definition] {
	return rapid.Custom(func(rt *rapid.T) []Definition {
		var defs []Definition
		for _, id := range rapid.SliceOfNDistinct(rapid.IntRange(0, MaxID), 0, 4, rapid.ID).Draw(rt, "ids") {
			n := rapid.IntRange(2, MaxSides).Draw(rt, "sides")
			d := Definition{ID: id, Sides: n, Name: rapid.String().Draw(rt, "name"), OneWay: rapid.Bool().Draw(rt, "oneway"),
				IgnoreFirst: rapid.IntRange(0, 9).Draw(rt, "ignore"), AtMost: rapid.IntRange(0, 9).Draw(rt, "most")}
			if rapid.Bool().Draw(rt, "ordered") {
				d.Order = rapid.Permutation(seq(n)).Draw(rt, "order")
			}
			for range rapid.IntRange(0, n).Draw(rt, "timeouts") {
				d.Timeouts = append(d.Timeouts, time.Duration(rapid.Int64().Draw(rt, "timeout")))
			}
			if k := rapid.IntRange(0, n).Draw(rt, "dids"); k > 0 {
				d.Dids = append(rapid.SliceOfN(rapid.Bool(), k-1, k-1).Draw(rt, "did"), true)
			}
			if rapid.Bool().Draw(rt, "at") {
				d.At = rapid.SliceOfN(rapid.IntRange(0, 99), 1, n).Draw(rt, "statements")
			}
			d.Funcs = rapid.SliceOfN(rapid.String(), 0, n).Draw(rt, "funcs")
			if len(d.Funcs) == 0 {
				d.Funcs = nil
			}
			d.Joint = rapid.SampledFrom([]string{"", "$1.0 == $2.0", "$1.0 == \"\\n\" && $2.1 != nil"}).Draw(rt, "joint")
			defs = append(defs, d)
		}
		return defs
	})
}

func TestDefinitionsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		defs := definitions().Draw(rt, "definitions")
		text := FormatDefinitions(defs)
		got, err := ParseDefinitions(text)
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(got, defs) {
			rt.Fatalf("%s\ngives %+v\nwant %+v", text, got, defs)
		}
	})
}

func TestBadDefinitions(t *testing.T) {
	for text, want := range map[string]string{
		"brake":                               "want break",
		"break x \"a\" 2":                     "\"x\" is not a number",
		"break 1 a 2":                         "quoted",
		"break 1 \"a\" 1":                     "1 sides",
		"break 1 \"a\" 99":                    "99 sides",
		"break -1 \"a\" 2":                    "number -1",
		"break 5000 \"a\" 2":                  "number 5000",
		"break 1 \"a\" 2 order 1":             "order [1]",
		"break 1 \"a\" 2 order 1,1":           "order [1 1]",
		"break 1 \"a\" 2 order 1,2,1":         "order",
		"break 1 \"a\" 2 timeouts soon":       "duration",
		"break 1 \"a\" 2 timeouts 1s,1s,1s":   "more time-outs",
		"break 1 \"a\" 2 ignore -1":           "ignore -1",
		"break 1 \"a\" 2 dids 3":              "dids",
		"break 1 \"a\" 2 dids 77":             "side 77",
		"break 1 \"a\" 2 joint \"$3.0 == 1\"": "2 sides only",
		"break 1 \"a\" 2 joint \"$1.0 ==\"":   "column 8",
		"break 1 \"a\" 2 joint":               "quoted",
		"break 1 \"a\" 2 funcs \"x":           "quoted",
		"break 1 \"a\" 2 wait":                "\"wait\" has no meaning",
		"break 1 \"a\" 2\nbreak 1 \"b\" 2":    "twice",
	} {
		if _, err := ParseDefinitions(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("ParseDefinitions(%q) = %v, want %q", text, err, want)
		}
	}
	if defs, err := ParseDefinitions("# none\n\n"); err != nil || defs != nil {
		t.Errorf("%v, %v", defs, err)
	}
}

func FuzzParseDefinitions(f *testing.F) {
	f.Add("break 3 \"b1\" 2 order 2,1 oneway timeouts 100ms,-1ns ignore 2 most 3 dids 1 funcs \"x\" \"y\" joint \"$1.0 == $2.0\"\n")
	f.Add("break 0 \"\" 14 # no")
	f.Fuzz(func(t *testing.T, text string) {
		defs, err := ParseDefinitions(text)
		if err != nil {
			return
		}
		again, err := ParseDefinitions(FormatDefinitions(defs))
		if err != nil || len(again) != len(defs) {
			t.Fatalf("%q: %v\n%+v\n%+v", text, err, defs, again)
		}
		for i := range defs {
			if FormatDefinitions(again[i:i+1]) != FormatDefinitions(defs[i:i+1]) {
				t.Errorf("%q: %+v, again %+v", text, defs[i], again[i])
			}
		}
	})
}
