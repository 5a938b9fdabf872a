package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

const header = `| system | events | given | solver | sat | unsat | unknown | median ms | most ms | MB | cancelled after ms | |
|---|---|---|---|---|---|---|---|---|---|---|---|`

// row of the long table: one system and one solver.
func (m measured) row() string {
	sat, unsat, unknown := m.counts()
	note := m.Error
	for _, a := range m.Goals {
		if a.Wrong != "" {
			note = fmt.Sprintf("WRONG: %s: %s", a.Name, a.Wrong)
		}
	}
	system := fmt.Sprintf("%s cap %d", m.Shape, m.Shape.Cap)
	if m.Trace != "" {
		system = "trace"
	}
	times := m.times()
	return fmt.Sprintf("| %s | %d | %s | %s | %d | %d | %d | %s | %s | %.0f | %s | %s |",
		system, m.Events, m.given(), m.Solver, sat, unsat, unknown,
		number(median(times)), number(most(times)), m.RSS, number(m.Cancel), note)
}

func (m measured) given() string {
	if m.Ordered {
		return "order"
	}
	return "paths"
}

func (m measured) counts() (sat, unsat, unknown int) {
	for _, a := range m.Goals {
		switch a.Status {
		case "sat":
			sat++
		case "unsat":
			unsat++
		default:
			unknown++
		}
	}
	return sat, unsat, unknown
}

func (m measured) decided() int {
	sat, unsat, _ := m.counts()
	return sat + unsat
}

// times of the goals that were decided, in ms.
func (m measured) times() []float64 {
	var all []float64
	for _, a := range m.Goals {
		if a.Status != "unknown" {
			all = append(all, a.MS)
		}
	}
	return all
}

// timeAllowed of the design for one goal; 0: none.
func timeAllowed(events int, ordered bool) time.Duration {
	if !ordered {
		if events <= 1200 {
			return 60 * time.Second
		}
		return 0
	}
	for _, b := range []struct {
		events int
		time   time.Duration
	}{{1000, 50 * time.Millisecond}, {3000, 200 * time.Millisecond}, {10_000, time.Second}, {100_000, 30 * time.Second}} {
		if events <= b.events*12/10 {
			return b.time
		}
	}
	return 0
}

// group is a solver in a mode at a size: that which was asked for, or of the
// recorded run.
type group struct {
	size    int
	ordered bool
	solver  string
}

func (m measured) group() group {
	if m.Trace != "" {
		return group{m.Events, m.Ordered, m.Solver}
	}
	return group{m.Shape.Events, m.Ordered, m.Solver}
}

// summary is the short table: all systems of a size together, then how time
// grows.
func summary(w io.Writer, all []measured) {
	groups := map[group][]measured{}
	for _, m := range all {
		g := m.group()
		groups[g] = append(groups[g], m)
	}
	var keys []group
	for g := range groups {
		keys = append(keys, g)
	}
	slices.SortFunc(keys, func(a, b group) int {
		return cmp.Or(cmp.Compare(order(b.ordered), order(a.ordered)), cmp.Compare(a.size, b.size), cmp.Compare(a.solver, b.solver))
	})
	fmt.Fprintln(w, "| given | events | solver | decided | median ms | most ms | budget ms | within | MB |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|")
	for _, g := range keys {
		var times []float64
		var goals, within int
		rss := 0.0
		limit := timeAllowed(g.size, g.ordered)
		for _, m := range groups[g] {
			goals += len(m.Goals)
			rss = max(rss, m.RSS)
			for _, t := range m.times() {
				times = append(times, t)
				if limit > 0 && t <= ms(limit) {
					within++
				}
			}
		}
		budgeted, inside := "-", "-"
		if limit > 0 {
			budgeted, inside = fmt.Sprintf("%.0f", ms(limit)), fmt.Sprintf("%d/%d", within, goals)
		}
		fmt.Fprintf(w, "| %s | %d | %s | %d/%d | %s | %s | %s | %s | %.0f |\n",
			measured{job: job{Ordered: g.ordered}}.given(), g.size, g.solver, len(times), goals,
			number(median(times)), number(most(times)), budgeted, inside, rss)
	}
	fmt.Fprintln(w)
	for _, s := range series(all) {
		if k, ok := s.exponent(); ok {
			fmt.Fprintf(w, "%s: time grows as events^%.2f (medians of %d sizes)\n", s.name, k, len(s.points))
		}
	}
}

func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

func median(all []float64) float64 {
	if len(all) == 0 {
		return -1
	}
	s := slices.Sorted(slices.Values(all))
	return s[len(s)/2]
}

func most(all []float64) float64 {
	if len(all) == 0 {
		return -1
	}
	return slices.Max(all)
}

// number prints a time; none is a dash.
func number(v float64) string {
	switch {
	case v < 0:
		return "-"
	case v < 10:
		return fmt.Sprintf("%.1f", v)
	}
	return strings.TrimSpace(fmt.Sprintf("%.0f", v))
}
