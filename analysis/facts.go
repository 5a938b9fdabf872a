package analysis

import "golang.org/x/tools/go/ssa"

// facts are what is known of a declared function and those inside it. They can
// be forgotten when nobody will ask again.
type facts struct {
	values      map[ssa.Value][]*path
	derived     map[ssa.Value][]ssa.Value
	dependences map[[2]ssa.Instruction]dependence
	links       map[chain]*chain // by equal ones; the first link is in the function
	handed      map[ssa.Value]*handed
}

// facts of the declared function that fn is or is in; nil: of what is in none.
func (p *summarizer) facts(fn *ssa.Function) *facts {
	for fn != nil && fn.Parent() != nil {
		fn = fn.Parent()
	}
	f := p.known[fn]
	if f == nil {
		f = &facts{map[ssa.Value][]*path{}, map[ssa.Value][]ssa.Value{}, map[[2]ssa.Instruction]dependence{}, map[chain]*chain{}, map[ssa.Value]*handed{}}
		p.known[fn] = f
	}
	return f
}

// forget what is known of a declared function that is not called.
func (p *summarizer) forget(fn *ssa.Function) {
	delete(p.known, fn)
	p.ForgetFlow(fn)
	p.forgetSummaries(fn)
}

func (p *summarizer) forgetSummaries(fn *ssa.Function) {
	delete(p.summaries, fn) // nobody calls it, so that it has no variants
	for _, inner := range fn.AnonFuncs {
		p.forgetSummaries(inner)
	}
}
