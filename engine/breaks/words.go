package breaks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/breaks/inject"
	"github.com/hocket-dev/hocket/internal/words"
)

// stat adds up what all runs report about one breakpoint.
func (r *runner) stat(b *Break) Stat {
	out := Stat{ID: b.ID, Lost: r.prog.lost[b.ID], Notes: []string{}, Sides: []SideStat{}}
	for i := range b.Sides {
		out.Sides = append(out.Sides, SideStat{Place: b.Sides[i].place()})
	}
	i := slices.IndexFunc(r.prog.Breakpoints, func(n inject.Numbered) bool { return n.ID == b.ID })
	if i < 0 {
		return out
	}
	n := r.prog.Breakpoints[i]
	out.Outside = n.Outside
	if n.Lost != "" {
		return out
	}
	out.Hit = r.hits(n.Number)
	var held, faults []string
	m := missed{condition: b.If, sides: make([]missedSide, len(out.Sides))}
	for _, run := range r.runs {
		s := run.Report.Breaks[n.Number]
		if s == nil {
			s = &breakpoints.Stat{}
		}
		for j := range out.Sides {
			side := &out.Sides[j]
			side.Reached += at(s.Reached, j)
			side.Postponed += at(s.Postponed, j)
			side.TimedOut += at(s.TimedOut, j)
			side.Released += at(s.Released, j)
		}
		m.add(s)
		if s.Hit == 0 {
			m.others = r.holding(run, n.Number, m.others)
		}
		held, faults = join(held, s.Held), join(faults, s.Faults)
	}
	if why := m.why(out, len(r.runs), len(held) > 0); why != "" {
		out.Notes = append(out.Notes, why)
	}
	if other := m.heldBy(r.prog.Breakpoints, n); other != "" {
		out.Notes = append(out.Notes, other)
	}
	out.Notes = append(out.Notes, held...)
	for _, f := range faults {
		out.Notes = append(out.Notes, "the condition could not be evaluated, which counts as false: "+f)
	}
	return out
}

// place is where the side is, as hocket break list shows it.
func (s *Side) place() string {
	if s.Lost != "" {
		return fmt.Sprintf("%s:%d", s.Place.File, s.Place.Line)
	}
	return fmt.Sprintf("%s:%d", s.File(), s.Location.Line)
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
		if len(have) < most && !slices.ContainsFunc(have, func(h string) bool { return inject.Alike(h) == inject.Alike(line) }) {
			have = append(have, line)
		}
	}
	return have
}

// missed counts what the runs in which a breakpoint was not hit have in common.
// It counts runs, not visits: a side that is reached a thousand times in one
// run and never in the others is absent in most of them.
type missed struct {
	condition string
	runs      int
	unreached int // runs in which no side was reached
	timedOut  int // runs in which a pause took its whole time
	released  int // runs in which a pause ended early, and none took its whole time
	sides     []missedSide
	others    map[int]int // by number: runs in which another breakpoint held a goroutine
}

// missedSide is one side in those runs.
type missedSide struct {
	absent   int // runs in which it was not reached, and another was
	expected int // of those, the runs in which another side waited
}

// add counts one run.
func (m *missed) add(s *breakpoints.Stat) {
	if s.Hit > 0 {
		return
	}
	m.runs++
	some := func(counts []int) bool { return slices.ContainsFunc(counts, func(n int) bool { return n > 0 }) }
	if !some(s.Reached) {
		m.unreached++
		return
	}
	for i := range m.sides {
		if at(s.Reached, i) > 0 {
			continue
		}
		m.sides[i].absent++
		if some(s.Postponed) {
			m.sides[i].expected++
		}
	}
	switch {
	case some(s.TimedOut):
		m.timedOut++
	case some(s.Released):
		m.released++
	}
}

// holding counts the other breakpoints at which a goroutine waited in a run.
func (r *runner) holding(run *inject.Result, number int, others map[int]int) map[int]int {
	for other, s := range run.Report.Breaks {
		if other == number || s == nil || !slices.ContainsFunc(s.Postponed, func(n int) bool { return n > 0 }) {
			continue
		}
		if others == nil {
			others = map[int]int{}
		}
		others[other]++
	}
	return others
}

// othersHeld reports whether another breakpoint held a goroutine in most of the
// runs.
func (m *missed) othersHeld() bool {
	for _, n := range m.others {
		if m.most(n) {
			return true
		}
	}
	return false
}

