package draw

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/trace"
)

var update = flag.Bool("update", false, "rewrite the expected pictures")

// examples are what the golden files show.
var examples = map[string]struct {
	p    projection.Projection
	text map[string]string
}{
	"stale": {projection.Projection{
		Message: "panic: no connection left", Class: projection.Atomicity, Compared: true,
		Failure:  report.Place{File: "main.go", Line: 5},
		Sentence: "`serve` set `live` to 1 (line 2) and read 0 from it (3), because `probe` set it to 0 in between (9).",
		MustNot:  "Lines 2-3 of `serve` must run without `probe` in between.",
		Counts:   report.Projection{Events: 3, EventsFull: 20, Dataflows: 2, DataflowsFull: 9, Branches: 1},
		Rows: []projection.Row{
			{Goroutine: "serve", File: "main.go", Line: 2, Code: "live.set(1)", Failing: "before 9", Passing: "alone", Differs: true, PassOrder: 1},
			{Goroutine: "probe", File: "main.go", Line: 9, Code: "live.set(0)", Failing: "runs, 0", Passing: "-", Differs: true},
			{Goroutine: "serve", File: "main.go", Line: 3, Code: "live.get() == 0", Failing: "0 (from 9) → true", Passing: "1 (from 2) → false", Differs: true, From: 2, PassFrom: 1, PassOrder: 2},
			{Goroutine: "serve", File: "main.go", Line: 5, Code: `panic("no connection left")`, Failing: "fails", Passing: "-", Differs: true, Role: projection.Fails},
		},
	}, map[string]string{"main.go": "func serve() {\n\tlive.set(1)\n\tif live.get() == 0 {\n\t\t// <none>\n\t\tpanic(\"no connection left\")\n\t}\n}\n\nfunc probe() { live.set(0) }\n\nfunc other() {}\n\nfunc last() {}\n"}},
	"leak": {projection.Projection{
		Kind: trace.Leaked, Class: projection.Other, Compared: true, Failure: report.Place{File: "probe.go", Line: 30},
		Sentence: "`probe` waits for ever.", Evidence: []string{"without the switch at 31, 0 of 20 runs fail"},
		Rows: []projection.Row{
			{Goroutine: "probe", File: "probe.go", Line: 30, Code: "out <- r", Failing: "waits for ever", Passing: "goes on", Differs: true, Role: projection.Waits},
			{Goroutine: "All", File: "all.go", Line: 41, Code: "r := <-results", Failing: "-", Passing: "runs", Differs: true, Role: projection.OnlyPassing, PassOrder: 1},
		},
	}, nil},
	"alone": {projection.Projection{
		Message: "fatal error", Class: projection.Other, Failure: report.Place{File: "a.go", Line: 1},
		Rows: []projection.Row{{Goroutine: "main", File: "a.go", Line: 1, Code: "f()", Failing: "fails", Passing: "-", Differs: true, Role: projection.Fails}},
	}, nil},
}

func TestGolden(t *testing.T) {
	for name, ex := range examples {
		page, err := HTML(&ex.p, Source{Texts: ex.text, Notes: []string{"Replays 100/100."}})
		if err != nil {
			t.Fatal(err)
		}
		for ext, got := range map[string]string{"svg": SVG(&ex.p), "dot": DOT(&ex.p), "html": page} {
			file := filepath.Join("testdata", name+"."+ext)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s (-want +got):\n%s", file, d)
			}
		}
	}
}

