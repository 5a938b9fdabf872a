package analysis

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/analysis/program"
)

// Source says which packages to read.
type Source = program.Source

// Analyze reads the packages and looks for pairs. name turns an absolute path
// into the one that the report shows. The error is only for what leaves nothing
// to look at, and for ctx.
func Analyze(ctx context.Context, src Source, name func(string) string) (*Report, error) {
	start := time.Now()
	l, err := program.Load(ctx, src)
	if err != nil {
		return nil, err
	}
	p := newSummarizer(ctx, program.Build(ctx, l.Fset, l.Packages))
	p.overlay = src.Overlay
	rep := p.report(l.Packages, name)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	rep.Errors = append(append([]string{}, l.Problems...), rep.Errors...)
	rep.MS = float64(time.Since(start).Microseconds()) / 1000
	return rep, nil
}

// analyze is Analyze of packages that are loaded.
func analyze(ctx context.Context, fset *token.FileSet, pkgs []*program.Package, name func(string) string) *Report {
	return newSummarizer(ctx, program.Build(ctx, fset, pkgs)).report(pkgs, name)
}

// report looks for pairs; pkgs are the packages that were to be looked at.
func (p *summarizer) report(pkgs []*program.Package, name func(string) string) *Report {
	rep := &Report{Version: Version, Pairs: []Pair{}, Cycles: []Cycle{}, Errors: []string{}}
	var all []*candidate
	p.entries(func(en *entry) {
		p.attempt("comparing the goroutines of "+en.name, func() { all = append(all, p.find(en)...) })
		if en.full {
			p.cut.entries++
		}
		en.forget()
	})
	p.attempt("ranking the pairs", func() {
		pl := p.placer(name)
		rep.Pairs = append(rep.Pairs, pl.rank(all)...)
		rep.Cycles = append(rep.Cycles, pl.cycles(rep.Pairs)...)
	})
	rep.Errors = append(rep.Errors, p.errors...)
	rep.Cut = p.cut.report()
	rep.Lines, rep.Package = lines(p.Fset, pkgs), packageNames(pkgs)
	return rep
}

func lines(fset *token.FileSet, pkgs []*program.Package) int {
	n, seen := 0, map[string]bool{}
	for _, u := range pkgs {
		for _, f := range u.Files {
			if tf := fset.File(f.FileStart); tf != nil && !seen[tf.Name()] {
				seen[tf.Name()] = true
				n += tf.LineCount()
			}
		}
	}
	return n
}

func packageNames(pkgs []*program.Package) string {
	var names []string
	for _, u := range pkgs {
		names = append(names, u.Path)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " ")
}

// rank orders the candidates, one for each pair of places.
func (pl *placer) rank(all []*candidate) []Pair {
	for _, c := range all {
		if c.doubt != "" {
			c.score = min(c.score, doubtful)
		}
	}
	slices.SortStableFunc(all, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	seen, kinds, groups := map[string]bool{}, map[string]bool{}, map[string]int{}
	causes := map[string]bool{}
	var out []Pair
	for _, c := range all {
		x, ok := pl.side(c.en, c.x)
		y, ok2 := pl.side(c.en, c.y)
		if !ok || !ok2 {
			continue
		}
		pair := Pair{Kind: c.kind, What: c.what, Why: c.why, Sides: []Side{x, y}}
		key := sideKey(x) + sideKey(y)
		if sideKey(y) < sideKey(x) {
			key = sideKey(y) + sideKey(x)
		}
		if c.then != nil {
			then, ok := pl.side(c.en, c.then)
			if !ok {
				continue
			}
			pair.Then = &then
			if kinds[key+string(c.kind)] || kinds[sideKey(y)+sideKey(then)+string(c.kind)] {
				continue
			}
			kinds[key+string(c.kind)] = true
			key += sideKey(then)
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		// More of the same is worth less: the first of each group comes first.
		c.score *= 1 - min(0.3, 0.06*float64(groups[c.group]))
		groups[c.group]++
		if c.doubt == "" && c.score >= enough {
			for _, cause := range c.causes() {
				if causes[cause] {
					c.doubt, c.score = "the same cause as a pair before", min(c.score, doubtful)
				}
				causes[cause] = true
			}
		}
		pair.Doubt = c.doubt
		pair.Score = float64(int(min(max(c.score, 0), 0.99)*100)) / 100
		out = append(out, pair)
	}
	slices.SortStableFunc(out, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Sides[0].File, b.Sides[0].File),
			cmp.Compare(a.Sides[0].Line, b.Sides[0].Line), cmp.Compare(a.Sides[1].Line, b.Sides[1].Line))
	})
	for i := range out {
		out[i].Rank = i + 1
	}
	return out
}

func sideKey(s Side) string { return fmt.Sprintf("%s:%d:%d ", s.File, s.Line, s.Column) }

// cycles are the lock orders that deadlock pairs consist of.
func (pl *placer) cycles(pairs []Pair) []Cycle {
	var out []Cycle
	for _, p := range pairs {
		if p.Kind != Deadlock || len(p.Sides[0].Locks) == 0 || len(p.Sides[1].Locks) == 0 {
			continue
		}
		var c Cycle
		c.Why = p.Why
		for _, s := range p.Sides {
			held := s.Locks[len(s.Locks)-1]
			c.Locks = append(c.Locks, held)
			c.Edges = append(c.Edges, Edge{Held: held, At: s})
		}
		c.Edges[0].Wanted, c.Edges[1].Wanted = c.Locks[1], c.Locks[0]
		out = append(out, c)
	}
	return out
}
