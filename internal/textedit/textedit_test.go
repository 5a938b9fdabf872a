package textedit

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestApply(t *testing.T) {
	upper := func(from, to int) Edit {
		return Edit{From: from, To: to, Order: 30, Wrap: func(render func(int, int) string) string {
			return "<" + strings.ToUpper(render(from, to)) + ">"
		}}
	}
	for name, c := range map[string]struct {
		edits []Edit
		want  string // or an error
	}{
		"none":        {nil, "abcdef"},
		"replace":     {[]Edit{{From: 4, To: 6, Text: "X"}, {From: 0, To: 2, Text: ""}}, "cdX"},
		"as given":    {[]Edit{Insert(2, 0, "1"), Insert(2, 0, "2")}, "ab12cdef"},
		"by order":    {[]Edit{Insert(2, 20, "1"), Insert(2, 10, "2")}, "ab21cdef"},
		"close, open": {[]Edit{Insert(0, 0, "("), Insert(2, 0, "["), Close(2, 0, ")"), Close(4, 2, "]")}, "(ab)[cd]ef"},
		"inner first": {[]Edit{Insert(0, 0, "("), Close(4, 0, ")"), Insert(2, 0, "["), Close(4, 2, "]")}, "(ab[cd])ef"},
		"wrap":        {[]Edit{upper(1, 4), Insert(2, 0, "-"), Insert(1, 0, "{"), Close(4, 1, "}")}, "a{<B-CD>}ef"},
		"wrap parts": {[]Edit{Insert(2, 0, "x"), {From: 1, To: 5, Order: 30, Wrap: func(render func(int, int) string) string {
			return render(3, 5) + render(1, 3)
		}}}, "adebxcf"},
		"wrap in wrap": {[]Edit{upper(1, 5), upper(2, 4)}, "a<B<CD>E>f"},
		"overlap":      {[]Edit{{From: 0, To: 3}, {From: 2, To: 4}}, "overlapping edits of bytes 0 to 3 and 2 to 4"},
		"covered":      {[]Edit{{From: 0, To: 3}, Insert(1, 0, "x")}, "overlapping edits of bytes 0 to 3 and 1 to 1"},
		"half wrapped": {[]Edit{upper(0, 3), {From: 2, To: 4}}, "overlapping edits of bytes 0 to 3 and 2 to 4"},
		"outside":      {[]Edit{{From: 3, To: 7}}, "edit of bytes 3 to 7 of 6"},
	} {
		got, err := Apply([]byte("abcdef"), c.edits)
		text := string(got)
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// TestBrackets: brackets around ranges that nest, in any order, nest in the
// result, and the text is as it was without them.
func TestBrackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat("x", rapid.IntRange(1, 12).Draw(t, "size"))
		var edits []Edit
		var nest func(from, to int)
		nest = func(from, to int) {
			if to-from < 1 || rapid.Bool().Draw(t, "leaf") {
				return
			}
			name := fmt.Sprint(len(edits))
			edits = append(edits, Insert(from, 0, "("+name+":"), Close(to, from, ":"+name+")"))
			mid := rapid.IntRange(from+1, to).Draw(t, "mid")
			nest(from, mid-1) // those of one range would be ordered as given
			nest(mid, to)
		}
		nest(0, len(text))
		out, err := Apply([]byte(text), edits)
		if err != nil {
			t.Fatal(err)
		}
		var open []string
		plain := strings.NewReplacer("(", " ( ", ")", " ) ", ":", " : ", "x", " x ").Replace(string(out))
		fields := strings.Fields(plain)
		for i, f := range fields {
			switch f {
			case "(":
				open = append(open, fields[i+1])
			case ")":
				if n := len(open); n == 0 || open[n-1] != fields[i-1] {
					t.Fatalf("%s does not nest", out)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 || strings.Count(string(out), "x") != len(text) {
			t.Fatalf("%s of %s", out, text)
		}
	})
}
