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
	busy      map[*ssa.Function]bool
	known     map[*ssa.Function]*facts
	chanSizes map[string]int  // bucket of a place → size of the channels put there
	condLocks map[string]step // bucket of a condition variable → the field that is its lock, beside it
	callSites map[*ssa.Function]map[ssa.Instruction]bool
}

func newSummarizer(ctx context.Context, p *program.Program) *summarizer {
	return &summarizer{Program: p, ctx: ctx, errors: p.Problems, texts: map[string][][]byte{},
		summaries: map[*ssa.Function]*summary{}, busy: map[*ssa.Function]bool{},
		known: map[*ssa.Function]*facts{}, condLocks: map[string]step{}, chanSizes: map[string]int{},
		callSites: map[*ssa.Function]map[ssa.Instruction]bool{}}
}

// summary of a function; computed once. A recursive call sees an empty one.
func (p *summarizer) summary(fn *ssa.Function) (s *summary) {
	if s := p.summaries[fn]; s != nil {
		return s
	}
	if p.busy[fn] || p.ctx.Err() != nil {
		return &summary{fn: fn}
	}
	p.busy[fn] = true
	defer func() {
		delete(p.busy, fn)
		p.summaries[fn] = s
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
	p.attempt("analyzing function "+fn.String(), func() { s = newWalker(p, fn).walk() })
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