func TestArrows(t *testing.T) {
	ex := examples["stale"]
	cols := columns(&ex.p)
	if want := []arrow{{1, 2, true}}; !slices.Equal(cols[0].arrows, want) {
		t.Errorf("failing run: %v", cols[0].arrows)
	}
	if want := []arrow{{0, 1, true}}; !slices.Equal(cols[1].arrows, want) {
		t.Errorf("passing run: %v", cols[1].arrows)
	}
	ex = examples["leak"]
	if cols := columns(&ex.p); len(cols[0].steps) != 1 || len(cols[1].steps) != 1 || cols[1].steps[0].number != 2 {
		t.Errorf("the leak's steps: %+v", cols)
	}
	if row := (projection.Row{Failing: "runs", Nearest: "runs", Passing: "before 3 in another", Differs: true, PassOrder: 1}); true {
		for _, c := range columns(&projection.Projection{Compared: true, Rows: []projection.Row{row}}) {
			if s := c.steps[0]; s.differs || s.happens != "runs" {
				t.Errorf("%s tells of another run: %+v", c.title, s)
			}
		}
	}
	ex = examples["alone"]
	if cols := columns(&ex.p); len(cols) != 1 {
		t.Errorf("%d columns without a passing run", len(cols))
	}
}

// odd are texts that could break a format.
var odd = []string{"", " ", "<b>&amp;</b>", `"'`, "]]>", "</script><script>alert(1)</script>", "-->", `\`, `\"`, "a\nb\tc", "\x00\x1b[31m\x7f", "\xff\xfe", "\ufffe\uffff",
	"日本語の変数名がとても長い", "😀😀😀", "\u202emirrored", strings.Repeat("longName", 30), strings.Repeat("w ", 90), "{{.}}", "`code`", "x == \"y\" && z <= 'q'", "</svg></style>"}

func anyText(r *rand.Rand) string {
	s := odd[r.IntN(len(odd))]
	if r.IntN(2) == 0 {
		s += odd[r.IntN(len(odd))]
	}
	return s
}

func anyProjection(r *rand.Rand) *projection.Projection {
	p := &projection.Projection{Message: anyText(r), Class: projection.Class(anyText(r)), Sentence: anyText(r), MustNot: anyText(r), Compared: r.IntN(4) > 0,
		Failure: report.Place{File: anyText(r), Line: 1 + r.IntN(3)}, Evidence: []string{anyText(r)}}
	n := r.IntN(9)
	order := r.Perm(n)
	roles := []projection.Role{"", "", "", projection.Fails, projection.Waits, projection.OnlyPassing}
	for i := range n {
		p.Rows = append(p.Rows, projection.Row{Goroutine: anyText(r), File: anyText(r), Line: 1 + r.IntN(40), Code: anyText(r), Failing: anyText(r), Passing: anyText(r),
			Differs: r.IntN(2) == 0, Role: roles[r.IntN(len(roles))], From: r.IntN(n + 1), PassFrom: r.IntN(n + 1), PassOrder: order[i] * r.IntN(2)})
	}
	return p
}

// Whatever the texts are, each format stays what it is, and nothing of them becomes markup.
func TestAnyText(t *testing.T) {
	for seed := range uint64(400) {
		p := anyProjection(rand.New(rand.NewPCG(seed, 1)))
		if err := wellFormed(SVG(p)); err != nil {
			t.Fatalf("seed %d: SVG: %v\n%s", seed, err, SVG(p))
		}
		texts := map[string]string{}
		for _, row := range p.Rows {
			texts[row.File] = strings.Join(odd, "\n")
		}
		page, err := HTML(p, Source{Texts: texts, Notes: odd})
		if err != nil {
			t.Fatal(err)
		}
		if err := soundPage(page); err != nil {
			t.Fatalf("seed %d: HTML: %v\n%s", seed, err, page)
		}
		if rest := quoted.ReplaceAllString(DOT(p), "Q"); !plainDOT.MatchString(rest) {
			t.Fatalf("seed %d: DOT outside of quotes:\n%s", seed, rest)
		}
	}
}

var (
	quoted   = regexp.MustCompile(`"(\\.|[^"\\\n])*"`)
	plainDOT = regexp.MustCompile(`^[\w\s={}\[\],;>-]*$`)
)

// wellFormed reads an SVG as XML, and knows which elements it may have.
func wellFormed(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("invalid UTF-8")
	}
	for dec := xml.NewDecoder(strings.NewReader(s)); ; {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if e, ok := tok.(xml.StartElement); ok && !slices.Contains([]string{"svg", "title", "desc", "style", "rect", "text", "g", "line", "path", "circle"}, e.Name.Local) {
			return fmt.Errorf("element %s", e.Name.Local)
		}
	}
}

