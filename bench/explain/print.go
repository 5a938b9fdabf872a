package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine/report"
)

func heading(w io.Writer) *table.Table {
	return table.New(w, "program         ", "named", "complete", "rows", "beyond", "findings", "kind/class                      ", "confirmed ", "with order", "plainly", "sec to explain")
}

func (r *result) row(t *table.Table) {
	lines := len(r.program.Truth.RootCause)
	named := fmt.Sprintf("%d/%d", lines-len(r.missing), lines)
	f := r.finding
	if f == nil {
		t.Row(r.program.Name, named, "not found", 0, 0, 0)
		return
	}
	complete, took := "no", "not explained"
	if r.complete() {
		complete = "yes"
	}
	if f.ExplainedMS > 0 {
		took = fmt.Sprintf("%14.1f", r.took().Seconds())
	}
	t.Row(r.program.Name, named, complete, r.rows(), len(r.extra), r.findings, f.Kind+"/"+f.Class, string(f.Confirmed), ratio(f.Native), ratio(f.Baseline), took)
}

// details are the sentences, side by side, and what differs from the truth.
func (r *result) details(w io.Writer) {
	fmt.Fprintf(w, "\n%s (%s)\n", r.program.Name, r.program.Truth.Kind)
	fmt.Fprintf(w, "  expected: %s\n", cmp.Or(r.program.Truth.Sentence, r.program.Truth.Mechanism, r.program.Truth.Fix, "(nobody wrote a sentence)"))
	if r.finding == nil {
		fmt.Fprintln(w, "  actual:   (not found)")
		return
	}
	fmt.Fprintf(w, "  actual:   %s\n", cmp.Or(r.finding.Sentence, "(no sentence)"))
	for _, l := range r.missing {
		fmt.Fprintf(w, "  missing:  %s:%d %s\n", l.File, l.Line, l.What)
	}
	for _, a := range r.extra {
		fmt.Fprintf(w, "  beyond:   %s:%d %s %s (%s)\n", a.File, a.Line, a.Op, a.Var, a.Goroutine)
	}
}

func ratio(c *report.Count) string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%d/%d", c.Failed, c.Runs)
}
