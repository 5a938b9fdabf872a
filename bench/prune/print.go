package main

import (
	"fmt"
	"io"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine/report"
)

// part is how many of a whole remain.
type part struct{ of, remain int }

// pruned is the share that is left out, in percent.
func (p part) pruned() float64 {
	if p.of == 0 {
		return 0
	}
	return 100 * float64(p.of-p.remain) / float64(p.of)
}

func (p part) String() string {
	percent := p.pruned()
	if p.remain > 0 {
		percent = min(percent, 99)
	}
	return fmt.Sprintf("%d of %d, -%.0f%%", p.remain, p.of, percent)
}

// sum gathers the shares of a column.
type sum struct {
	percent float64
	n       int
}

func (s *sum) add(p part) part {
	s.percent += p.pruned()
	s.n++
	return p
}

func (s *sum) String() string {
	if s.n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", s.percent/float64(s.n))
}

// events of the finding's projection by the papers' definition.
func events(f *report.Finding) part {
	return part{f.Projection.EventsFull, f.Projection.Events + f.Projection.Reordered}
}

func flows(f *report.Finding) part { return part{f.Projection.DataflowsFull, f.Projection.Dataflows} }

// rows are the events that are shown.
func rows(f *report.Finding) part { return part{f.Projection.EventsFull, len(f.RootCause)} }

// orders are what the failure was narrowed down to, of what was compared.
func orders(f *report.Finding) string {
	if f.Cause == nil {
		return "-"
	}
	return fmt.Sprintf("%d of %d", len(f.Cause.Orders), f.Cause.Compared)
}

// runs are those made to find the orders and to test them; the failure came in all
// that had them.
func runs(f *report.Finding) string {
	if f.Cause == nil {
		return "-"
	}
	return fmt.Sprintf("%d, %d", f.Cause.Made, f.Cause.Runs)
}

func seconds(f *report.Finding) string { return fmt.Sprintf("%.1f", float64(f.ExplainedMS)/1000) }

func printSymbiosis(w io.Writer, found map[string]*report.Finding) {
	fmt.Fprintln(w, "Symbiosis, Tables II and III: ours | the paper's")
	t := table.New(w, "program  ", "events that differ  ", "| paper           ", "data flows that differ", "| paper         ", "rows",
		"| ops to grok", "orders, of compared", "runs made, held", "| pairs", "switches", "| paper  ", "solver calls", "| paper", "sec to explain", "| reduction")
	var ev, df, row, paperEv, paperDF sum
	for _, p := range symbiosis {
		f, done := found[p.program]
		if !done {
			continue
		}
		pe, pd := part{p.events, p.inDSP}, part{p.flows, p.flowsDSP}
		switches := fmt.Sprintf("| %d, %d", p.switches, p.after)
		if f == nil {
			t.Row(p.paper, "not found", "| "+pe.String(), "", "| "+pd.String(), "", fmt.Sprintf("| %d", p.grok), "", "", fmt.Sprintf("| %d", p.pairs), "", switches, "", fmt.Sprintf("| %d", p.calls), "", "| "+p.took)
			continue
		}
		row.add(rows(f))
		t.Row(p.paper, ev.add(events(f)), "| "+paperEv.add(pe).String(), df.add(flows(f)), "| "+paperDF.add(pd).String(),
			len(f.RootCause), fmt.Sprintf("| %d", p.grok), orders(f), runs(f), fmt.Sprintf("| %d", p.pairs),
			fmt.Sprintf("%d, %d", f.Schedule.Found, f.Schedule.Switches), switches, f.Schedule.Solves, fmt.Sprintf("| %d", p.calls), seconds(f), "| "+p.took)
	}
	summary(w, &ev, &df, &row, &paperEv, &paperDF)
}

func printCortex(w io.Writer, found map[string]*report.Finding) {
	fmt.Fprintln(w, "\nCortex, Table 4 (tries: Table 2): ours | the paper's; * depends on the schedule only")
	t := table.New(w, "program     ", "events that differ  ", "| paper              ", "data flows that differ", "| paper           ", "branches", "rows",
		"orders, of compared", "runs made, held", "switches", "attempts", "| tries", "sec to explain")
	var ev, df, row, paperEv, paperDF sum
	for _, p := range cortex {
		f, done := found[p.program]
		if !done {
			continue
		}
		pe, pd, tries := part{p.events, p.inDPSP}, part{p.flows, p.flowsDPSP}, "| -"
		if p.tries > 0 {
			tries = fmt.Sprintf("| %d", p.tries)
		}
		if f == nil {
			t.Row(p.paper, "not found", "| "+pe.String(), "", "| "+pd.String(), "", "", "", "", "", "", tries)
			continue
		}
		row.add(rows(f))
		t.Row(p.paper, ev.add(events(f)), "| "+paperEv.add(pe).String(), df.add(flows(f)), "| "+paperDF.add(pd).String(),
			f.Projection.Branches, len(f.RootCause), orders(f), runs(f), fmt.Sprintf("%d, %d", f.Schedule.Found, f.Schedule.Switches),
			f.Search.Attempts, tries, seconds(f))
	}
	summary(w, &ev, &df, &row, &paperEv, &paperDF)
}

// summary has the means of the shares, of the programs whose bug was found.
func summary(w io.Writer, ev, df, row, paperEv, paperDF *sum) {
	if ev.n == 0 {
		return
	}
	fmt.Fprintf(w, "left out on average (programs: %d): %s of the events (paper %s), %s of the data flows (paper %s); with the rows alone, %s of the events\n",
		ev.n, ev, paperEv, df, paperDF, row)
}
