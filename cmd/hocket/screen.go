package main

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// screen is where the text of a find goes.
type screen struct {
	*printer
	files       *sources // for the lines of findings; nil: they are not shown
	verbose     bool
	resumes     bool // the next search goes on where this one stopped
	interrupted bool // the search was, by Ctrl-C
}

func screenOf(w io.Writer, overlay map[string]string) screen {
	files := sourcesHere(overlay)
	return screen{printer: &printer{w: w, style: styleOf(w, files)}, files: files}
}

func printReport(s screen, rep *report.Report, asJSON bool) error {
	if asJSON {
		return printJSON(s.w, rep)
	}
	for _, f := range rep.Findings {
		if f.SameAs == "" {
			s.finding(f)
		}
	}
	s.recorded(rep)
	s.sameCause(rep.Findings)
	s.withheld(rep)
	s.targets(rep)
	return s.err
}

// recorded says what came of a recorded run, unless a finding does.
func (s screen) recorded(rep *report.Report) {
	r := rep.Recorded
	if r == nil || slices.ContainsFunc(rep.Findings, func(f *report.Finding) bool { return f.Recorded != nil }) {
		return
	}
	s.f("%s\n", r.Words())
	if r.Failure != "" {
		s.f("    its failure: %s\n", r.Failure)
		if why := unexplained(rep); why != "" {
			s.f("    %s\n", why)
		}
	}
	if r.Undirected != "" {
		s.f("    no controlled run was directed along it: %s\n", r.Undirected)
	}
}

// unexplained says why the failure of a recorded run is no finding; "" if the lines of
// the targets do.
func unexplained(rep *report.Report) string {
	runs := 0
	if p := rep.Recorded.Paths; p != nil {
		if runs = p.Attempts; p.Found {
			return "the search ended before that run was confirmed: the cause is not known"
		}
	}
	for _, t := range rep.Targets {
		runs += t.Runs
		seen := func(w report.Withheld) bool { return rep.Recorded.Is(w.Kind, w.Message) }
		switch {
		case t.Status == report.FailsAlways:
			return ""
		case slices.ContainsFunc(t.Withheld, seen):
			return "controlled runs failed in this way, but it is not reported: -v says why"
		}
	}
	if runs == 0 {
		return "no controlled run was made: the cause is not known"
	}
	return "no controlled run failed in this way: the cause is not known"
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func (s screen) finding(f *report.Finding) {
	s.f("%s  %s %s: %s\n", s.paint(bold, f.ID), f.Package, f.Entry, s.paint(red, f.Headline()))
	if text := s.files.line(f.Failure.File, f.Failure.Line); text != "" {
		s.f("    %s:  %s\n", f.Failure, s.paint(bold, text))
	}
	if f.Sentence != "" {
		s.f("    %s\n", f.Sentence)
	}
	if f.Reached != nil {
		s.f("    %s\n", f.Reached.Words)
	}
	s.f("    %s\n", f.Evidence())
	if story := f.Search.Story(); story != "" {
		s.f("    %s\n", story)
	}
	if also := f.AlsoSeen(); also != "" {
		s.f("    %s\n", also)
	}
	for i, a := range f.RootCause {
		s.f("    %d. %s\n", i+1, a)
	}
	for _, b := range f.Blocked {
		s.f("    %s\n", b)
	}
	s.fixes(f)
	if !f.Unkept {
		next := "hocket explain " + f.ID + "   hocket replay -n 100 " + f.ID
		if len(f.Fixes) == 0 && f.Memory == "" {
			next += "   hocket fix " + f.ID
		}
		s.f("    %s\n", s.paint(dim, next))
	}
	s.f("\n")
}

// fixes has a line for the first fix that holds, or says why there is none.
func (s screen) fixes(f *report.Finding) {
	switch {
	case len(f.Fixes) > 0 && f.Fixes[0].Verified != "":
		first := &f.Fixes[0]
		s.f("    fix: %s (%s)\n    %s\n", s.paint(bold, first.Title), verdictOf(first), s.paint(dim, "hocket fix "+f.ID+"   hocket fix -apply "+f.ID))
	case f.NoFix != "":
		s.f("    %s\n", f.NoFix)
		if len(f.Fixes) > 0 {
			s.f("    %s\n", s.paint(dim, "hocket fix -all "+f.ID))
		}
	}
}

// sameCause has a line for each finding of a cause that another one shows.
func (s screen) sameCause(all []*report.Finding) {
	n := 0
	for _, f := range all {
		if f.SameAs != "" {
			s.f("%s  %s %s: %s, same cause as %s\n", s.paint(bold, f.ID), f.Package, f.Entry, f.Headline(), f.SameAs)
			n++
		}
	}
	if n > 0 {
		s.f("\n")
	}
}

// withheld lists what was seen and is no finding, or says how much that is.
func (s screen) withheld(rep *report.Report) {
	n := 0
	for _, t := range rep.Targets {
		n += len(t.Withheld)
		for _, seen := range t.Withheld {
			if s.verbose {
				s.f("%s: seen and not reported: %s\n", nameOf(t), seen)
			}
		}
	}
	if n > 0 && !s.verbose {
		s.f("%s seen and not reported; -v says what and why.\n", words.Count(n, "failure"))
	}
}
