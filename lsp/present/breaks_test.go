package present

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine"
)

func sampleBreak(change func(b *Break)) *Break {
	b := &Break{Break: &engine.Break{Breakpoint: &breakfile.Breakpoint{ID: "b1", Kind: "race", If: "t1.p == t2.p", Order: []int{2, 1}}},
		Places: []Side{
			{File: "a.go", Path: "/m/a.go", Line: 3, Column: 2, EndLine: 3, EndColumn: 10, Text: "p.x = 10", Func: "(*Point).Set"},
			{File: "b.go", Path: "/m/b.go", Line: 7, Column: 2, EndLine: 8, EndColumn: 10, Text: "return p.x", Func: "(*Point).Get"},
		}}
	if change != nil {
		change(b)
	}
	return b
}

func TestBreakHover(t *testing.T) {
	link := Style{Link: func(name string, line int) string { return fmt.Sprintf("file:///m/%s#L%d", name, line) }}
	for name, c := range map[string]struct {
		b     *Break
		side  int
		style Style
		want  string
	}{
		"links": {sampleBreak(nil), 1, link, "**concurrent breakpoint b1** · race · side 1 of 2\n\n" +
			"- side 2 goes on first: `return p.x` in [b.go:7](file:///m/b.go#L7), `(*Point).Get`\n" +
			"- side 1 goes on second: `p.x = 10` in [a.go:3](file:///m/a.go#L3), `(*Point).Set` (here)\n\n" +
			"if `t1.p == t2.p` · default timeout\n\nnot run yet\n"},
		"plain, off, lost": {sampleBreak(func(b *Break) {
			b.Off, b.If, b.Timeout, b.IgnoreFirst, b.AtMost, b.Order, b.Kind, b.Note = true, "", "50ms", 2, 1, nil, "", "from *mail*"
			b.Places[1].Lost = "no such statement in (*Point).Get"
		}), 0, Style{Plain: true}, "concurrent breakpoint b1 · conflict · off\n\n" +
			"- side 1 goes on first: p.x = 10 in a.go:3, (*Point).Set\n" +
			"- side 2 goes on second: return p.x in b.go:7, (*Point).Get — lost: no such statement in (*Point).Get\n\n" +
			"no condition · timeout 50ms · ignores the first 2 · at most 1 hit\n\nnot run yet\n\nfrom *mail*\n"},
		"markup in code": {sampleBreak(func(b *Break) {
			b.If, b.Places[0].Text = "t1.s == `x`", "s = `a\nb`"
			b.Places[0].Changed = "the text was edited"
			b.Last = &engine.BreakLast{When: time.Date(2026, 1, 2, 15, 4, 5, 0, time.Local), Runs: 100, Hits: 99, Failed: 97}
		}), 2, Style{}, "**concurrent breakpoint b1** · race · side 2 of 2\n\n" +
			"- side 2 goes on first: `return p.x` in b.go:7, `(*Point).Get` (here)\n" +
			"- side 1 goes on second: `` s = `a b` `` in a.go:3, `(*Point).Set` — changed: the text was edited\n\n" +
			"if `` t1.s == `x` `` · default timeout\n\nlast run: hit 99/100, failed 97 (2026-01-02 15:04)\n"},
	} {
		if got := c.b.Hover(c.side, c.style); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}

func TestBreakLenses(t *testing.T) {
	job := func(id string) func(string) (Job, bool) {
		return func(of string) (Job, bool) { return Job{ID: "job-1", Break: true}, of == id }
	}
	for name, c := range map[string]struct {
		b    *Break
		path string
		opt  BreakLensOptions
		want []string
	}{
		"new":       {sampleBreak(nil), "/m/a.go", BreakLensOptions{Runs: 100, Job: job("")}, []string{"3 b1 side 1 of 2", "3 run 100 times", "3 remove"}},
		"elsewhere": {sampleBreak(nil), "/m/c.go", BreakLensOptions{Runs: 100, Job: job("")}, nil},
		"debugs":    {sampleBreak(nil), "/m/b.go", BreakLensOptions{Runs: 1, Debug: true, Job: job("b2")}, []string{"7 b1 side 2 of 2", "7 run 1 time", "7 debug", "7 remove"}},
		"runs":      {sampleBreak(nil), "/m/b.go", BreakLensOptions{Runs: 1, Debug: true, Job: job("b1")}, []string{"7 b1 side 2 of 2", "7 running… (cancel)", "7 remove"}},
		"ran": {sampleBreak(func(b *Break) { b.Last = &engine.BreakLast{Runs: 100, Hits: 100, Failed: 97} }), "/m/a.go", BreakLensOptions{Runs: 100, Job: job("")},
			[]string{"3 b1 side 1 of 2: hit 100/100, failed 97", "3 run 100 times", "3 remove"}},
		"ran, the outcome is after the line": {sampleBreak(func(b *Break) { b.Last = &engine.BreakLast{Runs: 100, Hits: 100, Failed: 97} }), "/m/a.go",
			BreakLensOptions{Runs: 100, Marks: true, Job: job("")}, []string{"3 b1 side 1 of 2", "3 run 100 times", "3 remove"}},
		"off": {sampleBreak(func(b *Break) { b.Off = true }), "/m/a.go", BreakLensOptions{Runs: 100, Debug: true, Job: job("")}, []string{"3 b1 side 1 of 2: off", "3 turn on", "3 remove"}},
		"lost": {sampleBreak(func(b *Break) { b.Places[1].Lost = "gone" }), "/m/a.go", BreakLensOptions{Runs: 100, Job: job("")},
			[]string{"3 b1 side 1 of 2: 1 side lost", "3 run 100 times", "3 remove"}},
		"lost here": {sampleBreak(func(b *Break) { b.Places[0].Lost = "gone" }), "/m/a.go", BreakLensOptions{Job: job("")}, nil},
	} {
		var got []string
		for _, l := range c.b.Lenses(c.path, c.opt) {
			got = append(got, fmt.Sprintf("%d %s", l.Line, l.Title))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOddBreaks: a file that was edited by hand, and schedules with many places.
func TestOddBreaks(t *testing.T) {
	b := sampleBreak(func(b *Break) { b.Order, b.Wrong = []int{9, 0, 1}, "order 9,0,1 must name" })
	if h := b.Hover(1, Style{}); strings.Count(h, "- side") != 2 || !strings.Contains(h, "**invalid**: order 9,0,1") || b.Turn(2) != 2 {
		t.Errorf("%s", h)
	}
	for range 40 {
		b.Places = append(b.Places, Side{File: "a.go", Line: 1, Text: strings.Repeat("é", 200)})
	}
	b.Order = nil
	h := b.Hover(0, Style{})
	if strings.Count(h, "- side") != maxSidesShown || !strings.Contains(h, "- 34 more sides") || strings.Contains(h, "\uFFFD") || len(h) > 2000 {
		t.Errorf("%s", h)
	}
	if b.Turn(3) != 3 || ordinal(7) != "7th" {
		t.Error("turns")
	}
}
