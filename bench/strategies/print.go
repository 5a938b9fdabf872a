package main

import (
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
// with how many of the searches found it, if not all.
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
// did, so that the same programs are compared.
func total(w io.Writer, rows []*row, o options) {
	if len(rows) == 0 {
		return
	}
	var built []string
	for _, s := range o.strategies {
		if c := rows[0].Cells[s]; c != nil && !c.NotBuilt {
			built = append(built, s)
		}
	}
	mostly := func(r *row, s string) bool {
		c := r.Cells[s]
		return c != nil && len(c.Trials) > 0 && c.median().Kind != ""
	}
	fmt.Fprintln(w)
	for _, s := range built {
		n, attempts, seconds := 0, []int{}, []float64{}
		for _, r := range rows {
			if mostly(r, s) {
				n++
			}
			if !slices.ContainsFunc(built, func(other string) bool { return !mostly(r, other) }) {
				m := r.Cells[s].median()
				attempts, seconds = append(attempts, m.Attempts), append(seconds, m.Seconds)
			}
		}
		line := fmt.Sprintf("- %s: %d of %d found", s, n, len(rows))
		if len(attempts) > 0 {
			slices.Sort(attempts)
			slices.Sort(seconds)
			sum, all := 0, 0.0
			for i := range attempts {
				sum += attempts[i]
				all += seconds[i]
			}
			line += fmt.Sprintf("; of the %d that all found, runs %d together, median %d; time %.1f s together, median %.2f s",
				len(attempts), sum, attempts[len(attempts)/2], all, seconds[len(seconds)/2])
		}
		fmt.Fprintln(w, line)
	}
}
