package main

import (
	"strings"
	"testing"
)

func TestCell(t *testing.T) {
	hit := func(n int) trial {
		return trial{Status: "failing", Kind: "panic", Attempts: n, Seconds: float64(n) / 10}
	}
	miss := trial{Status: "cut-short", Attempts: 500, Seconds: 10}
	for _, tt := range []struct {
		c    *cell
		want string
	}{
		{&cell{NotBuilt: true}, "not built"},
		{&cell{}, "not run"},
		{&cell{Trials: []trial{hit(30), hit(2), hit(7)}}, "7 (0.7 s)"},
		{&cell{Trials: []trial{hit(30), miss, hit(7)}}, "2 of 3: 30 (3.0 s)"},
		{&cell{Trials: []trial{miss, miss, hit(7)}}, "1 of 3: > 500 (10.0 s)"},
		{&cell{Trials: []trial{{Status: "failing", Attempts: 37, Seconds: 8}}}, "only races in 37 (8.0 s)"},
		{&cell{Trials: []trial{{Status: "fails-always", Attempts: 40, Seconds: 4, Always: true}}}, "all 40 fail (4.0 s)"},
		{&cell{Trials: []trial{{Attempts: 4, Always: true}, miss}}, "cut-short after 500 (10.0 s)"},
		{&cell{Trials: []trial{miss, miss, miss}}, "cut-short after 500 (10.0 s)"},
	} {
		if got := tt.c.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for want, tr := range map[string]*trial{
		"":                                 nil,
		"clean, 12 runs (1.0 s)":           {Status: "clean", Attempts: 12, Seconds: 1, Reason: "all seen"},
		"**panic!** after 3 (0.5 s)":       {Status: "failing", Kind: "panic", Attempts: 3, Seconds: .5},
		"searched, 9 runs (1.0 s): a / b.": {Status: "searched", Attempts: 9, Seconds: 1, Reason: "a | b."},
	} {
		if got := tr.verdict(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The sums compare strategies on the same programs.
func TestTotal(t *testing.T) {
	cellOf := func(n ...int) *cell {
		c := &cell{}
		for _, n := range n {
			tr := trial{Status: "failing", Kind: "panic", Attempts: n}
			if n > 100 {
				tr = trial{Status: "searched", Attempts: n}
			}
			c.Trials = append(c.Trials, tr)
		}
		return c
	}
	rows := []*row{
		{Cells: map[string]*cell{"a": cellOf(1, 2, 3), "b": cellOf(10, 10, 10), "c": {NotBuilt: true}}},
		{Cells: map[string]*cell{"a": cellOf(5, 5, 5), "b": cellOf(200, 200, 9), "c": {NotBuilt: true}}},
	}
	always := &cell{Trials: []trial{{Status: "searched", Attempts: 9, Always: true}}}
	rows = append(rows,
		&row{Name: "always", Cells: map[string]*cell{"a": always, "b": always, "c": {NotBuilt: true}}},
		&row{Name: "deep", Cells: map[string]*cell{"a": always, "b": cellOf(200), "c": {NotBuilt: true}}})
	var b strings.Builder
	total(&b, rows, options{strategies: []string{"a", "b", "c"}})
	want := `
- a: 2 of 3 found; of the 1 that all found, runs 2 together, median 2; time 0.0 s together, median 0.00 s
- b: 1 of 3 found; of the 1 that all found, runs 10 together, median 10; time 0.0 s together, median 0.00 s
- found by none: deep
- 1 more fail under every schedule tried, which says nothing about strategies: always
`
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}

// An interrupted table has the row under way.
func TestPartialRow(t *testing.T) {
	r := &row{Name: "p", Cells: map[string]*cell{
		"a": {Trials: []trial{{Status: "failing", Kind: "panic", Attempts: 3, Seconds: 1}}}, "b": {}}}
	var b strings.Builder
	r.print(&b, options{strategies: []string{"a", "b"}, twin: "explore"})
	if want := "| p | 3 (1.0 s) | not run |  |\n"; b.String() != want {
		t.Errorf("got %s", b.String())
	}
}
