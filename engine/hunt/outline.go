package hunt

import (
	"fmt"
	"path"
	"strings"

	"github.com/hocket-dev/hocket/engine/projection"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
)

// maxRootCause is how many accesses a finding names.
const maxRootCause = 8

// outline is what is known about a run without a recording: where it failed,
// where goroutines are blocked, the two sides of a race.
func (c *confirmation) outline() *projection.Projection {
	r, roots := c.caught.Result, c.job.Roots
	at := r.Place
	if c.caught.Race != nil {
		at = c.caught.Race.Second
	}
	p := &projection.Projection{Class: projection.Other, Message: r.Outcome.Message,
		Failure: report.Place{File: roots.Name(at.File), Line: at.Line, Func: at.Func}}
	o := &outliner{p: p, name: roots.Name, seen: map[trace.Frame]bool{}}
	switch {
	case c.caught.Race != nil:
		p.Class = projection.DataRace
		o.race(c.caught.Race)
	case r.Outcome.Kind == trace.Deadlocked || r.Outcome.Kind == trace.Leaked:
		p.Class = projection.Deadlock
		for i, b := range r.Outcome.Blocked {
			if i < len(r.BlockedAt) && (b.Leaked || r.Outcome.Kind == trace.Deadlocked) {
				o.blocked(r.BlockedAt[i], b)
			}
		}
		p.Blocked = report.Gather(p.Blocked)
	default:
		o.add(at, string(r.Outcome.Kind))
	}
	return p
}

// entryPlace is where the target's function begins: an example whose output is wrong
// fails nowhere in particular.
func (c *confirmation) entryPlace() report.Place {
	entry, _, _ := strings.Cut(c.job.Entry, "/")
	src := c.job.Sources()
	for _, path := range src.Files() {
		text, err := src.Read(path)
		if err != nil {
			continue
		}
		for _, fn := range target.Outline(path, text) {
			if fn.Name == entry {
				return report.Place{Goroutine: entry, File: c.job.Roots.Name(path), Line: fn.Line, Func: c.job.Package + "." + entry}
			}
		}
	}
	return report.Place{}
}

// outliner names each place once.
type outliner struct {
	p    *projection.Projection
	name func(file string) string
	seen map[trace.Frame]bool
}

func (o *outliner) add(fr trace.Frame, op string) bool {
	if fr.File == "" || o.seen[fr] || len(o.p.RootCause) == maxRootCause {
		return false
	}
	o.seen[fr] = true
	o.p.RootCause = append(o.p.RootCause, report.Access{Goroutine: trace.ShortFunc(fr.Func),
		File: o.name(fr.File), Line: fr.Line, Column: 1, Op: op, Func: fr.Func})
	return true
}

// race names both sides, which may be at one place.
func (o *outliner) race(r *run.RacePair) {
	o.add(r.First, accessOp(r.FirstWrite))
	delete(o.seen, r.Second)
	o.add(r.Second, accessOp(r.SecondWrite))
	if r.First.File == "" || r.Second.File == "" {
		return
	}
	did := map[bool]string{true: "wrote", false: "read"}
	o.p.Sentence = fmt.Sprintf("`%s` %s at %s what `%s` %s at %s: nothing orders the two.",
		trace.ShortFunc(r.First.Func), did[r.FirstWrite], lineOf(r.First), trace.ShortFunc(r.Second.Func), did[r.SecondWrite], lineOf(r.Second))
}

func lineOf(f trace.Frame) string { return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line) }

func (o *outliner) blocked(fr trace.Frame, b trace.Blocked) {
	if fr.File == "" {
		return
	}
	o.add(fr, b.Op.String())
	o.p.Blocked = append(o.p.Blocked, report.Blocked{Place: report.Place{Goroutine: trace.ShortFunc(fr.Func),
		File: o.name(fr.File), Line: fr.Line, Func: fr.Func}, On: b.Reason})
}

func accessOp(write bool) string {
	if write {
		return "write"
	}
	return "read"
}
