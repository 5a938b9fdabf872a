package session

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
)

// A test suite that waits by sleeping fails in as many ways as it has sleeps, if
// somebody is slow. So many time-dependent findings are reported in any case, and
// beyond that one for so many targets; all others are withheld.
const (
	timeDependentMost = 3
	targetsForEach    = 10
)

// hideTimeDependent withholds the findings that need a delay, but for the so many
// that say most. What it changes is copied.
func hideTimeDependent(rep *report.Report, but int) {
	var slow []*report.Finding
	for _, f := range rep.Findings {
		if f.TimeDependent != nil {
			slow = append(slow, f)
		}
	}
	if len(slow) <= but {
		return
	}
	why := "it is time-dependent: it "
	if but > 0 {
		why = "it is time-dependent, as others that are reported: it "
	}
	slices.SortStableFunc(slow, saysMore)
	withheld := map[*report.Finding]bool{}
	for _, f := range slow[but:] {
		withheld[f] = true
	}
	for i, t := range rep.Targets {
		c := *t
		left := 0
		for _, f := range rep.Findings {
			switch {
			case f.Package != t.Package || f.Entry != t.Entry:
			case withheld[f]:
				c.Withheld = append(slices.Clip(c.Withheld), report.Withheld{Kind: f.Kind, Message: f.Message, Why: why + f.TimeDependent.String()})
			default:
				left++
			}
		}
		if c.Status == report.Failing && left == 0 {
			c.Status = report.Searched
		}
		rep.Targets[i] = &c
	}
	rep.Findings = slices.DeleteFunc(rep.Findings, func(f *report.Finding) bool { return withheld[f] })
}

// saysMore orders by what time-dependent findings say of the program: first those
// whose timer is the program's, not a test's; then what was shown on the ordinary
// build; then the smaller delay.
func saysMore(f, g *report.Finding) int {
	no := func(b bool) int {
		if b {
			return 0
		}
		return 1
	}
	own := func(f *report.Finding) bool { return !strings.Contains(f.TimeDependent.Timer, "_test.go:") }
	return cmp.Or(cmp.Compare(no(own(f)), no(own(g))),
		cmp.Compare(no(f.HappensNatively()), no(g.HappensNatively())),
		cmp.Compare(f.TimeDependent.DelayMS, g.TimeDependent.DelayMS))
}
