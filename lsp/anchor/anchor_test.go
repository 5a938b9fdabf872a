package anchor

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const before = `package p

func get() int {
	mu.Lock()
	defer mu.Unlock()
	return n
}

func put(x int) {
	mu.Lock()
	defer mu.Unlock()
	if n == 0 {
		n = x + 1
	}
}
`

func TestAt(t *testing.T) {
	swap := func(old, new string) string { return strings.Replace(before, old, new, 1) }
	put := before[strings.Index(before, "func put"):]
	tests := []struct {
		name, now string
		line, at  int // at 0: not found
		near      int
	}{
		{"same", before, 13, 13, 13},
		{"lines above", "// a\n\n" + before, 13, 15, 15},
		{"line deleted above", swap("package p\n\n", ""), 13, 11, 11},
		{"second of two alike", swap("\treturn n", "\tmu.Lock()\n\treturn n"), 10, 11, 11},
		{"indented by gofmt", swap("\t\tn = x + 1", "\t\t\tn = x+1"), 13, 13, 13},
		{"CRLF", strings.ReplaceAll(before, "\n", "\r\n"), 13, 13, 13},
		{"typed in the middle", swap("n = x + 1", "n = x*y + 1"), 13, 0, 13},
		{"one blank less in a string", swap("n = x", `n = "a  b"`), 13, 0, 13},
		{"deleted", swap("\t\tn = x + 1\n", ""), 13, 0, 0},
		{"changed, and a line more before it", swap("\t\tn = x + 1", "\t\tlog()\n\t\tn = x + 2"), 13, 0, 14},
		{"replaced by another", swap("\t\tn = x + 1", "\t\tlog()\n\t\tpanic(0)"), 13, 0, 0},
		{"split", swap("n = x + 1", "n = x +\n1"), 13, 0, 13},
		{"function moved up", "package p\n\n" + put + "\n" + before[len("package p\n\n"):len(before)-len(put)], 13, 7, 7},
		{"function moved up, its twin line", "package p\n\n" + put + "\n" + before[len("package p\n\n"):len(before)-len(put)], 11, 5, 5},
		{"all gone", "", 13, 0, 0},
		{"beyond the end", before, 99, 0, 0},
		{"before the start", before, 0, 0, 0},
	}
	for _, tt := range tests {
		m := Between(NewText(before), NewText(tt.now))
		if at, ok := m.At(tt.line); at != tt.at || ok != (tt.at > 0) {
			t.Errorf("%s: At(%d) = %d, %v, want %d", tt.name, tt.line, at, ok, tt.at)
		}
		if at, ok := m.Near(tt.line); at != tt.near || ok != (tt.near > 0) {
			t.Errorf("%s: Near(%d) = %d, %v, want %d", tt.name, tt.line, at, ok, tt.near)
		}
	}
}

func TestKey(t *testing.T) {
	for in, want := range map[string]string{
		"\tif a==b  {\r":        "if a==b{",
		"return  x":             "return x",
		"a +\tb":                "a+b",
		`x := "a  b" + "c\" d"`: `x:="a  b"+"c\" d"`,
		"x := ' '":              "x:=' '",
		"größe = ä ö":           "größe=ä ö",
		"   ":                   "",
	} {
		if got := NewText(in).keys[0]; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]int{"": 0, "\n": 1, "a": 1, "a\n": 1, "a\nb": 2} {
		if got := NewText(in).Lines(); got != want {
			t.Errorf("%q has %d lines, want %d", in, got, want)
		}
	}
}

// words makes lines of which many are alike, as in programs.
func words(t *rapid.T, label string) []string {
	common := []string{"}", "", "\tmu.Lock()", "\tmu.Unlock()", "\treturn nil", "\tx++"}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "alike") {
			return rapid.SampledFrom(common).Draw(t, "line")
		}
		return fmt.Sprintf("\tstep(%d)", rapid.IntRange(0, 30).Draw(t, "n"))
	}), 0, 80).Draw(t, label)
}

func join(lines []string) *Text { return NewText(strings.Join(lines, "\n") + "\n") }

// TestNeverElsewhere: whatever the texts, a line is only found at its like,
// and no two at one place; what is near lies in the text.
func TestNeverElsewhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, now := join(words(t, "old")), join(words(t, "now"))
		m := Between(old, now)
		used := map[int]bool{}
		for l := 1; l <= old.Lines(); l++ {
			if at, ok := m.At(l); ok {
				if old.keys[l-1] != now.keys[at-1] || used[at] {
					t.Fatalf("line %d %q at %d %q", l, old.keys[l-1], at, now.keys[at-1])
				}
				used[at] = true
			}
			if at, ok := m.Near(l); ok && (at < 1 || at > now.Lines()) {
				t.Fatalf("line %d near %d of %d", l, at, now.Lines())
			}
		}
	})
}

func TestIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := join(words(t, "text"))
		m := Between(text, text)
		for l := 1; l <= text.Lines(); l++ {
			if at, _ := m.At(l); at != l {
				t.Fatalf("line %d at %d", l, at)
			}
		}
		if !m.Same() {
			t.Fatal("not the same")
		}
	})
}

// TestUnaffected: inserts, deletes, renames and moves of blocks leave the other
// lines where they can be found: each at its own place if its text is unique.
func TestUnaffected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type line struct {
			text   string
			origin int // in the old text, 0 for none
		}
		old := make([]string, rapid.IntRange(1, 120).Draw(t, "lines"))
		now := make([]line, len(old))
		unique := rapid.IntRange(1, 4).Draw(t, "every n-th unique")
		for i := range old {
			old[i] = "}"
			if i%unique == 0 {
				old[i] = fmt.Sprintf("own(%d)", i)
			}
			now[i] = line{old[i], i + 1}
		}
		fresh := 0
		for range rapid.IntRange(0, 6).Draw(t, "edits") {
			at := rapid.IntRange(0, len(now)).Draw(t, "at")
			n := min(rapid.IntRange(1, 8).Draw(t, "n"), len(now)-at)
			switch rapid.IntRange(0, 3).Draw(t, "edit") {
			case 0:
				fresh++
				now = append(now[:at:at], append([]line{{fmt.Sprintf("new(%d)", fresh), 0}}, now[at:]...)...)
			case 1:
				now = append(now[:at:at], now[at+n:]...)
			case 2:
				for i := at; i < at+n; i++ {
					fresh++
					now[i] = line{fmt.Sprintf("other(%d)", fresh), 0}
				}
			case 3:
				block := append([]line(nil), now[at:at+n]...)
				now = append(now[:at:at], now[at+n:]...)
				to := rapid.IntRange(0, len(now)).Draw(t, "to")
				now = append(now[:to:to], append(block, now[to:]...)...)
			}
		}
		texts := make([]string, len(now))
		for i, l := range now {
			texts[i] = l.text
		}
		m := Between(join(old), join(texts))
		for i, l := range now {
			if l.origin == 0 || !strings.HasPrefix(l.text, "own") {
				continue
			}
			if at, ok := m.At(l.origin); !ok || at != i+1 {
				t.Fatalf("line %d %q is at %d, found at %d, %v", l.origin, l.text, i+1, at, ok)
			}
		}
	})
}

// TestNoLongerThanNeeded: the edit script of a small gap keeps as many lines as
// any, compared with the textbook's quadratic table.
func TestNoLongerThanNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SliceOfN(rapid.Int32Range(0, 3), 0, 24)
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		d := &differ{a: a, b: b, to: make([]int32, len(a))}
		d.shortest(0, len(a), 0, len(b))
		kept, last := 0, int32(0)
		for i, l := range d.to {
			if l == 0 {
				continue
			}
			if l <= last || a[i] != b[l-1] {
				t.Fatalf("%v", d.to)
			}
			kept, last = kept+1, l
		}
		if want := longestCommon(a, b); kept != want {
			t.Fatalf("keeps %d lines, could keep %d", kept, want)
		}
	})
}

func longestCommon(a, b []int32) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			up := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(up, row[j])
			}
			diagonal = up
		}
	}
	return row[len(b)]
}

// large is a program-like text of n lines, and one with edits all over it.
func large(n int, edits int) (old, now string) {
	rng := rand.New(rand.NewSource(1))
	var a, b strings.Builder
	for i := range n {
		line := fmt.Sprintf("\tx%d := f(a, b) + %d", i, i)
		if i%3 > 0 {
			line = []string{"\t}", "", "\tmu.Lock()", "\tif err != nil {", "\t\treturn err"}[rng.Intn(5)]
		}
		a.WriteString(line + "\n")
		if rng.Intn(n) < edits {
			line += "\n\tnew()"
		}
		b.WriteString(line + "\n")
	}
	return a.String(), b.String()
}

// worst has no line that occurs once: everything is left to the edit scripts.
func worst(n int) (old, now string) {
	rng := rand.New(rand.NewSource(2))
	text := func() string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "line %d\n", rng.Intn(20))
		}
		return b.String()
	}
	return text(), text()
}

// TestFastEnough takes the best of several, since others use the machine too.
func TestFastEnough(t *testing.T) {
	oldA, nowA := large(5000, 200)
	oldB, nowB := worst(5000)
	for name, texts := range map[string][2]string{"edited": {oldA, nowA}, "hopeless": {oldB, nowB}} {
		best := time.Hour
		for range 15 {
			start := time.Now()
			Between(NewText(texts[0]), NewText(texts[1]))
			best = min(best, time.Since(start))
		}
		if limit := 5 * time.Millisecond * slowdown; best > limit {
			t.Errorf("%s: 5,000 lines took %v, want less than %v", name, best, limit)
		}
	}
}

func BenchmarkBetween(b *testing.B) {
	old, now := large(5000, 200)
	for b.Loop() {
		Between(NewText(old), NewText(now))
	}
}
