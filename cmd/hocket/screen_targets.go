package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// What is said about targets without -v.
const (
	mostLines    = 10 // about single targets
	mostPackages = 12 // lines of the table
	mostNames    = 4  // in one line
)

// statuses in the order in which they are shown, what deserves a look first.
var statuses = []report.Status{report.Failing, report.Error, report.NotControllable, report.FailsAlways,
	report.CutShort, report.NotReached, report.Searched, report.Clean}

func inWords(s report.Status) string { return strings.ReplaceAll(string(s), "-", " ") }

// nameOf is the target's package and entry; what is known of a package as a whole
// has no entry.
func nameOf(t *report.Target) string { return strings.TrimSuffix(t.Package+" "+t.Entry, " ") }

// targets says what became of the targets: a table of their packages, if there are
// several, what is worth saying of single ones, the sum, and what to do next.
func (s screen) targets(rep *report.Report) {
	packages, all := tally(rep.Targets)
	if len(packages) > 1 {
		s.table(packages, all)
	}
	s.lines(targetLines(rep.Targets, s.verbose))
	runs := 0
	for _, t := range rep.Targets {
		runs += t.Runs
	}
	findings := words.Count(len(rep.Findings), "finding")
	if len(rep.Findings) > 0 {
		findings = s.paint(red, findings)
	}
	s.f("%s; %s in %s: %s.\n", findings, words.Count(runs, "run"), words.Count(all.targets(), "target"), all)
	if all.broken > 0 {
		s.f("%s could not be loaded.\n", words.Count(all.broken, "package"))
	}
	s.next(rep, all.of[report.CutShort]+all.of[report.NotReached])
}

// counts are numbers of targets.
type counts struct {
	name   string
	of     map[report.Status]int
	broken int // packages that could not be loaded, of which no target is known
}

func (c *counts) add(t *report.Target) {
	if t.Entry == "" {
		c.broken++
		return
	}
	c.of[t.Status]++
}

func (c *counts) targets() (n int) {
	for _, of := range c.of {
		n += of
	}
	return n
}

// String is "1 failing, 2 cut short"; "none" of no target.
func (c *counts) String() string {
	var parts []string
	for _, status := range statuses {
		if n := c.of[status]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, inWords(status)))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// tally counts the targets of each package, in the report's order, and all.
func tally(all []*report.Target) (packages []*counts, sum *counts) {
	sum = &counts{name: "all", of: map[report.Status]int{}}
	byName := map[string]*counts{}
	for _, t := range all {
		sum.add(t)
		if t.Entry == "" {
			continue
		}
		p := byName[t.Package]
		if p == nil {
			p = &counts{name: t.Package, of: map[report.Status]int{}}
			byName[t.Package] = p
			packages = append(packages, p)
		}
		p.add(t)
	}
	return packages, sum
}

// table has a line for each package and a column for each status that occurs.
func (s screen) table(packages []*counts, all *counts) {
	packages = s.abridged(packages)
	width := 0
	for _, p := range packages {
		width = max(width, len(p.name))
	}
	var head, rows strings.Builder
	fmt.Fprintf(&head, "%-*s", width, "")
	var columns []report.Status
	for _, status := range statuses {
		if all.of[status] > 0 {
			columns = append(columns, status)
			fmt.Fprintf(&head, "  %s", inWords(status))
		}
	}
	for _, p := range packages {
		fmt.Fprintf(&rows, "%-*s", width, p.name)
		for _, status := range columns {
			n := "-"
			if p.of[status] > 0 {
				n = fmt.Sprint(p.of[status])
			}
			fmt.Fprintf(&rows, "  %*s", len(inWords(status)), n)
		}
		rows.WriteString("\n")
	}
	s.f("%s\n%s\n", s.paint(bold, head.String()), rows.String())
}

// abridged are the packages of a table that is not too long: those in which there
// is something to look at, and one line for the others.
func (s screen) abridged(packages []*counts) []*counts {
	if s.verbose || len(packages) <= mostPackages {
		return packages
	}
	quiet := func(p *counts) bool { return p.of[report.Searched]+p.of[report.Clean] == p.targets() }
	first := slices.Clone(packages)
	slices.SortStableFunc(first, func(a, b *counts) int {
		switch {
		case quiet(a) == quiet(b):
			return 0
		case quiet(b):
			return -1
		}
		return 1
	})
	shown, rest := first[:mostPackages-1], first[mostPackages-1:]
	others := &counts{name: fmt.Sprintf("%d other packages", len(rest)), of: map[report.Status]int{}}
	for _, p := range rest {
		for status, n := range p.of {
			others.of[status] += n
		}
	}
	return append(slices.Clone(shown), others)
}

// targetLine is something worth saying of a target, or of several.
type targetLine struct {
	rank int // lower ones come first
	left int64
	text string
}

// shorter names targets without what the paths of all packages begin with.
func shorter(all []*report.Target) func(*report.Target) string {
	var common []string
	for i, t := range all {
		parts := strings.Split(t.Package, "/")
		if i == 0 {
			common = parts
		}
		n := 0
		for n < len(parts) && n < len(common) && parts[n] == common[n] {
			n++
		}
		common = common[:n]
	}
	begin := strings.Join(common, "/")
	return func(t *report.Target) string {
		rest := strings.TrimPrefix(strings.TrimPrefix(t.Package, begin), "/")
		return cmp.Or(strings.TrimSpace(rest+" "+t.Entry), t.Package)
	}
}

