package hunt

import (
	"strings"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// publishedBy is the race of the same run that handed the second goroutine of a race what
// it then raced on: the first goroutine made that, changed it and wrote where it is; the
// second read where it is and went on to it. If the writing and reading
// of where it is were ordered, all else would be. False if there is none.
func publishedBy(t *trace.Trace, sig run.Signature) (trace.Race, bool) {
	for i, r := range t.Races {
		if run.RaceSignature(run.PairOf(t, r)) != sig || !madeBy(t, r) {
			continue
		}
		for _, p := range t.Races[:i] { // races are in the order of their second accesses
			if p.First.Write && !p.Second.Write && p.First.G == r.First.G && p.Second.G == r.Second.G && r.First.Seq < p.First.Seq {
				return p, true
			}
		}
	}
	return trace.Race{}, false
}

// madeBy reports whether the first goroutine of a race made its object, and did not hand
// it to the second one by starting that, or one that led to it.
func madeBy(t *trace.Trace, r trace.Race) bool {
	if r.First.Seq < 0 || int(r.Obj) >= len(t.Objects) || !r.First.Write {
		return false
	}
	path := t.Goroutine(r.First.G).Path
	return strings.HasPrefix(t.Objects[r.Obj].Name, "alloc:"+path+":") &&
		!strings.HasPrefix(t.Goroutine(r.Second.G).Path, path+".")
}

// pair are the two accesses of a race as places of a report.
func (c *confirmation) pair(p run.RacePair) []report.Access {
	at := func(f trace.Frame) report.Access {
		return report.Access{File: c.job.Roots.Name(f.File), Line: f.Line, Func: f.Func}
	}
	return []report.Access{at(p.First), at(p.Second)}
}
