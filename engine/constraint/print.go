package constraint

import (
	"fmt"
	"strings"
)

var opNames = [...]string{"nop", "read", "write", "rmw", "lock", "unlock", "rlock", "runlock",
	"trylock", "tryrlock", "add", "wait", "condwait", "condwake", "signal", "broadcast",
	"send", "recv", "close", "default", "spawn", "start", "end"}

func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return fmt.Sprintf("op%d", uint8(op))
}

var kindNames = [...]string{"location", "mutex", "wait group", "cond", "channel"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind%d", uint8(k))
}

var termNames = [...]string{"const", "sym", "+", "-", "*", "&", "|", "^", "==", "!=",
	"<", "<=", "<u", "<=u", "!", "all", "any", "ite"}

func (op TermOp) String() string {
	if int(op) < len(termNames) {
		return termNames[op]
	}
	return fmt.Sprintf("term%d", uint8(op))
}

// String is bits as a number, or the identity of a fresh value: ν7 is what
// event 7 makes, ν-1 an initial one.
func (v Value) String() string {
	switch {
	case v.Fresh == 0:
		return fmt.Sprint(v.Bits)
	case v.Fresh == derived:
		return fmt.Sprintf("ν#%x", v.Bits)
	case v.Fresh < 0:
		return fmt.Sprintf("ν%d", v.Fresh)
	}
	return fmt.Sprintf("ν%d", v.Fresh-1)
}

// String writes symbols as v(event), and the width behind operations that have
// one below 64.
func (t *Term) String() string {
	if t == nil {
		return "ν"
	}
	width := ""
	if t.Width != 0 && t.Width != 64 {
		width = fmt.Sprintf(":%d", t.Width)
	}
	switch {
	case t.Op == Const:
		return t.Value.String() + width
	case t.Op == Sym:
		return fmt.Sprintf("v(%d)%s", t.Event, width)
	case t.Op >= TAdd && t.Op <= TULe && len(t.Args) > 0:
		return "(" + joinTerms(t.Args, " "+t.Op.String()+width+" ") + ")"
	}
	return t.Op.String() + "(" + joinTerms(t.Args, ", ") + ")"
}

func joinTerms(terms []*Term, sep string) string {
	parts := make([]string, len(terms))
	for i, t := range terms {
		parts[i] = t.String()
	}
	return strings.Join(parts, sep)
}
