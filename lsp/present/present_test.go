package present

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/lsp/anchor"
)

func TestSpan(t *testing.T) {
	const text = `package p

func f() {
	live.set(1) // one
	a.b.c[i] = x + 1
	ch <- v
	v := <-ch
	n++
	if live.get() == 0 {
		g(func() {
			s.n++
		})
	}
	return n
	/* ä𝄞 */ z.größe++
	x := call(one,
		two.three)
	*p = 1
	total
}
`
	lines := strings.Split(text, "\n")
	tests := []struct {
		line int
		at   string // the column is where this starts
		want string
	}{
		{4, "set", "live.set(1)"},
		{4, "live", "live.set(1)"},
		{5, "b", "a.b"},
		{5, "i]", "a.b.c[i]"},
		{5, "x +", "a.b.c[i] = x + 1"},
		{6, "<-", "ch <- v"},
		{7, "<-", "<-ch"},
		{7, "v", "v := <-ch"},
		{8, "n", "n++"},
		{9, "get", "live.get()"},
		{10, "g", "g(func() {"}, // cut at the line's end
		{11, "n", "s.n"},
		{14, "return", "return n"},
		{14, "n\n", "n"},
		{15, "größe", "z.größe"},
		{16, "call", "call(one,"},
		{17, "three", "two.three"},
		{18, "p", "*p"},
		{19, "total", "total"},
		{4, "// one", "live.set(1)"},
	}
	s := newSyntax(text, strings.Split(text, "\n"))
	for _, tt := range tests {
		line := lines[tt.line-1]
		col := strings.Index(line+"\n", tt.at) + 1
		at := s.span(tt.line, line, col)
		if got := line[at.Start-1 : at.End-1]; got != tt.want {
			t.Errorf("line %d column %d (%s): %q, want %q", tt.line, col, tt.at, got, tt.want)
		}
		if at := s.span(tt.line, line, 0); line[at.Start-1:at.End-1] == "" {
			t.Errorf("line %d without column: nothing", tt.line)
		}
	}
}

// TestSpanStaysOnItsLine: whatever the text and the column, the span is not
// empty and lies on the line.
func TestSpanStaysOnItsLine(t *testing.T) {
	pieces := []string{"package p\n", "func f() {\n", "}\n", "\tx.y(", ")\n", "a[i]", " = <-c\n", "\"ä\n", "`", "// z\n", "\t\n", "\r\n", "ch <- 1", "\n", "if a.b == 1 {", "\x00", "é.f()"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "text"), "")
		s := newSyntax(text, strings.Split(text, "\n"))
		for i, line := range strings.Split(text, "\n") {
			line = strings.TrimSuffix(line, "\r")
			at := s.span(i+1, line, rapid.IntRange(0, len(line)+2).Draw(t, "column"))
			if at.Line != i+1 || at.Start < 1 || at.End <= at.Start || at.End > max(len(line), 1)+1 {
				t.Fatalf("line %q: %+v", line, at)
			}
		}
	})
}

func TestColumn(t *testing.T) {
	tests := []struct {
		was, is   string
		col, want int
	}{
		{"\tx.y = 1", "\tx.y = 1", 4, 4},
		{"\tx.y = 1", "\t\t\tx.y=1", 4, 6},
		{"a+b", "a + b", 3, 5},
		{"a + b", "a+b", 5, 3},
		{"\tx", "\tx", 0, 0},
		{"\tx", "\tx", 9, 0},
		{"abc", "", 2, 0},
		{"\tä.b", "  ä.b", 5, 6},
	}
	for _, tt := range tests {
		if got := column(tt.was, tt.is, tt.col); got != tt.want {
			t.Errorf("column %d of %q in %q: %d, want %d", tt.col, tt.was, tt.is, got, tt.want)
		}
	}
}

