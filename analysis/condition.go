package analysis

import (
	"fmt"

	"golang.org/x/tools/go/ssa"
)

// conditions: waits that don't look again, signals that may come before the
// wait, and signals that may wake the wrong one.
func (f *finder) conditions() {
	for _, w := range f.byOp[opWait] {
		guards := f.guards(w)
		if !looksAgain(w.chain.last().instr) {
			f.once(w, guards)
		}
		f.unlockedChange(w, guards)
	}
	f.wrongOne()
}

// guards are the readings on which the wait depends.
func (f *finder) guards(w *event) []*event {
	var out []*event
	for _, name := range f.names {
		for _, r := range f.buckets[name] {
			if r.op.writes() && r.op != opSwap {
				continue
			}
			if rr, rw, ok := f.follows(r, w); ok && r.fn == w.fn && f.p.depends(rr, rw) == byBranch {
				out = append(out, r)
			}
		}
	}
	return out
}

// looksAgain reports whether what follows a wait leads back to the test before
// it, within the lock region.
func looksAgain(wait ssa.Instruction) bool {
	from := wait.Block()
	seen := map[*ssa.BasicBlock]bool{}
	work := []*ssa.BasicBlock{from}
	for len(work) > 0 {
		b := work[0]
		work = work[1:]
		if unlocks(b, b == from, wait) {
			continue
		}
		for _, s := range b.Succs {
			if s.Dominates(from) {
				return true
			}
			if !seen[s] {
				seen[s] = true
				work = append(work, s)
			}
		}
	}
	return false
}

func unlocks(b *ssa.BasicBlock, first bool, wait ssa.Instruction) bool {
	after := !first
	for _, in := range b.Instrs {
		if after {
			if c, ok := in.(*ssa.Call); ok && syncOp(called(&c.Call)) == opUnlock {
				return true
			}
		}
		after = after || in == wait
	}
	return false
}

func (f *finder) once(w *event, guards []*event) {
	found := false
	for _, g := range guards {
		for _, x := range f.buckets[g.path.bucket()] {
			if x.op.writes() && mayAlias(x.path, g.path) > never && f.en.parallel(w, x) {
				found = true
				score := 0.8
				if x.fn == w.fn {
					score = 0.9 // another one that waits takes what this one was woken for
				}
				f.add(&candidate{kind: Notify, x: w, y: x, what: g.path.words(), group: g.path.bucket() + "once", score: score,
					why: "the condition is not tested again after Wait; it may have been changed between the signal and the return"})
			}
		}
	}
	if found {
		return
	}
	for _, o := range []op{opSignal, opBroadcast} {
		for _, s := range f.byOp[o] {
			if mayAlias(s.path, w.path) > never && f.en.parallel(s, w) {
				f.add(&candidate{kind: Notify, x: s, y: w, what: w.path.words(), group: w.path.bucket() + "once", score: 0.7,
					why: "the wait is in no loop that tests a condition: a signal that comes before it is missed"})
			}
		}
	}
}

// unlockedChange: what is tested before the wait is changed without the lock,
// so that change and signal may both come between test and wait.
func (f *finder) unlockedChange(w *event, guards []*event) {
	for _, g := range guards {
		if len(g.locks) == 0 {
			continue
		}
		for _, x := range f.buckets[g.path.bucket()] {
			if !x.op.writes() || f.common(g, x) != nil || mayAlias(x.path, g.path) == never || !f.en.parallel(x, w) || x.fn == w.fn {
				continue
			}
			if s := f.signalAfter(x, w); s != nil {
				f.add(&candidate{kind: Notify, x: x, y: w, what: g.path.words(), group: g.path.bucket() + "missed", score: 0.84,
					why: fmt.Sprintf("changed and signalled (line %d) without %s: both may come between the test and the wait, and are missed",
						f.p.line(s), g.locks[0].lock.short())})
			}
		}
	}
}

func (f *finder) signalAfter(x, w *event) *event {
	for _, o := range []op{opSignal, opBroadcast} {
		for _, s := range f.byOp[o] {
			if mayAlias(s.path, w.path) == never {
				continue
			}
			if _, _, ok := f.follows(x, s); ok && !region(s, w) {
				return s
			}
		}
	}
	return nil
}

// wrongOne: goroutines wait on one condition variable for different things,
// and Signal wakes only one of them.
func (f *finder) wrongOne() {
	waits := f.byOp[opWait]
	for i, v := range waits {
		for _, w := range waits[i:] {
			if v.fn == w.fn || mayAlias(v.path, w.path) < likely || !f.en.parallel(v, w) {
				continue
			}
			for _, s := range f.byOp[opSignal] {
				if mayAlias(s.path, w.path) < likely || s.fn == w.fn || !f.en.parallel(s, w) {
					continue
				}
				f.add(&candidate{kind: Notify, x: s, y: w, what: w.path.words(), group: w.path.bucket() + "wrong", score: 0.7,
					why: fmt.Sprintf("Signal wakes one goroutine, which may be one that waits for something else (line %d); Broadcast wakes all", f.p.line(v))})
			}
		}
	}
}
