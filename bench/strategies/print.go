package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// head begins the table of a group, in Markdown.
func (g *group) head(w io.Writer, o options) {
	cols := append([]string{g.name}, o.strategies...)
	if g.paper {
		cols = append(cols, "paper: Cortex", "MCR", "ICB-DPOR")
	}
	if o.twin != "" {
		cols = append(cols, "fixed twin: "+o.twin)
	}
	fmt.Fprintf(w, "\n| %s |\n|%s\n", strings.Join(cols, " | "), strings.Repeat("---|", len(cols)))
}

func (r *row) print(w io.Writer, o options) {
	cells := []string{r.Name}
	if r.every() {
		cells[0] += " (every schedule)"
	}
	for _, s := range o.strategies {
		cells = append(cells, r.Cells[s].String())
	}
	if p := r.Paper; p != nil {
		cells = append(cells, fmt.Sprint(p.Cortex), fmt.Sprint(p.MCR), fmt.Sprint(p.ICBDPOR))
	}
	if o.twin != "" {
		cells = append(cells, r.Twin.verdict())
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	if r.Error != "" {
		fmt.Fprintf(w, "| | %s |\n", strings.ReplaceAll(r.Error, "|", "/"))
	}
}

// String is the median number of runs until the failure, and the median time;
// with how many of the searches found it, if not all. "all 40 fail" is no finding:
// nothing else than the failure was seen.
func (c *cell) String() string {
	switch {
	case c == nil:
		return ""
	case c.NotBuilt:
		return "not built"
	case len(c.Trials) == 0:
		return "not run"
	}
	m, n := c.median(), c.found()
	switch {
	case n == 0 && !slices.ContainsFunc(c.Trials, func(t trial) bool { return !t.Always }):
		return fmt.Sprintf("all %d fail (%.1f s)", m.Attempts, m.Seconds)
	case n == 0 && m.Status == "failing":
		return fmt.Sprintf("only races in %d (%.1f s)", m.Attempts, m.Seconds)
	case n == 0:
		return fmt.Sprintf("%s after %d (%.1f s)", m.Status, m.Attempts, m.Seconds)
	case n < len(c.Trials):
		return fmt.Sprintf("%d of %d: %s%d (%.1f s)", n, len(c.Trials), atLeast(m), m.Attempts, m.Seconds)
	}
	return fmt.Sprintf("%d (%.1f s)", m.Attempts, m.Seconds)
}

func atLeast(m trial) string {
	if m.Kind == "" {
		return "> "
	}
	return ""
}

// median is the search in the middle: those that found nothing come last.
func (c *cell) median() trial {
	sorted := slices.Clone(c.Trials)
	slices.SortStableFunc(sorted, func(a, b trial) int {
		if (a.Kind == "") != (b.Kind == "") {
			if a.Kind == "" {
				return 1
			}
			return -1
		}
		return a.Attempts - b.Attempts
	})
	return sorted[len(sorted)/2]
}

// found is how many searches found a failure.
func (c *cell) found() int {
	n := 0
	for _, t := range c.Trials {
		if t.Kind != "" {
			n++
		}
	}
	return n
}

// verdict is what a search said of a program without a known bug.
func (t *trial) verdict() string {
	switch {
	case t == nil:
		return ""
	case t.Kind != "":
		return fmt.Sprintf("**%s!** after %d (%.1f s)", t.Kind, t.Attempts, t.Seconds)
	}
	s := fmt.Sprintf("%s, %d runs (%.1f s)", t.Status, t.Attempts, t.Seconds)
	if t.Reason != "" && t.Status != "clean" {
		s += ": " + strings.ReplaceAll(t.Reason, "|", "/")
	}
	return s
}

// total sums a group up: of how many programs a strategy found a failure in most
// searches, and the middle of its medians over the programs where all strategies
// did, so that the same programs are compared. Programs that fail under every
// schedule tried are left out.
func total(w io.Writer, rows []*row, o options) {
	var every []string
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *row) bool {
		if r.every() {
			every = append(every, r.Name)
		}
		return r.every()
	})
	built := slices.DeleteFunc(slices.Clone(o.strategies), func(s string) bool {
		return !slices.ContainsFunc(rows, func(r *row) bool { return r.Cells[s] != nil && !r.Cells[s].NotBuilt })
	})
	fmt.Fprintln(w)
	for _, s := range built {
		fmt.Fprintln(w, "- "+sum(rows, s, built))
	}
	if missed := names(rows, func(r *row) bool { return !r.mostly(built...) }); len(missed) > 0 {
		fmt.Fprintf(w, "- found by none: %s\n", strings.Join(missed, ", "))
	}
	if len(every) > 0 {
		fmt.Fprintf(w, "- %d more fail under every schedule tried, which says nothing about strategies: %s\n", len(every), strings.Join(every, ", "))
	}
}

// sum is the line of one of the strategies.
func sum(rows []*row, strategy string, all []string) string {
	var common []trial
	found := 0
	for _, r := range rows {
		if r.mostly(strategy) {
			found++
		}
		if !slices.ContainsFunc(all, func(s string) bool { return !r.mostly(s) }) {
			common = append(common, r.Cells[strategy].median())
		}
	}
	line := fmt.Sprintf("%s: %d of %d found", strategy, found, len(rows))
	if len(common) == 0 {
		return line
	}
	attempts, seconds := 0, 0.0
	for _, t := range common {
		attempts += t.Attempts
		seconds += t.Seconds
	}
	line += fmt.Sprintf("; of the %d that all found, runs %d together", len(common), attempts)
	slices.SortFunc(common, func(a, b trial) int { return cmp.Compare(a.Attempts, b.Attempts) })
	line += fmt.Sprintf(", median %d", common[len(common)/2].Attempts)
	slices.SortFunc(common, func(a, b trial) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return line + fmt.Sprintf("; time %.1f s together, median %.2f s", seconds, common[len(common)/2].Seconds)
}

// mostly reports whether one of the strategies found a failure in most searches.
func (r *row) mostly(strategies ...string) bool {
	return slices.ContainsFunc(strategies, func(s string) bool {
		c := r.Cells[s]
		return c != nil && len(c.Trials) > 0 && c.median().Kind != ""
	})
}

func names(rows []*row, which func(*row) bool) (some []string) {
	for _, r := range rows {
		if which(r) {
			some = append(some, r.Name)
		}
	}
	return some
}