// heldBy says which other breakpoints may have kept the sides of n from
// meeting; "" if none did. A goroutine that is held at one comes late to the
// next, and at a statement of both one of the two comes first.
func (m *missed) heldBy(all []inject.Numbered, n inject.Numbered) string {
	var shared, ids []string
	for _, other := range all {
		if !m.most(m.others[other.Number]) || m.unreached == m.runs {
			continue
		}
		ids = append(ids, other.ID)
		for _, s := range n.Sides {
			i := slices.IndexFunc(other.Sides, func(o inject.Side) bool { return o.File == s.File && o.Line == s.Line && o.Col == s.Col })
			if i >= 0 {
				shared = append(shared, fmt.Sprintf("%s is also side %d of %s", s.Name, i+1, other.ID))
				break
			}
		}
	}
	switch {
	case len(shared) > 0:
		return strings.Join(shared, ", ") + ", and a goroutine that is held at one comes late to the other; run it alone with -id " + n.ID
	case len(ids) > 0:
		return "in those runs " + some(ids) + " also held goroutines, perhaps those that were missing; run it alone with -id " + n.ID
	}
	return ""
}

// most reports whether n is at least half of the missed runs.
func (m *missed) most(n int) bool { return n > 0 && 2*n >= m.runs }

// why says what kept the sides from meeting, and what would help; "" if nothing
// did. If hint is set, lines about what was held follow.
func (m *missed) why(s Stat, runs int, hint bool) string {
	if m.runs == 0 {
		return ""
	}
	head := fmt.Sprintf("not hit in %d of %s: ", m.runs, words.Count(runs, "run"))
	if s.Hit == 0 {
		head = "never hit: "
	}
	switch {
	case m.unreached == runs:
		return head + "no side was ever reached"
	case m.most(m.unreached):
		return head + fmt.Sprintf("in %d of them no side was reached", m.unreached)
	}
	for i, side := range m.sides {
		if m.most(side.absent) {
			return head + m.absent(s, i, runs)
		}
	}
	return head + m.apart(s, hint)
}

// absent describes a side that was not reached in most runs.
func (m *missed) absent(s Stat, i, runs int) string {
	side := m.sides[i]
	out := fmt.Sprintf("side %d (%s) was not reached in %d of %s", i+1, s.Sides[i].Place, side.absent, words.Count(runs, "run"))
	if s.Sides[i].Reached == 0 {
		out = fmt.Sprintf("side %d (%s) was never reached", i+1, s.Sides[i].Place)
	}
	var others []string
	for j, o := range s.Sides {
		if j != i && o.Postponed > 0 && !m.most(m.sides[j].absent) {
			others = append(others, fmt.Sprintf("side %d", j+1))
		}
	}
	if !m.most(side.expected) || len(others) == 0 {
		return out
	}
	who := strings.Join(others, " and ")
	verb, set := "has or holds", "takes or changes"
	if len(others) > 1 {
		verb, set = "have or hold", "take or change"
	}
	it := map[bool]string{true: "it", false: "they"}[len(others) == 1]
	return fmt.Sprintf("%s while %s waited: its goroutine took another path, or waits for what %s %s: set %s earlier, before %s %s that", out, who, who, verb, who, it, set)
}

// apart describes sides that were all reached, but did not meet.
func (m *missed) apart(s Stat, hint bool) string {
	var reached []string
	waited := 0
	for i, side := range s.Sides {
		reached = append(reached, fmt.Sprintf("side %d (%s) %s", i+1, side.Place, times(side.Reached)))
		waited += side.Postponed
	}
	all := "the sides were not reached at the same time"
	if s.Hit == 0 {
		all = strings.Join(reached, ", ") + " were reached"
	}
	var why string
	switch {
	case waited == 0 && m.condition != "":
		return all + ", but no goroutine waited: the part of " + m.condition + " about one side was never true"
	case waited == 0:
		return all + ", but by one goroutine only"
	case m.condition != "" && s.Hit == 0:
		why = ", but " + m.condition + " was never true for two goroutines at once"
	case m.condition != "":
		why = ", or " + m.condition + " was not true"
	}
	switch {
	case m.released > 0 && m.released >= m.timedOut:
		why += fmt.Sprintf("; in %s the waiting goroutine was released early, since no other could run", words.Count(m.released, "run"))
		if hint {
			why += " (the lines below say what was held)"
		}
	case m.timedOut > 0 && m.othersHeld():
		why += fmt.Sprintf("; in %s a goroutine waited for the whole timeout", words.Count(m.timedOut, "run"))
	case m.timedOut > 0:
		why += fmt.Sprintf("; in %s a goroutine waited for the whole timeout: a longer one may help", words.Count(m.timedOut, "run"))
	}
	return all + why
}

// leftBehind describes processes that runs left behind; "" if there are none.
func leftBehind(runs []*inject.Result) string {
	var names []string
	ended, held := 0, 0
	for _, r := range runs {
		if len(r.Left) > 0 {
			ended++
		}
		if r.StillHeld {
			held++
		}
		names = join(names, r.Left)
	}
	switch {
	case held > 0:
		return fmt.Sprintf("after %d of %s, processes that the program had started and left running still held its output; end them yourself", held, words.Count(len(runs), "run"))
	case ended > 0:
		return fmt.Sprintf("after %d of %s, processes that the program had started and left running (%s) still held its output; they were ended, and their time is not counted",
			ended, words.Count(len(runs), "run"), strings.Join(names, ", "))
	}
	return ""
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