// soundPage checks that the page has only the elements of its template, and fetches nothing.
func soundPage(s string) error {
	for _, c := range []struct {
		text string
		n    int
	}{{"<script", 1}, {"</script", 1}, {"<svg", 1}, {"</svg", 1}, {"</style", 2}, {"<b>", 0}, {"src=", 0}, {"href=", 0}, {"@import", 0}, {"url(", 0}} {
		if n := strings.Count(s, c.text); n != c.n {
			return fmt.Errorf("%s is there %d times, want %d", c.text, n, c.n)
		}
	}
	return nil
}

// No label meets another or leaves the picture, however long the names are.
func TestNoOverlap(t *testing.T) {
	for seed := range uint64(400) {
		p := anyProjection(rand.New(rand.NewPCG(seed, 2)))
		for _, bare := range []bool{true, false} {
			pic := layout(p, bare)
			all := slices.Concat(pic.head, pic.foot)
			for _, pn := range pic.panels {
				all = append(all, pn.heads...)
				for _, n := range pn.nodes {
					all = append(all, n.notes...)
				}
			}
			for i, a := range all {
				if why := misplaced(pic, a); why != "" {
					t.Fatalf("seed %d: %q: %s", seed, a.text, why)
				}
				for _, b := range all[:i] {
					if boxOf(a).meets(boxOf(b)) {
						t.Fatalf("seed %d: %q (%v) meets %q (%v)", seed, a.text, boxOf(a), b.text, boxOf(b))
					}
				}
			}
		}
	}
}

type box struct{ x1, y1, x2, y2 float64 }

func (a box) meets(b box) bool { return a.x1 < b.x2 && b.x1 < a.x2 && a.y1 < b.y2 && b.y1 < a.y2 }

func boxOf(l label) box {
	up, down := 11.0, 4.0
	if l.class == "headline" {
		up, down = 14, 5
	}
	x := l.x
	if l.centred {
		x -= l.w / 2
	}
	return box{x, l.y - up, x + l.w, l.y + down}
}

func misplaced(pic *picture, l label) string {
	width := cell
	if l.class == "headline" {
		width = bigCell
	}
	b := boxOf(l)
	switch {
	case float64(cells(l.text))*width > l.w+0.5:
		return fmt.Sprintf("%d cells are wider than %.0f", cells(l.text), l.w)
	case b.x1 < 0 || b.y1 < 0 || b.x2 > pic.width || b.y2 > pic.height:
		return fmt.Sprintf("%v leaves the picture", b)
	}
	return ""
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s    string
		most int
		want string
	}{{"short", 5, "short"}, {"longer", 5, "long…"}, {"日本語", 5, "日本…"}, {"日本語", 6, "日本語"}, {"a b", 2, "a…"}} {
		if got := clip(c.s, c.most); got != c.want || cells(got) > c.most {
			t.Errorf("clip(%q, %d) = %q", c.s, c.most, got)
		}
	}
	for _, c := range []struct {
		s    string
		most int
		want string
	}{{"a.go:12", 7, "a.go:12"}, {"manager.go:12", 7, "….go:12"}, {"日本語", 5, "…本語"}, {"x y", 2, "…y"}} {
		if got := clipStart(c.s, c.most); got != c.want || cells(got) > c.most {
			t.Errorf("clipStart(%q, %d) = %q", c.s, c.most, got)
		}
	}
	if got := wrap("one two three "+strings.Repeat("x", 12), 8); !slices.Equal(got, []string{"one two", "three", "xxxxxxx…"}) {
		t.Errorf("wrap: %q", got)
	}
}
