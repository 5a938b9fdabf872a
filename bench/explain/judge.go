package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/programs"
	"github.com/hocket-dev/hocket/engine/report"
)

// result is what was found of one program.
type result struct {
	program  programs.Case
	finding  *report.Finding // nil: nothing was found
	findings int             // of the one bug that the program has
	missing  []programs.TrueLine
	extra    []report.Access // entries that name none of the true lines
}

// judge takes the finding that names most of the true lines, of equal ones the first.
func judge(c programs.Case, all []*report.Finding) result {
	r := result{program: c, findings: len(all), missing: c.Truth.RootCause}
	for _, f := range all {
		missing := missingOf(c.Truth.RootCause, f.RootCause)
		if r.finding == nil || len(missing) < len(r.missing) {
			r.finding, r.missing = f, missing
		}
	}
	if r.finding != nil {
		for _, a := range r.finding.RootCause {
			if !slices.ContainsFunc(c.Truth.RootCause, func(l programs.TrueLine) bool { return names(a, l) }) {
				r.extra = append(r.extra, a)
			}
		}
	}
	return r
}

func missingOf(lines []programs.TrueLine, cause []report.Access) (missing []programs.TrueLine) {
	for _, l := range lines {
		if !slices.ContainsFunc(cause, func(a report.Access) bool { return names(a, l) }) {
			missing = append(missing, l)
		}
	}
	return missing
}

// names reports whether an access is at the line, itself or by its call.
func names(a report.Access, l programs.TrueLine) bool {
	at := func(file string, line int) bool {
		return isFile(file, l.File) && (line == l.Line || slices.Contains(l.Or, line))
	}
	return at(a.File, a.Line) || a.Call != nil && at(a.Call.File, a.Call.Line)
}

// isFile compares the name of a file with one that is relative to its module, which
// may be a dependency: "example.com/m@v1.2.3/file.go".
func isFile(name, relative string) bool {
	if _, version, ok := strings.Cut(name, "@"); ok {
		_, name, _ = strings.Cut(version, "/")
	}
	return name == relative
}

func (r *result) complete() bool { return r.finding != nil && len(r.missing) == 0 }

// rows of the explanation; 0 if there is none.
func (r *result) rows() int {
	if r.finding == nil {
		return 0
	}
	return len(r.finding.RootCause)
}

func (r *result) took() time.Duration {
	return time.Duration(r.finding.ExplainedMS) * time.Millisecond
}

// summary counts what is to be counted, and takes the medians over what was found.
func summary(all []result) string {
	var complete, found, named, lines, natively int
	var rows, findings []int
	var took []time.Duration
	for i := range all {
		r := &all[i]
		lines += len(r.program.Truth.RootCause)
		named += len(r.program.Truth.RootCause) - len(r.missing)
		if r.complete() {
			complete++
		}
		if r.finding == nil {
			continue
		}
		found++
		if c := r.finding.Confirmed; c == report.Native || c == report.RaceProved {
			natively++
		}
		rows, findings = append(rows, r.rows()), append(findings, r.findings)
		if r.finding.ExplainedMS > 0 {
			took = append(took, r.took())
		}
	}
	return fmt.Sprintf("complete %d of %d (found %d; %d of %d true lines named); median %v rows, %v findings, %.1f s to explain; %d confirmed on the ordinary build or as a race",
		complete, len(all), found, named, lines, median(rows), median(findings), median(took).Seconds(), natively)
}

// median of a list, 0 of an empty one; of an even number the lower one.
func median[T int | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[(len(list)-1)/2]
}
