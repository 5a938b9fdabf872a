package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/words"
)

// byRank orders the statuses of a find's targets: the first that any target has
// is the status of the whole.
var byRank = []report.Status{report.Failing, report.Error, report.NotControllable, report.FailsAlways, report.CutShort, report.NotReached, report.Searched, report.Clean}

// statusOf is the status of a whole find.
func statusOf(rep *engine.Report) report.Status {
	has := map[report.Status]bool{}
	for _, t := range rep.Targets {
		has[t.Status] = true
	}
	if len(rep.Findings) > 0 {
		return report.Failing
	}
	for _, s := range byRank {
		if has[s] {
			return s
		}
	}
	return report.Searched
}

// outcomeOf summarizes a find in one line for users, and says what
// they should know of it: that not all was searched, that its findings are stored
// elsewhere, or not at all.
func outcomeOf(what string, rep *engine.Report) string {
	line := foundIn(what, rep)
	if n := unfinished(rep); n > 0 && len(rep.Targets) > 1 && len(rep.Findings) > 0 {
		line += fmt.Sprintf("; %d of %s cut short or not reached", n, words.Count(len(rep.Targets), "target"))
	}
	for _, w := range rep.Warnings {
		line += "; " + words.OneLine(w)
	}
	return line
}

// unfinished counts the targets whose planned search is not complete.
func unfinished(rep *engine.Report) (n int) {
	for _, t := range rep.Targets {
		if t.Status == report.CutShort || t.Status == report.NotReached {
			n++
		}
	}
	return n
}

func foundIn(what string, rep *engine.Report) string {
	switch n := len(rep.Findings); n {
	case 0:
		return what + ": " + nothingFound(rep)
	case 1:
		f := rep.Findings[0]
		return fmt.Sprintf("%s: %s; %s", entryOr(what, f), words.OneLine(f.Headline()), shortEvidence(f))
	default:
		return fmt.Sprintf("%s: %d findings; the first: %s", what, n, words.OneLine(rep.Findings[0].Headline()))
	}
}

// entryOr names the finding's entry where the whole package was searched.
func entryOr(what string, f *engine.Finding) string {
	if f.Entry == "" || strings.HasPrefix(f.Entry, what) {
		return what
	}
	return f.Entry
}

// shortEvidence is how surely it fails.
func shortEvidence(f *engine.Finding) string {
	s := fmt.Sprintf("fails %s replays", f.Replay)
	if f.OnlyControlled() {
		s += ", seen only under control"
	}
	return s
}

// largerBudget is what to do about a search that was cut short, unless it was
// cancelled.
const largerBudget = "; a larger budget continues the search"

func nothingFound(rep *engine.Report) string {
	attempts := 0
	for _, t := range rep.Targets {
		attempts += t.Searched.Attempts
	}
	tried := words.Count(attempts, "schedule") + " tried"
	first := func(s report.Status) string {
		for _, t := range rep.Targets {
			if t.Status == s && t.Error != "" {
				return ": " + words.OneLine(t.Error)
			}
		}
		return ""
	}
	switch s := statusOf(rep); s {
	case report.Error:
		return "can't be searched" + first(s)
	case report.NotControllable:
		return "can't be controlled" + first(s)
	case report.FailsAlways:
		text := "fails under every schedule, so it is not a concurrency bug" + first(s)
		if len(rep.Targets) == 1 && rep.Targets[0].Note != "" {
			text += "; " + rep.Targets[0].Note
		}
		return text
	case report.NotReached:
		return "not reached" + largerBudget
	case report.CutShort:
		return "nothing found, cut short (" + tried + ")" + largerBudget
	case report.Clean:
		if len(rep.Targets) == 1 && rep.Targets[0].Note != "" {
			return "no schedule fails, " + rep.Targets[0].Note
		}
		return "no schedule fails, proved (" + tried + ")"
	default:
		s := "nothing found (" + tried + ")"
		if len(rep.Targets) == 1 && rep.Targets[0].Note != "" {
			s += ", " + rep.Targets[0].Note
		}
		return s
	}
}

// idsOf lists the findings of a report.
func idsOf(rep *engine.Report) []string {
	ids := []string{}
	for _, f := range rep.Findings {
		ids = append(ids, f.ID)
	}
	return ids
}

// progressLine says where a job is: "12 schedules tried, 2900/min, at most 40 s left,
// best: ...". A search seldom spends all schedules that it may: counted of these, it
// would read as stuck. Its time is what ends it, if there is a limit.
func progressLine(u engine.Update) string {
	var parts []string
	running := u.Phase == engine.Searching || u.Phase == engine.Replaying
	if u.Phase != "" && !running {
		parts = append(parts, string(u.Phase))
	}
	switch {
	case u.Phase == engine.Replaying && u.Planned > 0:
		parts = append(parts, fmt.Sprintf("%d of %d replays", u.Schedules, u.Planned))
	case u.Phase == engine.Searching && u.Planned > 0 && u.Left < 0:
		parts = append(parts, fmt.Sprintf("%s tried of at most %d", words.Count(u.Schedules, "schedule"), u.Planned))
	case u.Schedules > 0 || u.Phase == engine.Searching:
		parts = append(parts, words.Count(u.Schedules, "schedule")+" tried")
	}
	if u.PerMinute > 0 {
		parts = append(parts, fmt.Sprintf("%.0f/min", u.PerMinute))
	}
	if u.Left >= 0 && u.Phase == engine.Searching {
		parts = append(parts, "at most "+remaining(u.Left)+" left")
	}
	if u.Best != "" {
		parts = append(parts, "best: "+words.OneLine(u.Best))
	}
	return strings.Join(parts, ", ")
}

// remaining is "40 s", or "3 min".
func remaining(d time.Duration) string {
	if d < 100*time.Second {
		return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute)/time.Minute))
}

// percentage of a job; it never reaches 100 before the end.
func percentage(u engine.Update) int {
	share := 0.0
	if u.Planned > 0 {
		share = float64(u.Schedules) / float64(u.Planned)
	}
	// A search that does not spend all its schedules ends by its budget.
	if u.Left >= 0 && u.Elapsed+u.Left > 0 {
		share = max(share, float64(u.Elapsed)/float64(u.Elapsed+u.Left))
	}
	return int(100 * min(max(share, 0), 0.99))
}
