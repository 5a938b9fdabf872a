package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/breaks"
)

// stat adds up what all runs report of one breakpoint.
func (r *breakRunner) stat(b *Break) BreakStat {
	out := BreakStat{ID: b.ID, Lost: r.prog.lost[b.ID], Notes: []string{}, Sides: []BreakSideStat{}}
	for _, s := range b.Sides {
		line := s.Location.Line
		if s.Lost != "" {
			line = s.Place.Line
		}
		out.Sides = append(out.Sides, BreakSideStat{Place: fmt.Sprintf("%s:%d", filepath.Base(s.Place.File), line)})
	}
	i := slices.IndexFunc(r.prog.Breakpoints, func(n breaks.Numbered) bool { return n.ID == b.ID && n.Lost == "" })
	if i < 0 {
		return out
	}
	number := r.prog.Breakpoints[i].Number
	out.Hit = r.hits(number)
	var held, faults []string
	for _, run := range r.runs {
		s := run.Report.Breaks[number]
		if s == nil {
			continue
		}
		for j := range out.Sides {
			side := &out.Sides[j]
			side.Reached += at(s.Reached, j)
			side.Postponed += at(s.Postponed, j)
			side.TimedOut += at(s.TimedOut, j)
			side.Released += at(s.Released, j)
		}
		held, faults = join(held, s.Held), join(faults, s.Faults)
	}
	out.Notes = append(out.Notes, whyNotHit(b, out, len(r.runs))...)
	out.Notes = append(out.Notes, held...)
	for _, f := range faults {
		out.Notes = append(out.Notes, "the condition could not be computed, which counts as false: "+f)
	}
	return out
}

func at(counts []int, i int) int {
	if i < len(counts) {
		return counts[i]
	}
	return 0
}

// join adds lines that are not there yet, a few at most.
func join(have, more []string) []string {
	const most = 4
	for _, line := range more {
		if len(have) < most && !slices.ContainsFunc(have, func(h string) bool { return breaks.Alike(h) == breaks.Alike(line) }) {
			have = append(have, line)
		}
	}
	return have
}

// whyNotHit says what kept the sides from meeting.
func whyNotHit(b *Break, s BreakStat, runs int) []string {
	if s.Hit == runs || runs == 0 {
		return nil
	}
	var never, reached []string
	waited, released := 0, 0
	for i, side := range s.Sides {
		name := fmt.Sprintf("side %d (%s)", i+1, side.Place)
		if side.Reached == 0 {
			never = append(never, name)
		} else {
			reached = append(reached, fmt.Sprintf("%s %s", name, times(side.Reached)))
		}
		waited += side.Postponed
		released += side.Released
	}
	missed := fmt.Sprintf("not hit in %d of %s: ", runs-s.Hit, plural(runs, "run"))
	if s.Hit == 0 {
		missed = "never hit: "
	}
	switch {
	case len(never) == len(s.Sides):
		return []string{missed + "no side was ever reached"}
	case len(never) > 0:
		return []string{missed + strings.Join(never, " and ") + " was never reached"}
	case s.Hit > 0:
		return []string{missed + "the sides were not there together; a longer time-out may help"}
	case waited == 0 && b.If != "":
		return []string{missed + strings.Join(reached, ", ") + " were reached, but nobody waited: what " + b.If + " asks of one side never held"}
	case b.If != "":
		return []string{missed + strings.Join(reached, ", ") + " were reached, but " + b.If + " never held for two goroutines at once"}
	case released > 0:
		return []string{missed + strings.Join(reached, ", ") + " were reached, but whoever waited was let go early, since nobody else could go on"}
	}
	return []string{missed + strings.Join(reached, ", ") + " were reached, but by one goroutine only, or not within the time-out of each other"}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