func TestRenumber(t *testing.T) {
	old := anchor.NewText(numbered(60))
	r := renumber{base: "main.go", maps: map[string]*anchor.Map{
		"main.go":     anchor.Between(old, anchor.NewText("// new\n// new\n"+numbered(60))),
		"sub/pool.go": anchor.Between(old, anchor.NewText("// new\n"+numbered(60))),
	}}
	called := report.Access{File: "sub/pool.go", Line: 12, Call: &report.Place{File: "sub/pool.go", Line: 31}}
	r.learn(&engine.Stored{Finding: &report.Finding{RootCause: []report.Access{called}}, Explanation: &engine.Projection{Rows: []engine.Row{{File: "sub/pool.go", Line: 31}, {File: "main.go", Line: 40}}}})
	for in, want := range map[string]string{
		"`a` set `x` to 1 (line 43) and read 0 from it (44)": "`a` set `x` to 1 (line 45) and read 0 from it (46)",
		"Lines 43-44 of `a` must run":                        "Lines 45-46 of `a` must run",
		"on `chan int (main.go:7)` (pool.go:8)":              "on `chan int (main.go:9)` (pool.go:9)",
		"0 (from 58) → true":                                 "0 (from 60) → true",
		"before 31":                                          "before 32", // a line of the other file
		"set `x` to 1 (12, called at 31)":                    "set `x` to 1 (13, called at 32)",
		"after 40":                                           "after 42",
		"12 of 41 events, 3 lines":                           "12 of 41 events, 3 lines",
		"took `f(5)`":                                        "took `f(5)`",
		"other.go:5 and line 999":                            "other.go:5 and line 999",
		"read 7 from `x`":                                    "read 7 from `x`",
	} {
		if got := r.words(in); got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// TestCrowd: a dozen findings of one kind on one line are one entry of the
// problem list, and none is lost.
func TestCrowd(t *testing.T) {
	text := "package p\n\nvar s struct{ a, b int }\n\nfunc set() { s.a = 1 }\n"
	var known []Known
	for i := range 12 {
		f := &report.Finding{ID: fmt.Sprint("id", i), Entry: "TestX", Kind: "data-race", Class: "data-race", Message: fmt.Sprint("data race on s", i),
			Sentence: "`a` and `b` (line 5).", Confirmed: report.RaceProved, Failure: report.Place{File: "p.go", Line: 5},
			RootCause: []report.Access{{Goroutine: "a", File: "p.go", Line: 5, Column: 14, Op: "write", Var: "s.a"}}}
		known = append(known, Known{Stored: &engine.Stored{Finding: f, Texts: map[string]string{"p.go": text}}})
	}
	v := NewView(known, Source{Text: func(string) (string, bool) { return text, true }}, nil)
	ds := v.Diagnostics("p.go")
	if len(ds) != 1 || len(ds[0].IDs) != 12 || len(ds[0].Related) != 11 || !strings.Contains(ds[0].Message, "and 11 more of this kind") {
		t.Fatalf("%+v", ds)
	}
	md, _, ok := v.Hover("p.go", 5, 1, Style{})
	if !ok || strings.Count(md, "\n---\n") != 3 || !strings.Contains(md, "9 more: id3, id4") {
		t.Errorf("hover:\n%s", md)
	}
	lenses := Lenses([]engine.Entry{{Name: "TestX", Line: 1}}, v, LensOptions{Find: true, Replay: true, Explain: true})
	if len(lenses) != 1 || lenses[0].Title != "12 findings ▸" || lenses[0].Action != Choose {
		t.Errorf("lenses: %+v", lenses)
	}
	seen := map[string]bool{}
	for _, name := range Names(v.Items()) {
		if seen[name] {
			t.Errorf("two findings are called %q", name)
		}
		seen[name] = true
	}
}

// TestLens: the one lens of an entry, whatever is known of it.
func TestLens(t *testing.T) {
	entry := []engine.Entry{{Name: "TestX", Line: 3}}
	all := LensOptions{Find: true, Replay: true, Explain: true}
	job := func(j Job) LensOptions {
		o := all
		o.Job = func(string) (Job, bool) { return j, true }
		return o
	}
	verdict := func(o LensOptions, s string) LensOptions {
		o.Verdict = func(string) string { return s }
		return o
	}
	f := &report.Finding{ID: "id", Entry: "TestX", Kind: "data-race", Message: "data race", Failure: report.Place{File: "p.go", Line: 1},
		RootCause: []report.Access{{Goroutine: "a", File: "p.go", Line: 1, Op: "write", Var: "s.a"}}}
	text := func(s string) Source { return Source{Text: func(string) (string, bool) { return s, true }} }
	one := []Known{{Stored: &engine.Stored{Finding: f, Texts: map[string]string{"p.go": "var a = 1\n"}}}}
	for _, c := range []struct {
		opt   LensOptions
		known []Known
		now   string
		want  string
	}{
		{all, nil, "", "find failing schedule"},
		{job(Job{Waiting: true}), one, "var a = 1\n", "waiting… (cancel)"},
		{job(Job{}), one, "var a = 1\n", "searching… (cancel)"},
		{all, one, "var a = 1\n", "1 finding: data race on s.a ▸"},
		{verdict(all, "✓ never"), one, "var a = 1\n", "1 finding: data race on s.a ▸"},
		{verdict(all, "✓ all schedules (7 runs)"), nil, "", "✓ all schedules (7 runs) ▸"},
		{verdict(all, "✓ all schedules (7 runs)"), one, "var b = 2\n", "✓ all schedules (7 runs) ▸"},
		{all, one, "var b = 2\n", "1 finding of an older version ▸"},
		{LensOptions{Find: true}, one, "var a = 1\n", "find failing schedule"},
		{LensOptions{Explain: true}, one, "var a = 1\n", "1 finding: data race on s.a ▸"},
		{LensOptions{Explain: true}, nil, "", ""},
	} {
		got := ""
		for _, l := range Lenses(entry, NewView(c.known, text(c.now), nil), c.opt) {
			got += l.Title
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.known, got, c.want)
		}
	}
}

// TestStates follows one finding through edits, replays and undo.
func TestStates(t *testing.T) {
	raw, err := txtar.ParseFile("testdata/quota.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := readArchive(t, raw)
	found := a.now["main.go"]
	edited := strings.Replace(found, "q.get() > 0", "q.get() > 1", 1)
	above := "// x\n" + found
	sums := func(of string) map[string]string {
		return map[string]string{"main.go": fmt.Sprintf("%x", sha256.Sum256([]byte(of)))[:16]}
	}
	outdated := func(of string) *engine.LastReplay {
		return &engine.LastReplay{Runs: 100, Outcome: engine.Outdated, Sources: sums(of)}
	}
	still := &engine.LastReplay{Runs: 100, Failed: 100, Outcome: engine.Fails}
	same := &engine.LastReplay{Runs: 100, SameSources: true, Outcome: engine.Passes}
	fixed := func(of string) *engine.LastReplay {
		return &engine.LastReplay{Runs: 100, Outcome: engine.Fixed, Sources: sums(of)}
	}
	tests := []struct {
		name string
		now  string
		seen bool
		last *engine.LastReplay
		want State
	}{
		{"as found", found, false, nil, Current},
		{"lines above", above, false, nil, Current},
		{"line edited here", edited, true, nil, Changed},
		{"line edited before we came", edited, false, nil, Older},
		{"edited, a replay does not fail", edited, true, outdated(edited), Changed},
		{"edited, a replay does not fail, not seen here", edited, false, outdated(edited), Older},
		{"edited, a search does not find it", edited, true, fixed(edited), Fixed},
		{"edited, a search does not find it, not seen here", edited, false, fixed(edited), Fixed},
		{"edited again after that search", edited + "//", true, fixed(edited), Changed},
		{"edited, still fails", edited, true, still, Changed},
		{"other lines, a replay does not fail", above, true, outdated(above), Current},
		{"other lines, a search does not find it", above, true, fixed(above), Fixed},
		{"edited again after a replay that did not fail", edited + "//", true, outdated(edited), Changed},
		{"undone after that", found, true, fixed(above), Current},
		{"as found, does not fail at that level", found, true, same, Current},
	}
	for _, tt := range tests {
		k := a.known[0]
		s := *k.Stored
		s.Last, k.Stored, k.Seen = tt.last, &s, tt.seen
		a.now["main.go"] = tt.now
		v := NewView([]Known{k}, a.source(), nil)
		if got := v.Items()[0].State; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		of := tt.last != nil && tt.last.Outcome == engine.Outdated && maps.Equal(tt.last.Sources, sums(tt.now))
		hover, _, ok := v.Hover("main.go", strings.Count(tt.now[:strings.Index(tt.now, "q.left += n")], "\n")+1, 5, Style{})
		if says := strings.Contains(strings.Join(strings.Fields(hover), " "), "Outdated: the schedule was made for other sources"); ok && says != of {
			t.Errorf("%s: hover %s", tt.name, hover)
		}
		shown := tt.want == Current || tt.want == Changed
		if got := len(v.Diagnostics("main.go")) > 0; got != shown {
			t.Errorf("%s: shown %v", tt.name, got)
		}
	}
	a.now["main.go"] = found
	k := a.known[0]
	s := *k.Stored
	s.Texts, k.Stored = nil, &s
	if got := NewView([]Known{k}, a.source(), nil).Items()[0].State; got != Older {
		t.Errorf("without the sources of then: %s", got)
	}
}

func TestLinks(t *testing.T) {
	raw, err := txtar.ParseFile("testdata/quota.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := readArchive(t, raw)
	v := NewView(a.known, a.source(), nil)
	md, _, ok := v.Hover("main.go", 20, 5, Style{Link: func(name string, line int) string { return fmt.Sprintf("file:///m/%s#L%d", name, line) }})
	for _, want := range []string{"[26](file:///m/main.go#L26)", "[`main.go:28`](file:///m/main.go#L28)", "[panic](https://", "[atomicity violation](https://"} {
		if !ok || !strings.Contains(md, want) {
			t.Errorf("no %s in\n%s", want, md)
		}
	}
	if _, _, ok := v.Hover("main.go", 22, 1, Style{}); ok {
		t.Error("a hover where nothing is")
	}
}

// TestTheCallThatMatters: a finding whose steps lie in a dependency is underlined where it
// waits in the user's code, not at the line on which its test begins.
func TestTheCallThatMatters(t *testing.T) {
	text := "package p\n\nfunc TestClose(t *testing.T) {\n\tw := open()\n\tw.Close()\n}\n"
	f := &report.Finding{ID: "id", Entry: "TestClose", Kind: "deadlock", Class: "deadlock", Message: "all goroutines are asleep", Confirmed: report.Native, Native: &report.Count{},
		RootCause: []report.Access{{Goroutine: "TestClose", File: "x.y/w@v1.0.0/w.go", Line: 12, Op: "receive", Var: "w.done"}},
		Blocked:   []report.Blocked{{Place: report.Place{Goroutine: "TestClose", File: "p_test.go", Line: 5, Column: 4}, On: "receive from a channel"}}}
	v := NewView([]Known{{Stored: &engine.Stored{Finding: f, Texts: map[string]string{"p_test.go": text}}}}, Source{
		Text:  func(name string) (string, bool) { return text, name == "p_test.go" },
		Entry: func(Known) (Entry, bool) { return Entry{File: "p_test.go", Line: 3}, true },
	}, nil)
	ds := v.Diagnostics("p_test.go")
	if len(ds) != 1 || ds[0].Span != (Span{Line: 5, Start: 2, End: 11}) {
		t.Errorf("it is underlined at %+v", ds)
	}
	if name, at, ok := v.Items()[0].Location(); !ok || name != "p_test.go" || at.Line != 5 {
		t.Errorf("it is gone to at %s:%d", name, at.Line)
	}
}

// TestRenamedEntry: a finding whose function is not there under its name can't
// be replayed, so it is not as it was found.
func TestRenamedEntry(t *testing.T) {
	text := "package p\n\nfunc TestX(t *testing.T) {\n\tn = 1\n\tg(n)\n}\n\nfunc TestXY(t *testing.T) {\n}\n"
	f := &report.Finding{ID: "id", Entry: "TestX/sub", Kind: "panic", Message: "m", Failure: report.Place{File: "a/p_test.go", Line: 5},
		RootCause: []report.Access{{Goroutine: "a", File: "a/p_test.go", Line: 4, Column: 2, Op: "write", Var: "n"}}}
	for _, tt := range []struct {
		name, from, to string
		want, unseen   State
	}{
		{"as found", "", "", Current, Current},
		{"renamed", "TestX(", "TestZ(", Changed, Older},
		{"another renamed", "TestXY(", "TestZ(", Current, Current},
		{"moved", "func TestX(", "// TestX tests.\nfunc TestX(", Current, Current},
	} {
		now := strings.Replace(text, tt.from, tt.to, 1)
		for _, seen := range []bool{true, false} {
			k := Known{Stored: &engine.Stored{Finding: f, Texts: map[string]string{"a/p_test.go": text}}, Dir: "a", Seen: seen}
			got := NewView([]Known{k}, Source{Text: func(string) (string, bool) { return now, true }}, nil).Items()[0].State
			if want := map[bool]State{true: tt.want, false: tt.unseen}[seen]; got != want {
				t.Errorf("%s, seen %v: %s, want %s", tt.name, seen, got, want)
			}
		}
	}
}

// TestLineDirectives: what a file that never was names is shown at the entry.
func TestLineDirectives(t *testing.T) {
	text := "package p\n\n//line other.y:10\nfunc TestX(t *testing.T) {\n\tn = 1\n}\n"
	f := &report.Finding{ID: "id", Entry: "TestX", Kind: "panic", Message: "m", Failure: report.Place{File: "other.y", Line: 11},
		RootCause: []report.Access{{Goroutine: "a", File: "other.y", Line: 11, Op: "write", Var: "n"}}}
	v := NewView([]Known{{Stored: &engine.Stored{Finding: f}}}, Source{
		Text:  func(name string) (string, bool) { return text, name == "p_test.go" },
		Entry: func(Known) (Entry, bool) { return Entry{File: "p_test.go", Line: 4}, true },
	}, nil)
	if got := v.Items()[0].State; got != Current {
		t.Errorf("state %s", got)
	}
	if d := v.Diagnostics("p_test.go"); len(d) != 1 || d[0].Span.Line != 4 {
		t.Errorf("diagnostics %+v", d)
	}
}

// TestPlain: a client that takes no markdown sees no signs of it, and nothing
// of the user's is taken for such.
func TestPlain(t *testing.T) {
	raw, err := txtar.ParseFile("testdata/quota.txtar")
	if err != nil {
		t.Fatal(err)
	}
	a := readArchive(t, raw)
	k := a.known[0]
	f, s := *k.Finding, *k.Stored
	f.Message = "panic: a_b * c_d ** <e> [f]"
	s.Finding, k.Stored = &f, &s
	a.now["main.go"] = strings.Replace(a.now["main.go"], "q.get() > 0", "q.get() > 1", 1)
	k.Seen = true
	v := NewView([]Known{k}, a.source(), nil)
	markdown, _, _ := v.Hover("main.go", 20, 5, Style{})
	plain, _, ok := v.Hover("main.go", 20, 5, Style{Plain: true})
	if !ok || !strings.Contains(plain, "a_b * c_d ** <e> [f]") || !strings.Contains(plain, "A line of it was edited") {
		t.Errorf("as plain text:\n%s", plain)
	}
	if rest := strings.Replace(plain, "a_b * c_d ** <e> [f]", "", 1); strings.ContainsAny(rest, "`*\\") {
		t.Errorf("markup in\n%s", plain)
	}
	if n, m := strings.Count(plain, "\n|"), strings.Count(markdown, "\n|"); n != m || n < 3 {
		t.Errorf("%d rows, as markdown %d", n, m)
	}
}

// crowd is a file of n lines with findings spread over it.
func crowd(n, findings int) ([]Known, string) {
	var b strings.Builder
	b.WriteString("package p\n\nvar s struct{ n int }\n")
	for i := range n / 5 {
		fmt.Fprintf(&b, "\nfunc f%d() {\n\ts.n = %d\n\tg(s.n)\n}\n", i, i)
	}
	text := b.String()
	var known []Known
	for i := range findings {
		line := 6 + 5*(i*(n/5)/findings)
		f := &report.Finding{ID: fmt.Sprint("id", i), Entry: "TestX", Kind: "panic", Message: "m", Confirmed: report.Native, Native: &report.Count{},
			Sentence: fmt.Sprintf("`a` wrote (line %d) before `b` (%d).", line, line+1), Failure: report.Place{File: "p.go", Line: line + 1}}
		ex := &engine.Projection{}
		for j := range 4 {
			f.RootCause = append(f.RootCause, report.Access{Goroutine: "a", File: "p.go", Line: line + j%2, Column: 4, Op: "write", Var: "s.n"})
			ex.Rows = append(ex.Rows, engine.Row{Goroutine: "a", File: "p.go", Line: line + j%2, Code: "s.n = 1", Failing: fmt.Sprint("before ", line), Passing: "-", Differs: true})
		}
		known = append(known, Known{Stored: &engine.Stored{Finding: f, Explanation: ex, Texts: map[string]string{"p.go": text}}})
	}
	return known, text
}

// BenchmarkEdit is a keystroke in a file of 5,000 lines with 50 findings, and
// all that is shown of them.
func BenchmarkEdit(b *testing.B) {
	known, text := crowd(5000, 50)
	cache := NewCache()
	for i := 0; b.Loop(); i++ {
		now := fmt.Sprintf("// %d\n%s", i, text)
		v := NewView(known, Source{Text: func(string) (string, bool) { return now, true }}, cache)
		if len(v.Diagnostics("p.go")) != 100 {
			b.Fatal(len(v.Diagnostics("p.go")))
		}
	}
}

func BenchmarkHover(b *testing.B) {
	known, text := crowd(5000, 50)
	v := NewView(known, Source{Text: func(string) (string, bool) { return text, true }}, nil)
	for b.Loop() {
		if _, _, ok := v.Hover("p.go", 6, 2, Style{}); !ok {
			b.Fatal("nothing")
		}
	}
}

// What needs somebody to be slower than a timer is a hint, however sure it is.
func TestTimeDependentIsAHint(t *testing.T) {
	text := "package p\n\nfunc stop() { mu.Lock() }\n"
	for d, want := range map[*report.TimeDependent]Severity{nil: Warning, {Timer: "p.go:1", DelayMS: 2, At: "p.go:3"}: Hint} {
		f := &report.Finding{ID: "id", Entry: "TestX", Kind: "deadlock", Class: "deadlock", Message: "all goroutines are asleep",
			Confirmed: report.Native, Native: &report.Count{Runs: 100, Failed: 100}, TimeDependent: d, Failure: report.Place{File: "p.go", Line: 3},
			RootCause: []report.Access{{Goroutine: "stop", File: "p.go", Line: 3, Column: 15, Op: "lock", Var: "mu"}}}
		v := NewView([]Known{{Stored: &engine.Stored{Finding: f, Texts: map[string]string{"p.go": text}}}},
			Source{Text: func(string) (string, bool) { return text, true }}, nil)
		if ds := v.Diagnostics("p.go"); len(ds) != 1 || ds[0].Severity != want {
			t.Errorf("%v: %+v, want severity %d", d, ds, want)
		}
	}
}
