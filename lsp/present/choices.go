package present

import (
	"fmt"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// Choice is one thing that can be done about a finding.
type Choice struct {
	Title  string
	Action Action
	ID     string
}

// ChoiceOptions say what can be done here.
type ChoiceOptions struct {
	Replay, Explain, Debug bool
	Runs                   int // of a replay
}

// maxBrief is the width of a finding's name in lists, in columns.
const maxBrief = 60

// Brief names a finding in a few words: "data race on Counter.n".
func Brief(f *report.Finding) string {
	s := what(f)
	if f.Kind == "data-race" && len(f.RootCause) > 0 && f.RootCause[0].Var != "" {
		s = "data race on " + f.RootCause[0].Var
	}
	return runewidth.Truncate(s, maxBrief, "…")
}

// Names tells findings apart: each by what it is, where that is not enough by its line
// too, and last by its id. The order is that of the items.
func Names(items []*Item) []string {
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = Brief(it.Finding)
	}
	distinguish(names, func(i int) string {
		if _, at, ok := items[i].Location(); ok {
			return fmt.Sprintf(" (line %d)", at.Line)
		}
		return ""
	})
	distinguish(names, func(i int) string { return " [" + items[i].Finding.ID + "]" })
	return names
}

// distinguish adds to those names that are not unique.
func distinguish(names []string, with func(i int) string) {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	for i, n := range names {
		if count[n] > 1 {
			names[i] += with(i)
		}
	}
}

// Choices are what can be done about a finding, in the order in which people want it;
// fixes aside, which their owner knows.
func (it *Item) Choices(opt ChoiceOptions) (out []Choice) {
	add := func(offered bool, title string, a Action) {
		if offered {
			out = append(out, Choice{title, a, it.Finding.ID})
		}
	}
	failed, runs := it.Replayed()
	add(opt.Explain, "Explain", Explain)
	add(opt.Explain, "Step through the schedule", Step)
	add(opt.Debug, "Debug this schedule", Debug)
	add(opt.Replay, fmt.Sprintf("Replay %s (failed %d/%d%s)", words.Count(opt.Runs, "time"), failed, runs, it.since()), Replay)
	add(it.State != Fixed, "Look for a fix", LookForFix)
	add(true, "Turn into concurrent breakpoints", BreakFrom)
	return out
}

// About says what state the finding is in, beside its name; "" if it is current.
func (it *Item) About() string {
	switch it.State {
	case Fixed:
		return "no longer fails"
	case Older:
		return "of an older version"
	}
	return strings.TrimPrefix(it.since(), ", ")
}
