package conflictview

import (
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Candidate is a place that conflicts with another one, as it is sent to
// it.
type Candidate struct {
	URI    protocol.URI   `json:"uri"`
	Range  protocol.Range `json:"range"`
	Label  string         `json:"label"`  // "write in (*Cache).Put, cache.go:12"
	Detail string         `json:"detail"` // why, and under which locks
	Kind   string         `json:"kind"`   // of the conflict

	Access present.Access `json:"-"`
}

// Pair is two places that conflict, as they are sent to clients.
type Pair struct {
	Kind  string      `json:"kind"`
	What  string      `json:"what"`
	Why   string      `json:"why"`
	Score float64     `json:"score"`
	Sides []Candidate `json:"sides"`
}

// Candidates are the first n places that conflict with something on the lines
// from..to of a file, most suspicious first.
func (p *Package) Candidates(docs *files.Snapshot, path string, from, to, n int) []Candidate {
	out := []Candidate{}
	name, ok := p.names.Name(path)
	if !ok {
		return out
	}
	for _, other := range p.conflicts.Partners(name, from, to, p.text(docs)) {
		if len(out) == n {
			break
		}
		if c, ok := p.candidate(docs, other); ok {
			out = append(out, c)
		}
	}
	return out
}

// Pairs are the first n pairs of which both places are there, most suspicious
// first.
func (p *Package) Pairs(docs *files.Snapshot, n int) []Pair {
	out := []Pair{}
	for _, shown := range p.conflicts.All(p.text(docs)) {
		if len(out) == n {
			break
		}
		pair := Pair{Kind: string(shown.Pair.Kind), What: shown.Pair.What, Why: shown.Pair.Reason(), Score: shown.Pair.Score}
		for _, side := range shown.Sides {
			if c, ok := p.candidate(docs, present.Partner{Access: side, Pair: shown.Pair}); ok {
				pair.Sides = append(pair.Sides, c)
			}
		}
		if len(pair.Sides) == 2 {
			out = append(out, pair)
		}
	}
	return out
}

// Lenses are those on the lines of a file that have suspicious conflicts.
func (p *Package) Lenses(docs *files.Snapshot, path string) []present.Lens {
	name, ok := p.names.Name(path)
	if !ok {
		return nil
	}
	return present.ConflictLenses(p.conflicts.SharedIn(name, p.text(docs)))
}

func (p *Package) candidate(docs *files.Snapshot, other present.Partner) (Candidate, bool) {
	f, ok := docs.Named(p.names, other.File)
	if !ok {
		return Candidate{}, false
	}
	m := f.Mapper()
	at := protocol.Range{Start: m.GoPosition(other.At.Line, other.At.Start), End: m.GoPosition(other.At.Line, other.At.End)}
	return Candidate{URI: f.URI, Range: at, Label: other.Label(), Detail: other.Pair.Reason() + "; " + other.Detail(), Kind: string(other.Pair.Kind), Access: other.Access}, true
}

// text gives the texts of a snapshot by name.
func (p *Package) text(docs *files.Snapshot) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		f, ok := docs.Named(p.names, name)
		if !ok {
			return "", false
		}
		return f.Text, true
	}
}
