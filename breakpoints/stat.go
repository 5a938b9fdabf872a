package breakpoints

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Stat is what has happened at a concurrent breakpoint. The lists have an
// entry for each side, side-1 being the index.
type Stat struct {
	// Reached counts visits. It is a lower bound where AtLeast is set: the side
	// did not look all the time, as one that is reached very often costs nothing
	// when it has paused enough; or it is what a report said last, which does not
	// tell of each visit when there are many.
	Reached []int
	AtLeast []bool
	// Refused counts visits for which the local predicate was false (without a
	// panic): where it is Reached, that predicate was never true. It is a lower
	// bound where Reached is.
	Refused   []int
	Postponed []int // visits that paused
	TimedOut  []int // pauses that took their whole time for nothing
	// Released counts pauses that ended early because nobody else could go
	// on, or because the paused goroutine held what the other side waited for.
	Released []int
	Hit      int
	Held     []string // for people: who held what
	Faults   []string // predicates that panicked or could not be evaluated
}

const maxLines = 20 // of Held and of Faults

//go:norace
func newStat(sides int) Stat {
	// Room for all lines from the start: see raceOff.
	return Stat{Reached: make([]int, sides), AtLeast: make([]bool, sides), Refused: make([]int, sides), Postponed: make([]int, sides), TimedOut: make([]int, sides), Released: make([]int, sides),
		Held: make([]string, 0, maxLines), Faults: make([]string, 0, maxLines)}
}

// text is what a line of the report says of s.
//
//go:norace
func (s *Stat) text() string {
	var b strings.Builder
	b.WriteString("hit " + strconv.Itoa(s.Hit))
	for i, l := range [...][]int{s.Reached, s.Postponed, s.TimedOut, s.Released, s.Refused} {
		b.WriteString(" " + statWords[i] + " ")
		for j := range l {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(l[j]))
			if i == 0 && s.AtLeast[j] {
				b.WriteByte('+')
			}
		}
	}
	return b.String()
}

var statWords = [...]string{"reached", "postponed", "timedout", "released", "refused"}

// parseStat reads text.
//
//go:norace
func parseStat(f []string) (s Stat, ok bool) {
	if len(f) != 2+2*len(statWords) || f[0] != "hit" {
		return s, false
	}
	n, err := strconv.Atoi(f[1])
	s.Hit = n
	ok = err == nil
	for i, l := range [...]*[]int{&s.Reached, &s.Postponed, &s.TimedOut, &s.Released, &s.Refused} {
		ok = ok && f[2+2*i] == statWords[i]
		for _, w := range strings.Split(f[3+2*i], ",") {
			w, more := strings.CutSuffix(w, "+")
			if i == 0 {
				s.AtLeast = append(s.AtLeast, more)
			}
			n, err := strconv.Atoi(w)
			*l = append(*l, n)
			ok = ok && err == nil
		}
	}
	return s, ok
}

// add counts what another process has seen.
//
//go:norace
func (s *Stat) add(o Stat) {
	s.Hit += o.Hit
	for i, l := range [...]*[]int{&s.Reached, &s.Postponed, &s.TimedOut, &s.Released, &s.Refused} {
		from := [...][]int{o.Reached, o.Postponed, o.TimedOut, o.Released, o.Refused}[i]
		for len(*l) < len(from) {
			*l = append(*l, 0)
		}
		for j, n := range from {
			(*l)[j] += n
		}
	}
	for len(s.AtLeast) < len(o.AtLeast) {
		s.AtLeast = append(s.AtLeast, false)
	}
	for j, more := range o.AtLeast {
		s.AtLeast[j] = s.AtLeast[j] || more
	}
}

// copied is s for the caller to keep. mu is held.
//
//go:norace
func (b *Breakpoint) copied() Stat {
	c := newStat(b.def.Sides)
	c.Hit = b.stat.Hit
	for i := range c.Reached {
		side := &b.sides[i+1]
		c.Reached[i], c.Refused[i] = side.visits.get(), side.refused.get()
		unreported := b.journal != nil && c.Reached[i] >= reportedVisits || raceBuild && c.Reached[i] > 1
		c.AtLeast[i] = side.uncounted || b.over || unreported
		c.Postponed[i], c.TimedOut[i], c.Released[i] = b.stat.Postponed[i], b.stat.TimedOut[i], b.stat.Released[i]
	}
	for _, s := range b.stat.Held {
		c.Held = append(c.Held, ownCopy(s))
	}
	for _, s := range b.stat.Faults {
		c.Faults = append(c.Faults, ownCopy(s))
	}
	c.Held, c.Faults = slices.Clip(c.Held), slices.Clip(c.Faults)
	return c
}

// ownCopy reads another goroutine's string where the race detector does not look.
//
//go:norace
func ownCopy(s string) string {
	buf := make([]byte, len(s))
	for i := 0; i < len(s); i++ {
		buf[i] = s[i]
	}
	return string(buf)
}

// journal writes statistics to the report: at once, so that they are there
// after any end of the process, and when there are very many, some
// milliseconds later.
type journal struct {
	rep     *report
	key     string // tells this process's lines from those of others
	lines   int
	last    int64 // nanotime of the last line
	pending bool
}

const (
	linesAtOnce = 500
	lineEvery   = 5 * ms
)

// changed is called after each change of the statistics that matters. mu is held.
//
//go:norace
func (b *Breakpoint) changed() {
	j := b.journal
	if j == nil || j.pending {
		return
	}
	if j.lines < linesAtOnce || nanotime()-j.last > lineEvery || raceBuild || self().bubble != "" {
		b.write()
		return
	}
	j.pending = true
	time.AfterFunc(time.Duration(lineEvery), func() {
		raceOff()
		defer raceOn()
		waiters.mu.Lock()
		defer waiters.mu.Unlock()
		j.pending = false
		b.write()
	})
}

//go:norace
func (b *Breakpoint) write() {
	j := b.journal
	j.lines++
	j.last = nanotime()
	s := b.copied()
	j.rep.line("stat " + j.key + " " + strconv.Itoa(b.def.ID) + " " + s.text())
}

//go:norace
func (b *Breakpoint) held(why string) { b.say("held", &b.stat.Held, why) }

//go:norace
func (b *Breakpoint) fault(why string) { b.say("fault", &b.stat.Faults, why) }

// say keeps a line for people, once.
//
//go:norace
func (b *Breakpoint) say(word string, lines *[]string, s string) {
	if len(*lines) == maxLines || has(*lines, s) {
		return
	}
	*lines = append(*lines, s)
	if b.journal != nil {
		b.journal.rep.line(word + " " + strconv.Itoa(b.def.ID) + " " + strconv.Quote(s))
	}
}

//go:norace
func has(lines []string, s string) bool {
	for _, l := range lines {
		if l == s {
			return true
		}
	}
	return false
}
