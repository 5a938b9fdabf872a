package synth

import (
	"maps"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

// learn takes in a recorded run of the program.
func (p *Program) learn(t *trace.Trace) {
	p.learnEntry(t)
	type burst struct {
		at     lineKey
		begin  int
		counts map[uint32]bool
	}
	firsts := map[lineKey]int{}
	open := map[trace.GID]*burst{}
	end := func(g trace.GID) {
		b := open[g]
		delete(open, g)
		if b == nil {
			return
		}
		seen := p.fit.opaque[b.at]
		if seen == nil {
			seen = map[int]int{}
			p.fit.opaque[b.at] = seen
		}
		seen[len(b.counts)]++
		if n, ok := firsts[b.at]; !ok || b.begin < n {
			firsts[b.at] = b.begin
			p.fit.first[b.at] = len(b.counts)
		}
	}
	for i := range t.Events {
		e := &t.Events[i]
		fs := t.Stack(e.Stack)
		if len(fs) == 0 {
			continue
		}
		at, own, ok := p.within(fs)
		if ok && own {
			end(e.G)
			p.learnSite(t, e, fs[0])
		}
		if !ok || own || !isSwitch(e.Op) {
			continue
		}
		if b := open[e.G]; b != nil && b.at != at {
			end(e.G)
		}
		b := open[e.G]
		if b == nil {
			b = &burst{at, i, map[uint32]bool{}}
			open[e.G] = b
		}
		if e.Op == trace.OpSpawn {
			p.fit.spawns[at] = spawned{parent: len(b.counts), child: p.beforeUser(t, trace.GID(e.Aux))}
			b.counts[e.Count+1] = true // its switch point comes after it
			continue
		}
		b.counts[e.Count] = true
	}
	for _, g := range slices.Sorted(maps.Keys(open)) {
		end(g)
	}
}

// beforeUser is how many switch points a goroutine passes before the first event of
// what is executed.
func (p *Program) beforeUser(t *trace.Trace, g trace.GID) int {
	for i := range t.Events {
		e := &t.Events[i]
		if fs := t.Stack(e.Stack); e.G == g && len(fs) > 0 {
			if _, _, ok := p.within(fs); ok {
				n := int(e.Count)
				if isSwitch(e.Op) && e.Op != trace.OpSpawn {
					n--
				}
				return n
			}
		}
	}
	return 0
}

// within is the line of what is executed that an event belongs to, and whether it is
// the line's own: not of an opaque call there. What that calls is not, whoever executes
// it elsewhere; nor is what the standard library does by itself.
func (p *Program) within(fs []trace.Frame) (at lineKey, own, ok bool) {
	for _, f := range slices.Backward(fs) {
		switch {
		case p.files[f.File] && (ok || !p.std[f.File]):
			at, ok = lineKey{f.File, f.Line}, true
		case ok && !transparent(f.Func):
			return at, false, true
		}
	}
	return at, true, ok
}

// transparent functions call what the model calls at once.
func transparent(name string) bool {
	return strings.HasPrefix(name, "sync.") || strings.HasPrefix(name, "sync/atomic.") || strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/sync.")
}

// isSwitch is true of events that have a switch point of their own.
func isSwitch(op trace.Op) bool {
	switch op {
	case trace.OpRead, trace.OpWrite, trace.OpReadRange, trace.OpWriteRange, trace.OpBlock, trace.OpUnblock, trace.OpStart, trace.OpEnd,
		trace.OpTestFail, trace.OpPanic, trace.OpPanicStart, trace.OpFatal, trace.OpExit, trace.OpSelectCase, trace.OpAtomicOld, trace.OpOnceLoad, trace.OpTimer, trace.OpTimerStop:
		return false
	}
	return true
}

func (p *Program) learnSite(t *trace.Trace, e *trace.Event, f trace.Frame) {
	a := access{lineKey{f.File, f.Line}, false}
	switch e.Op {
	case trace.OpWrite, trace.OpWriteRange:
		a.write = true
	case trace.OpRead, trace.OpReadRange:
	default:
		return
	}
	if int(e.Stack) >= len(t.Sites) || t.Sites[e.Stack] == "" || compilersOwn(t.Object(e.Obj).Var) {
		return
	}
	if p.fit.sites[a] == nil {
		p.fit.sites[a] = map[string]bool{}
	}
	p.fit.sites[a][t.Sites[e.Stack]] = true
}

// compilersOwn is true of memory that no instruction of the source accesses: closures'
// variables and dictionaries of generic code.
func compilersOwn(name string) bool {
	return strings.HasPrefix(name, "struct.F") || strings.HasPrefix(name, "struct.X") || strings.HasPrefix(name, "struct.R") || strings.HasPrefix(name, ".dict") || name == "zeroVal"
}

// learnEntry finds where the entry begins.
func (p *Program) learnEntry(t *trace.Trace) {
	name := p.entryName()
	for i := range t.Events {
		e := &t.Events[i]
		fs := t.Stack(e.Stack)
		if !slices.ContainsFunc(fs, func(f trace.Frame) bool { return f.Func == name }) {
			continue
		}
		n := int(e.Count)
		if isSwitch(e.Op) && e.Op != trace.OpSpawn {
			n--
		}
		g := t.Goroutine(e.G)
		if p.src.Main {
			p.fit.before, p.fit.children = n, p.started(t, e.G, i)
			return
		}
		p.fit.inTest = n
		for j := range t.Events[:i] {
			if s := &t.Events[j]; s.Op == trace.OpSpawn && trace.GID(s.Aux) == e.G {
				p.fit.before, p.fit.children = int(s.Count), g.Index-1
			}
		}
		return
	}
}

// started is how many goroutines g has started before an event.
func (p *Program) started(t *trace.Trace, g trace.GID, before int) (n int) {
	for j := range t.Events[:before] {
		if s := &t.Events[j]; s.Op == trace.OpSpawn && s.G == g {
			n++
		}
	}
	return n
}

func (p *Program) entryName() string {
	if p.src.Main {
		return "main.main"
	}
	return p.entry.Pkg.Pkg.Path() + "." + p.entry.Name()
}
