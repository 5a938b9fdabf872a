package dump

import (
	"regexp"
	"strconv"
	"strings"
)

var (
	accessHead  = regexp.MustCompile(`^\s*(?:Previous )?([Aa]tomic )?([Rr]ead|[Ww]rite) at 0x[0-9a-f]+ by (?:goroutine (\d+)|(main goroutine))`)
	createdHead = regexp.MustCompile(`^\s*Goroutine (\d+) \((?:running|finished)\) created at:$`)
	raceEnd     = regexp.MustCompile(`^\s*={10,}$`)
)

// openRace is a report that is being read: two accesses with their stacks, and where
// their goroutines were started.
type openRace struct {
	race Race
	n    int      // accesses begun
	into *[]Frame // where the next call goes
	fn   string
	odd  int
}

// add takes the next line; false if the report is at its end.
func (o *openRace) add(text string) bool {
	if raceEnd.MatchString(text) || raceHead.MatchString(text) {
		return false
	}
	if m := accessHead.FindStringSubmatch(text); m != nil {
		if o.n == 2 {
			return false
		}
		a := &o.race.Accesses[o.n]
		o.n++
		a.Atomic, a.Write, a.Main = m[1] != "", strings.EqualFold(m[2], "write"), m[4] != ""
		a.ID, _ = strconv.ParseInt(m[3], 10, 64)
		o.into, o.fn, o.odd = &a.Frames, "", 0
		return true
	}
	if m := createdHead.FindStringSubmatch(text); m != nil {
		id, _ := strconv.ParseInt(m[1], 10, 64)
		o.into = nil
		for i := range o.race.Accesses {
			if a := &o.race.Accesses[i]; a.ID == id && !a.Main && len(a.Created) == 0 {
				o.into = &a.Created
				break
			}
		}
		o.fn, o.odd = "", 0
		return true
	}
	if f, ok := placeOf(o.fn, text); ok && o.fn != "" {
		if o.into != nil && len(*o.into) < maxDepth {
			*o.into = append(*o.into, f)
		}
		o.fn, o.odd = "", 0
		return true
	}
	if isCall(text) {
		o.fn, o.odd = callName(text), 0
		return true
	}
	if strings.TrimSpace(text) == "" {
		return true
	}
	o.odd++
	return o.odd <= maxOdd
}

func (t *text) closeRace() {
	o := t.race
	t.race = nil
	if o == nil || t.now == nil {
		return
	}
	if o.n == 2 && len(o.race.Accesses[0].Frames)+len(o.race.Accesses[1].Frames) > 0 {
		t.now.Race = &o.race
	} else {
		t.now.Cut = "the report ends before its second access"
	}
	t.endState()
}
