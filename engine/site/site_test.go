package site

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	get := []Line{{"m.(*cell).get", 3}, {"m.work[go.shape.int]", 12}}
	for want, s := range map[string]Site{
		"runtime.raceread#1/2,4/7 m.(*cell).get+3 m.work[go.shape.int]+12": {"runtime.raceread", 1, 2, 4, 7, get},
		`""#23/1,1/1 m.f+0`: {"", 23, 1, 1, 1, []Line{{"m.f", 0}}},
		`f#1/1,1/1 "m.g[go.shape.struct { X int \"a:\\\"b\\\"\" }]"-2`: {"f", 1, 1, 1, 1, []Line{{"m.g[go.shape.struct { X int \"a:\\\"b\\\"\" }]", -2}}},
		"a#b#1/1,1/1 c+d-e+1":        {"a#b", 1, 1, 1, 1, []Line{{"c+d-e", 1}}},
		"line#1/1,1/1 dir/cell.go+7": OfLine("dir/cell.go", 7),
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v is %s, want %s", s, got, want)
		}
		if got, err := Parse(want); err != nil || !same(got, s) {
			t.Errorf("%s is %+v, %v", want, got, err)
		}
	}
	for _, text := range []string{"", "f", "f#1/1,1/1", "f#1/1,1/1 ", "f#1,1/1 m.f+1", "f#1/1 m.f+1", "f#x/1,1/1 m.f+1", "f#1/1,1/1 m.f", "f#1/1,1/1 m.f+",
		"f#1/1,1/1 m.f+1 ", "f#1/1,1/1  m.f+1", "f#01/1,1/1 m.f+1", "f#1/1,1/1,1/1 m.f+1", `f#1/1,1/1 "m.f"+1`, "cell.go:7", "a b#1/1,1/1 m.f+1"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

func same(a, b Site) bool {
	return a.Callee == b.Callee && a.Nth == b.Nth && a.Of == b.Of && a.NthAll == b.NthAll && a.OfAll == b.OfAll && slices.Equal(a.Chain, b.Chain)
}

// Whatever functions are called, a site's text is read as the site.
func TestParseOfString(t *testing.T) {
	name := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z/.+\-#" \[\]*()]*`))
	line := rapid.Custom(func(t *rapid.T) Line { return Line{name.Draw(t, "func"), rapid.Int().Draw(t, "line")} })
	rapid.Check(t, func(t *rapid.T) {
		want := Site{name.Draw(t, "callee"), rapid.Int().Draw(t, "nth"), rapid.Int().Draw(t, "of"), rapid.Int().Draw(t, "nth of all"), rapid.Int().Draw(t, "of all"), rapid.SliceOfN(line, 1, 4).Draw(t, "chain")}
		if got, err := Parse(want.String()); err != nil || !same(got, want) {
			t.Fatalf("%q is %+v, %v; want %+v", want, got, err, want)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("runtime.raceread#1/2,4/7 m.(*cell).get+3 m.work+12")
	f.Add(`"a b"#1/1,1/1 "c d"-4`)
	f.Add("line#1/1,1/1 cell.go+7")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse(text); err == nil && s.String() != text {
			t.Errorf("%q becomes %q", text, s)
		}
	})
}

func TestLike(t *testing.T) {
	const r = "runtime.raceread"
	site := func(callee string, nth, of, line int, in ...string) Site {
		s := Site{callee, nth, of, line, 9, []Line{{"m.get", line}}}
		for _, f := range in {
			s.Chain = append(s.Chain, Line{f, 9})
		}
		return s
	}
	now := map[uint64]Site{
		1: site(r, 1, 2, 5), 2: site(r, 2, 2, 5), 4: site(r, 1, 2, 6), 5: site(r, 2, 2, 6),
		6: site(r, 1, 1, 7, "m.one"), 7: site(r, 1, 1, 7, "m.two"), 8: site(r, 1, 1, 8, "m.one.func1"),
	}
	moved := site(r, 1, 1, 20)
	moved.NthAll = 11
	now[9] = moved
	was := site(r, 1, 1, 11)
	more := was
	more.OfAll++
	calls := []uint64{1, 2, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		name string
		of   Site
		want []uint64
	}{
		{"the second of two reads", site(r, 2, 2, 5), []uint64{2}},
		{"inlined before", site(r, 2, 2, 5, "m.one"), []uint64{2}},
		{"another number of hooks: all", site(r, 1, 1, 6), []uint64{4, 5}},
		{"inlined now: all copies", site(r, 1, 1, 7), []uint64{6, 7}},
		{"inlined as it is now", site(r, 1, 1, 7, "m.two"), []uint64{7}},
		{"a closure of an inlined function", site(r, 1, 1, 8, "m.main.one.func1"), []uint64{8}},
		{"no code any more", site(r, 1, 1, 10), nil},
		{"only the line moved within the function", was, []uint64{9}},
		{"other code came into the function", more, nil},
	} {
		if got := like(c.of, calls, now); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