// targetLines are in the order in which they are worth reading: what is wrong, then
// what is unfinished, those first that need most, then remarks.
func targetLines(all []*report.Target, verbose bool) []targetLine {
	var lines []targetLine
	type kind struct {
		pkg, note string
		status    report.Status
	}
	alike := map[kind][]string{} // of one package, of which the same is said
	name := shorter(all)
	group := func(t *report.Target, note string) {
		k := kind{strings.TrimSuffix(strings.TrimSuffix(name(t), t.Entry), " "), note, t.Status}
		alike[k] = append(alike[k], t.Entry)
	}
	for _, t := range all {
		rank := slices.Index(statuses, t.Status)
		add := func(format string, args ...any) {
			lines = append(lines, targetLine{rank, t.NeedsMS, name(t) + ": " + fmt.Sprintf(format, args...)})
		}
		note := ""
		if t.Note != "" {
			note = ": " + t.Note
		}
		switch t.Status {
		case report.Error, report.NotControllable, report.FailsAlways:
			add("%s: %s%s", inWords(t.Status), t.Error, strings.Replace(note, ": ", "; ", 1))
		case report.CutShort:
			add("cut short after %s%s", covered(t), note)
		case report.NotReached:
			if verbose {
				add("not reached%s", note)
				continue
			}
			group(t, note)
		case report.Clean, report.Searched:
			switch {
			case t.Note != "" && verbose:
				add("%s, %s", t.Status, t.Note)
			case t.Note != "":
				group(t, ", "+t.Note)
			}
		default:
			if t.Note != "" {
				add("%s", t.Note)
			}
		}
	}
	for of, names := range alike {
		if len(names) > mostNames+1 {
			names = append(names[:mostNames:mostNames], fmt.Sprintf("%d others", len(names)-mostNames))
		}
		text := strings.Join(names, ", ")
		if of.status == report.NotReached {
			text = strings.TrimPrefix(of.pkg+": not reached: ", ": ") + text + of.note
		} else {
			text = strings.TrimSpace(of.pkg+" "+text) + ": " + string(of.status) + of.note
		}
		lines = append(lines, targetLine{rank: slices.Index(statuses, of.status), text: text})
	}
	slices.SortStableFunc(lines, func(a, b targetLine) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(b.left, a.left), strings.Compare(a.text, b.text))
	})
	return lines
}

// lines prints them, or the first ones.
func (s screen) lines(all []targetLine) {
	most := len(all)
	if !s.verbose && most > mostLines {
		most = mostLines
	}
	for _, l := range all[:most] {
		s.f("%s\n", l.text)
	}
	if more := len(all) - most; more > 0 {
		s.f("... and %s like these; -v shows all.\n", words.Count(more, "line"))
	}
}

// next says what is left of the planned search and how to go on.
func (s screen) next(rep *report.Report, unfinished int) {
	if unfinished == 0 {
		return
	}
	needs := rep.Needs()
	line := fmt.Sprintf("The planned search of %s is not complete", words.Count(unfinished, "target"))
	if s.interrupted {
		line = "Interrupted. " + line
	}
	if needs > 0 {
		line += fmt.Sprintf("; the rest needs about %s", roughly(needs))
	}
	line += ". "
	if s.resumes {
		line += "The next search goes on from here; "
	}
	switch {
	case needs == 0:
		line += "-budget gives it more time."
	case needs > longSearch:
		line += "-run and -schedules make it smaller."
	default:
		line += fmt.Sprintf("-budget %v gives it the time.", budgetFor(needs))
	}
	s.f("%s\n", s.paint(yellow, line))
}

// longSearch is longer than somebody is advised to wait.
const longSearch = 2 * time.Hour

// budgetFor is a round time that is enough for a search and its builds.
func budgetFor(needs time.Duration) string {
	d := needs + needs/5 + 10*time.Second
	if d <= 90*time.Second {
		return fmt.Sprintf("%ds", int((d+9*time.Second)/(10*time.Second))*10)
	}
	return fmt.Sprintf("%dm", int((d+time.Minute-1)/time.Minute))
}

// roughly is a time as people say it.
func roughly(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return words.Count(int(max(d.Round(time.Second), time.Second)/time.Second), "second")
	case d < 100*time.Minute:
		return words.Count(int(d.Round(time.Minute)/time.Minute), "minute")
	case d < 48*time.Hour:
		return words.Count(int(d.Round(time.Hour)/time.Hour), "hour")
	}
	return words.Count(int(d.Round(24*time.Hour)/(24*time.Hour)), "day")
}

// covered says what was tried of a target, and what the rest needs.
func covered(t *report.Target) string {
	tried, plan := t.Searched.Attempts+t.Searched.Earlier, t.Searched.Planned+t.Searched.Earlier
	s := words.Count(tried, "schedule")
	if plan > 0 {
		s = fmt.Sprintf("%d of %d schedules", tried, plan)
	}
	if t.Searched.TotalMS > 0 {
		s += fmt.Sprintf(" in %.1fs", float64(t.Searched.TotalMS)/1000)
	}
	if t.NeedsMS > 0 {
		s += fmt.Sprintf(", the rest needs about %s", roughly(time.Duration(t.NeedsMS)*time.Millisecond))
	}
	return s
}
