package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine"
)

// access is a side on a line "\tf.xN = N" of a file.
func access(file string, line int) engine.ConflictSide {
	return engine.ConflictSide{File: file, Line: line, Column: 2, EndColumn: 2 + len(fmt.Sprint("f.x", line-1)), Func: "f", Op: "write"}
}

func pairOf(score float64, a, b engine.ConflictSide) engine.ConflictPair {
	return engine.ConflictPair{Score: score, Kind: "race", What: "field x", Why: "no lock", Sides: []engine.ConflictSide{a, b}}
}

func textsFrom(texts map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { t, ok := texts[name]; return t, ok }
}

// TestConflictsFollowEdits: after any insertions and deletions of lines, an
// access is exactly where its line is, and gone when that is gone.
func TestConflictsFollowEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "lines")
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf("\tf.x%d = %d", i, i))
		}
		var pairs []engine.ConflictPair
		for range rapid.IntRange(1, 6).Draw(t, "pairs") {
			a := rapid.IntRange(1, n).Draw(t, "a")
			b := rapid.IntRange(1, n).Draw(t, "b")
			pairs = append(pairs, pairOf(0.9, access("a.go", a), access("a.go", b)))
		}
		c := NewConflicts(&engine.ConflictReport{Pairs: pairs}, map[string]string{"a.go": strings.Join(lines, "\n")})
		now := slices.Clone(lines)
		for i := range rapid.IntRange(0, 6).Draw(t, "edits") {
			at := rapid.IntRange(0, len(now)).Draw(t, "at")
			if rapid.Bool().Draw(t, "delete") && at < len(now) {
				now = slices.Delete(now, at, at+1)
			} else {
				now = slices.Insert(now, at, fmt.Sprintf("\tnew%d()", i))
			}
		}
		text := textsFrom(map[string]string{"a.go": strings.Join(now, "\n")})
		where := func(line int) int { return slices.Index(now, lines[line-1]) + 1 }
		want := map[int]map[int]bool{}
		for _, p := range pairs {
			a, b := where(p.Sides[0].Line), where(p.Sides[1].Line)
			if a == 0 || b == 0 {
				continue
			}
			for _, e := range [][2]int{{a, b}, {b, a}} {
				if want[e[0]] == nil {
					want[e[0]] = map[int]bool{}
				}
				want[e[0]][e[1]] = true
			}
		}
		for line := 1; line <= len(now); line++ {
			got := c.Partners("a.go", line, line, text)
			if len(got) != len(want[line]) {
				t.Fatalf("line %d has %d partners, want %v\n%s", line, len(got), want[line], strings.Join(now, "\n"))
			}
			for _, p := range got {
				if !want[line][p.At.Line] || now[p.At.Line-1][p.At.Start-1:p.At.End-1] != "f.x"+fmt.Sprint(p.Line-1) {
					t.Fatalf("line %d: partner %+v", line, p)
				}
			}
		}
		for _, s := range c.SharedIn("a.go", text) {
			if s.Places != len(want[s.Line]) || s.Column != 2 {
				t.Fatalf("shared %+v, want %v", s, want[s.Line])
			}
			delete(want, s.Line)
		}
		if len(want) > 0 && len(pairs) <= 10 {
			t.Fatalf("lines without a lens: %v", want)
		}
	})
}

func TestConflictLenses(t *testing.T) {
	text := "\tf.x0 = 0\n\tf.x1 = 1\n\tf.x2 = 2\n\tf.x3 = 3"
	weak := pairOf(0, access("a.go", 3), access("a.go", 4))
	then := access("a.go", 4)
	atomic := pairOf(0.9, access("a.go", 1), access("b.go", 1))
	atomic.Then = &then
	rep := &engine.ConflictReport{Pairs: []engine.ConflictPair{atomic, pairOf(0.8, access("a.go", 1), access("a.go", 2)), weak, {Sides: nil}}}
	texts := map[string]string{"a.go": text, "b.go": "\tf.x9 = 9"}
	c := NewConflicts(rep, texts)
	var got []string
	for _, l := range ConflictLenses(c.SharedIn("a.go", textsFrom(texts))) {
		got = append(got, fmt.Sprintf("%d %s", l.Line, l.Title))
	}
	want := []string{"1 conflicts with 2 places: break between", "2 conflicts with 1 place: break between", "4 conflicts with 1 place: break between"}
	if !slices.Equal(got, want) {
		t.Errorf("lenses %q", got)
	}
	if p := c.Partners("a.go", 3, 3, textsFrom(texts)); len(p) != 1 || p[0].At.Line != 4 {
		t.Errorf("a weak pair is a candidate all the same: %+v", p)
	}
	p := c.Partners("a.go", 4, 4, textsFrom(texts))
	if len(p) != 2 || p[0].Place() != "b.go:1" || p[0].Label() != "write in f, b.go:1" || p[0].Detail() != "no lock held" {
		t.Errorf("what relies on the first side conflicts with the second: %+v", p)
	}
	delete(texts, "b.go") // the file is deleted
	if p := c.Partners("a.go", 4, 4, textsFrom(texts)); len(p) != 1 {
		t.Errorf("%+v", p)
	}
	if all := c.All(textsFrom(texts)); len(all) != 2 || all[0].Sides[1].At.Line != 2 {
		t.Errorf("pairs %+v", all)
	}
	if c.SharedIn("none.go", textsFrom(texts)) != nil || c.Pairs() != 3 || !slices.Equal(c.Files(), []string{"a.go", "b.go"}) {
		t.Error("files and pairs")
	}
}

// TestManyConflicts: lenses of a large file stay quick.
func TestManyConflicts(t *testing.T) {
	var lines []string
	for i := range 5000 {
		lines = append(lines, fmt.Sprintf("\tf.x%d = %d", i, i))
	}
	text := strings.Join(lines, "\n")
	rep := &engine.ConflictReport{}
	for i := range 3 * maxPairs {
		rep.Pairs = append(rep.Pairs, pairOf(0.9, access("a.go", 1+i%5000), access("a.go", 1+(7*i)%5000)))
	}
	c := NewConflicts(rep, map[string]string{"a.go": text})
	if c.Pairs() != maxPairs {
		t.Errorf("%d pairs are kept", c.Pairs())
	}
	edited := textsFrom(map[string]string{"a.go": "// new\n" + text})
	c.SharedIn("a.go", edited)
	if n := testing.AllocsPerRun(3, func() { c.SharedIn("a.go", edited) }); n > 10*maxPairs {
		t.Errorf("%v allocations for one text", n)
	}
}
