package analysis

import (
	"context"
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/hocket-dev/hocket/analysis/program"
	"github.com/hocket-dev/hocket/internal/bug"
)

// summarizer makes the summaries of a program's functions, and holds what was
// found out of it so far. It is used by one goroutine.
type summarizer struct {
	*program.Program
	ctx    context.Context
	errors []string
	cut    cut

	overlay map[string][]byte   // unsaved texts by file
	texts   map[string][][]byte // lines of files

	summaries map[*ssa.Function]*summary
	variants  map[variant]*summary
	busy      map[*ssa.Function]bool
	known     map[*ssa.Function]*facts
	chanSizes map[string]int  // bucket of a place → size of the channels put there
	condLocks map[string]step // bucket of a condition variable → the field that is its lock, beside it
	warned    map[*ssa.Function]bool
	hasCode   bool
	callSites map[*ssa.Function]map[ssa.Instruction]bool
}

func newSummarizer(ctx context.Context, p *program.Program) *summarizer {
	return &summarizer{Program: p, ctx: ctx, errors: p.Problems, texts: map[string][][]byte{},
		summaries: map[*ssa.Function]*summary{}, variants: map[variant]*summary{}, busy: map[*ssa.Function]bool{},
		known: map[*ssa.Function]*facts{}, condLocks: map[string]step{}, chanSizes: map[string]int{},
		warned:    map[*ssa.Function]bool{},
		callSites: map[*ssa.Function]map[ssa.Instruction]bool{}}
}

// variant is a function of which some bool parameters are known.
type variant struct {
	fn    *ssa.Function
	given string // 't', 'f' or '?' for each parameter; "" if none is known
}

// summary of a function; computed once. A recursive call sees an empty one.
func (p *summarizer) summary(fn *ssa.Function) *summary { return p.summaryFor(variant{fn: fn}) }

func (p *summarizer) summaryFor(v variant) (s *summary) {
	fn := v.fn
	if v.given != "" {
		if s := p.variants[v]; s != nil {
			return s
		}
	} else if s := p.summaries[fn]; s != nil {
		return s
	}
	if p.busy[fn] || p.ctx.Err() != nil {
		return &summary{fn: fn}
	}
	p.busy[fn] = true
	defer func() {
		delete(p.busy, fn)
		if v.given != "" {
			p.variants[v] = s
		} else {
			p.summaries[fn] = s
		}
	}()
	s = &summary{fn: fn}
	size := 0
	for _, b := range fn.Blocks {
		size += len(b.Instrs)
	}
	if size > maxInstructions {
		p.errors = append(p.errors, fmt.Sprintf("%s: not analyzed: %d instructions are more than the limit of %d", fn, size, maxInstructions))
		return s
	}
	p.attempt("analyzing function "+fn.String(), func() {
		w := newWalker(p, fn)
		w.given = v.given
		s = w.walk()
	})
	return s
}

// attempt runs f. A panic costs what f would have found, and is reported.
func (p *summarizer) attempt(doing string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			p.errors = append(p.errors, bug.Recovered(r, doing).Error())
		}
	}()
	f()
}

// maxInstructions of a function: tables made by generators are left out.
const maxInstructions = 20000
