package analysis

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// dispatched reports whether an operation lies in a method that the call of an
// interface's method hardly leads to: of a type that, as far as is seen, nothing
// in this entry puts into an interface, or for callers of one type of several.
func (f *finder) dispatched(e *event) bool {
	for c := e.chain; c.next != nil; c = c.next {
		call, ok := c.instr.(ssa.CallInstruction)
		if !ok || !call.Common().IsInvoke() {
			continue
		}
		if f.en.callers {
			if len(f.p.Implementations(call.Common().Method)) > 1 {
				return true
			}
			continue
		}
		if recv := c.next.instr.Parent().Signature.Recv(); recv != nil && !f.en.isLive(recv.Type()) {
			return true
		}
	}
	return false
}

// isLive reports whether a value of the type is put into an interface.
func (en *entry) isLive(t types.Type) bool {
	if en.live == nil {
		en.live = map[string]bool{}
		seen := map[*ssa.Function]bool{}
		for _, e := range en.events {
			for c := e.chain; c != nil; c = c.next {
				en.reach(c.instr.Parent(), seen)
			}
		}
	}
	return en.live[types.TypeString(t, nil)] || en.live[types.TypeString(deref(t), nil)]
}

// reach notes the types that a function, and those that it calls by name, put into interfaces.
func (en *entry) reach(fn *ssa.Function, seen map[*ssa.Function]bool) {
	if fn == nil || seen[fn] {
		return
	}
	seen[fn] = true
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.MakeInterface:
				en.live[types.TypeString(in.X.Type(), nil)] = true
			case ssa.CallInstruction:
				if callee := in.Common().StaticCallee(); callee != nil {
					en.reach(en.p.WithBody(callee), seen)
				}
			}
		}
	}
	for _, inner := range fn.AnonFuncs {
		en.reach(inner, seen)
	}
}
