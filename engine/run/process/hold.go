package process

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/image"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/site"
)

// held is an entry of the run file's section of holds.
type held struct {
	pc    uint64
	group int
}

// holds finds the calls at the lines of a spec's holds. A call of several groups
// belongs to the first. What was asked last is kept: the runs of a search ask the same
// lines again.
func (p *Runner) holds(hs []run.Hold) ([]held, error) {
	if len(hs) == 0 {
		return nil, nil
	}
	calls, err := p.callsFor(hs)
	if err != nil {
		return nil, fmt.Errorf("find the places where goroutines are held: %w", err)
	}
	var out []held
	for _, c := range calls {
		for g, h := range hs[:min(len(hs), rt.HoldGroups)] {
			if slices.ContainsFunc(h.Lines, func(l run.HoldLine) bool { return isAt(c.Places, l) }) {
				out = append(out, held{c.Return, g})
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b held) int { return cmp.Compare(a.pc, b.pc) })
	return slices.CompactFunc(out, func(a, b held) bool { return a.pc == b.pc }), nil
}

func (p *Runner) callsFor(hs []run.Hold) ([]site.CallPlace, error) {
	packages := map[string]bool{}
	for _, h := range hs {
		for _, l := range h.Lines {
			packages[image.FuncPackage(l.Func)] = true
		}
	}
	key := fmt.Sprint(packages) // maps are printed sorted
	p.holdMu.Lock()
	defer p.holdMu.Unlock()
	if p.holdKey != key {
		calls, err := p.sym.CallsIn(packages)
		if err != nil {
			return nil, err
		}
		p.holdKey, p.holdCalls = key, calls
	}
	return p.holdCalls, nil
}

// isAt reports whether code at places, some inlined into the next, is at a line.
func isAt(places []image.Place, l run.HoldLine) bool {
	return slices.ContainsFunc(places, func(at image.Place) bool {
		if l.Line == 0 {
			return image.DropTypeArgs(at.Func) == image.DropTypeArgs(l.Func)
		}
		return l.Line <= at.Line && at.Line <= max(l.Line, l.To) && endOf(at.File) == endOf(l.File)
	})
}

// endOf is a file with its folder alone.
func endOf(file string) string {
	file = strings.ReplaceAll(file, `\`, "/")
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}

// hold writes the section.
func (f *runFile) hold(hs []run.Hold, at []held) {
	n := min(len(at), int(f.word(rt.WHoldCap)))
	f.put(rt.WHoldLen, uint64(n))
	for i, h := range at[:n] {
		e := f.entry(rt.WHoldOff, rt.HoldSize, i)
		binary.LittleEndian.PutUint64(e, h.pc)
		g := hs[h.group]
		chance := uint32(g.Chance)
		if g.Last {
			chance |= rt.HoldLast
		}
		for k, v := range []uint32{uint32(h.group), uint32(g.Most), uint32(g.Skip), chance} {
			binary.LittleEndian.PutUint32(e[8+4*k:], v)
		}
	}
}
