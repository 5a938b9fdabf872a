package session

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/report"
)

// hideTimeDependent withholds the findings that need a delay. What it changes is
// copied.
func hideTimeDependent(rep *report.Report) {
	for i, t := range rep.Targets {
		c := *t
		left := 0
		for _, f := range rep.Findings {
			switch {
			case f.Package != t.Package || f.Entry != t.Entry:
			case f.TimeDependent == nil:
				left++
			default:
				c.Withheld = append(slices.Clip(c.Withheld), report.Withheld{Kind: f.Kind, Message: f.Message, Why: "it is time-dependent: it " + f.TimeDependent.String()})
			}
		}
		if c.Status == report.Failing && left == 0 {
			c.Status = report.Searched
		}
		rep.Targets[i] = &c
	}
	rep.Findings = slices.DeleteFunc(rep.Findings, func(f *report.Finding) bool { return f.TimeDependent != nil })
}
