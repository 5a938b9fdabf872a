package synth

import (
	"cmp"
	"maps"
	"path"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/engine/run/sim"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// fit is what runs of the real program have shown of how the model's positions and
// places are called there.
type fit struct {
	before   int // switch points of the first goroutine before the entry
	children int // goroutines that it has started by then
	inTest   int // switch points of a test's goroutine before the test function

	spawns map[lineKey]spawned     // of goroutines that calls at a line start, such as T.Run
	opaque map[lineKey]map[int]int // how often a call at a line passed so many switch points
	first  map[lineKey]int         // and how many the first one of a run did: it may initialise something
	sites  map[access]map[string]bool
}

// spawned is how many switch points a call passes before it starts a goroutine, and
// that one before it comes to the function that it is given.
type spawned struct{ parent, child int }

type lineKey struct {
	file string
	line int
}

// access is a kind of plain access at a line.
type access struct {
	lineKey
	write bool
}

func newFit() fit {
	return fit{spawns: map[lineKey]spawned{}, opaque: map[lineKey]map[int]int{}, first: map[lineKey]int{}, sites: map[access]map[string]bool{}}
}

// inside is how many switch points an opaque call at a line passes: as many as most
// did, or as the first one of a run.
func (f *fit) inside(at lineKey, first bool) int {
	if n, ok := f.first[at]; ok && first {
		return n
	}
	seen := f.opaque[at]
	best := 0
	for _, n := range slices.Sorted(maps.Keys(seen)) {
		if seen[n] > seen[best] {
			best = n
		}
	}
	return best
}

// writes says whether an instruction's plain access writes, and whether it has one of
// its own.
func writes(in ssa.Instruction) (write, plain bool) {
	switch in := in.(type) {
	case *ssa.Call:
		b, ok := in.Call.Value.(*ssa.Builtin)
		return true, ok && b.Name() == "append"
	case *ssa.Store:
		return true, true
	case *ssa.UnOp:
		return false, true
	}
	return false, false
}

func (p *Program) accessOf(s *spot) (access, bool) {
	w, plain := writes(s.in)
	return access{lineKey{s.file, s.line}, w}, plain
}

// switchable are hot places, with all others that the real program can't tell from
// them: those of the same kind on their lines or, where no run has shown any access of
// the line, all of the line.
func (p *Program) switchable(hot []string) []string {
	wanted := map[access]bool{}
	for _, text := range hot {
		if a, ok := p.accessAt(text); ok {
			wanted[a] = true
			if p.unseen(a.lineKey) {
				a.write = !a.write
				wanted[a] = true
			}
		}
	}
	var out []string
	for _, s := range p.numbered[1:] {
		if a, plain := p.accessOf(s); plain && wanted[a] && (len(p.fit.sites[a]) > 0 || p.unseen(a.lineKey)) {
			out = append(out, sim.Site(s.number))
		}
	}
	slices.Sort(out)
	return out
}

// unseen is true of lines of which no run of the real program has shown an access.
func (p *Program) unseen(at lineKey) bool {
	return len(p.fit.sites[access{at, false}])+len(p.fit.sites[access{at, true}]) == 0
}

func (p *Program) accessAt(text string) (access, bool) {
	at, err := site.Parse(text)
	if err != nil || at.Chain[0].Line <= 0 || at.Chain[0].Line >= len(p.numbered) {
		return access{}, false
	}
	return p.accessOf(p.numbered[at.Chain[0].Line])
}

// real is the schedule that lets the real program do what a run of the model, recorded
// as r, did under s.
func (p *Program) real(r *trace.Trace, s trace.Schedule) trace.Schedule {
	var hot []string
	for _, text := range p.switchable(s.Hot) {
		if a, ok := p.accessAt(text); ok {
			names := maps.Clone(p.fit.sites[a])
			if len(names) == 0 {
				names = map[string]bool{site.OfLine(endOf(a.file), a.line).String(): true}
			}
			for name := range names {
				if at, found := slices.BinarySearch(hot, name); !found {
					hot = slices.Insert(hot, at, name)
				}
			}
		}
	}
	s.Hot, s.Choices = hot, nil
	s.Segments = slices.Clone(s.Segments)
	keys := map[uint64]uint64{}
	for _, g := range r.Goroutines {
		keys[g.Key], _ = trace.KeyOfPath(g.Path)
	}
	for i := range s.Segments {
		s.Segments[i].G = keys[s.Segments[i].G]
	}
	for i := range r.Events {
		if e := &r.Events[i]; e.Op == trace.OpSelect && int64(e.Value) >= 0 {
			s.Choices = append(s.Choices, trace.Choice{G: keys[r.Goroutine(e.G).Key], Count: e.Count, Case: int(int64(e.Value))})
		}
	}
	slices.SortFunc(s.Choices, func(a, b trace.Choice) int {
		return cmp.Or(cmp.Compare(a.G, b.G), cmp.Compare(a.Count, b.Count))
	})
	return s
}

// endOf is a file's name with its folder, by which the index of a binary finds it.
func endOf(file string) string {
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
