package breakview

import (
	"fmt"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/present"
)

// RunLine is the outcome, in one line for users, of runs of something with
// breakpoints.
func RunLine(what string, r *engine.BreakRun) string {
	s := fmt.Sprintf("%s with breakpoints: hit %d/%d, failed %d", what, r.Hits, r.Runs, r.Failed)
	if r.Plain.Runs > 0 {
		s += fmt.Sprintf("; without, %d of %d failed", r.Plain.Failed, r.Plain.Runs)
	}
	if len(r.Failures) > 0 {
		s += "; " + present.Clip(words.OneLine(r.Failures[0].Message), 120)
	}
	for _, b := range r.Breakpoints {
		if b.Lost != "" {
			s += fmt.Sprintf("; %s was left out: %s", b.ID, words.OneLine(b.Lost))
		} else if len(b.Notes) > 0 {
			s += fmt.Sprintf("; %s: %s", b.ID, words.OneLine(b.Notes[0]))
		}
	}
	for _, n := range r.Notes {
		s += "; " + words.OneLine(n)
	}
	return s
}
