package projection

import (
	"github.com/hocket-dev/hocket/engine/source"
	"github.com/hocket-dev/hocket/engine/trace"
)

const maxBranches = 64

// branches finds the conditions with another outcome than in the passing run:
// where a goroutine's events stop matching, the innermost condition whose
// operations were the last in common.
func (a *analysis) branches() []Branch {
	if a.pass == nil {
		return nil
	}
	var out []Branch
	type key struct {
		g    trace.GID
		file string
		line int
	}
	seen := map[key]bool{}
	paths := map[string]trace.GID{}
	for _, g := range a.pass.Goroutines[1:] {
		paths[g.Path] = g.ID
	}
	for _, g := range a.fail.Goroutines[1:] {
		pg, ok := paths[g.Path]
		if !ok {
			continue
		}
		for _, d := range a.diverging(g.ID, pg) {
			b, f, ok := a.branchAt(d)
			k := key{g.ID, f.File, b.Line}
			if ok && !seen[k] && len(out) < maxBranches {
				seen[k] = true
				b.Goroutine, b.File = a.fail.gname(g.ID), a.in.Roots.Name(f.File)
				out = append(out, b)
			}
		}
	}
	return out
}

// fork is where the two runs of a goroutine diverge: the first event of each
// that the other lacks, -1 if there is none.
type fork struct{ fail, pass int }

func (a *analysis) diverging(fg, pg trace.GID) []fork {
	fl, pl := a.fail.byG[fg], a.pass.byG[pg]
	var out []fork
	i, j := 0, 0
	for i < len(fl) || j < len(pl) {
		switch {
		case i < len(fl) && isNoise(a.fail.events[fl[i]].Op):
			i++
			continue
		case j < len(pl) && isNoise(a.pass.events[pl[j]].Op):
			j++
			continue
		case i < len(fl) && j < len(pl) && a.m.toPass[fl[i]] == pl[j]:
			i++
			j++
			continue
		}
		f := fork{-1, -1}
		for i < len(fl) && a.m.toPass[fl[i]] < 0 {
			if f.fail < 0 && !isNoise(a.fail.events[fl[i]].Op) {
				f.fail = fl[i]
			}
			i++
		}
		for j < len(pl) && a.m.toFail[pl[j]] < 0 {
			if f.pass < 0 && !isNoise(a.pass.events[pl[j]].Op) {
				f.pass = pl[j]
			}
			j++
		}
		if f.fail < 0 && f.pass < 0 {
			i++
			j++
			continue
		}
		if f.fail < 0 && i >= len(fl) {
			break // the failing run was cut off there
		}
		out = append(out, f)
	}
	return out
}

// branchAt finds the condition of a fork.
func (a *analysis) branchAt(d fork) (Branch, trace.Frame, bool) {
	fc, ff, okF := a.controlOf(a.fail, d.fail)
	pc, pf, okP := a.controlOf(a.pass, d.pass)
	switch {
	case okF && okP && ff.File == pf.File && fc.Line == pc.Line:
		if fc.Kind == source.Select || fc.Kind == source.Switch {
			return Branch{Line: fc.Line, Cond: fc.Cond, Failing: fc.Cond, Passing: pc.Cond}, ff, fc.Cond != pc.Cond
		}
		return Branch{Line: fc.Line, Cond: fc.Cond, Failing: outcome(fc.Taken), Passing: outcome(pc.Taken)}, ff, fc.Taken != pc.Taken
	case okF && (fc.Kind == source.Select || fc.Kind == source.Switch):
		other := "not"
		if okP {
			other = pc.Cond
		}
		return Branch{Line: fc.Line, Cond: fc.Cond, Failing: "taken", Passing: other}, ff, true
	case okF:
		return Branch{Line: fc.Line, Cond: fc.Cond, Failing: outcome(fc.Taken), Passing: outcome(!fc.Taken)}, ff, true
	case okP:
		return Branch{Line: pc.Line, Cond: pc.Cond, Failing: outcome(!pc.Taken), Passing: outcome(pc.Taken)}, pf, true
	}
	return Branch{}, trace.Frame{}, false
}

func outcome(taken bool) string {
	if taken {
		return "true"
	}
	return "false"
}

// controlOf is the condition that decided that an event runs: the one whose
// operations came last before it.
func (a *analysis) controlOf(r *run, ev int) (source.Control, trace.Frame, bool) {
	if ev < 0 {
		return source.Control{}, trace.Frame{}, false
	}
	best := -1
	var ctl source.Control
	var at trace.Frame
	for _, d := range a.deps(r, ev, false) {
		if d.ctl != nil && d.ev > best {
			best, ctl, at = d.ev, *d.ctl, d.at
		}
	}
	return ctl, at, best >= 0
}

// pathDependent reports whether no single passing run follows the failing
// run's branches up to the failure.
func (a *analysis) pathDependent() bool {
	if len(a.passes) == 0 {
		return false
	}
	for _, p := range a.passes {
		if a.samePath(p) {
			return false
		}
	}
	return true
}

func (a *analysis) samePath(p *run) bool {
	paths := map[string]trace.GID{}
	for _, g := range p.Goroutines[1:] {
		paths[g.Path] = g.ID
	}
	for _, g := range a.fail.Goroutines[1:] {
		fl := a.steps(a.fail, g.ID)
		pg, ok := paths[g.Path]
		if !ok {
			if len(fl) > 0 {
				return false
			}
			continue
		}
		pl := a.steps(p, pg)
		if len(pl) < len(fl) {
			return false
		}
		for i, x := range fl {
			y := pl[i]
			if a.fail.events[x].Op != p.events[y].Op || !sameStack(a.userFrames(a.fail.stack(x)), a.userFrames(p.stack(y))) {
				return false
			}
		}
	}
	return true
}

// steps are a goroutine's events in the user's code, up to a failure. Plain
// accesses are left out: which of them are recorded depends on the run.
func (a *analysis) steps(r *run, g trace.GID) []int {
	var out []int
	for _, x := range r.byG[g] {
		op := r.events[x].Op
		switch {
		case x == r.fail || op == trace.OpPanicStart || op == trace.OpPanic || op == trace.OpTestFail:
			return out
		case isNoise(op) || isPlain(op) || len(a.userFrames(r.stack(x))) == 0:
		default:
			out = append(out, x)
		}
	}
	return out
}
