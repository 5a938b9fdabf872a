package image

import (
	"maps"

	"golang.org/x/arch/x86/x86asm"
)

// form is a value as a sum of multiples of values that are not known, and a constant.
type form struct {
	of   map[int]int64 // by the number of the unknown value
	plus int64
}

func (f form) equal(g form) bool { return f.plus == g.plus && maps.Equal(f.of, g.of) }

// add is f and times g.
func (f form) add(g form, times int64) form {
	sum := form{maps.Clone(f.of), f.plus + times*g.plus}
	if sum.of == nil {
		sum.of = map[int]int64{}
	}
	for n, k := range g.of {
		if sum.of[n] += times * k; sum.of[n] == 0 {
			delete(sum.of, n)
		}
	}
	return sum
}

// forms are what is known of the registers and of the words of the stack, while
// instructions run one after the other.
type forms struct {
	regs  map[x86asm.Reg]form
	slots map[int64]form // by the distance from the stack pointer
	last  int            // of the unknown values
}

func newForms() *forms {
	return &forms{regs: map[x86asm.Reg]form{}, slots: map[int64]form{}}
}

// forget is called where the program may come from elsewhere.
func (k *forms) forget() {
	clear(k.regs)
	clear(k.slots)
}

func (k *forms) unknown() form {
	k.last++
	return form{of: map[int]int64{k.last: 1}}
}

func (k *forms) reg(r x86asm.Reg) form {
	if _, ok := k.regs[r]; !ok {
		k.regs[r] = k.unknown()
	}
	return k.regs[r]
}

func (k *forms) slot(at int64) form {
	if _, ok := k.slots[at]; !ok {
		k.slots[at] = k.unknown()
	}
	return k.slots[at]
}

// address is that of an operand of an instruction after which the next is at next.
func (k *forms) address(m x86asm.Mem, next uint64) form {
	if m.Segment != 0 && m.Segment != x86asm.DS {
		return k.unknown()
	}
	sum := form{plus: m.Disp}
	switch m.Base {
	case 0:
	case x86asm.RIP:
		sum.plus += int64(next)
	default:
		sum = sum.add(k.reg(m.Base), 1)
	}
	if m.Index != 0 {
		sum = sum.add(k.reg(m.Index), int64(m.Scale))
	}
	return sum.add(form{}, 1)
}

// run learns from an instruction at an address.
func (k *forms) run(in x86asm.Inst, at uint64) {
	switch {
	case in.Op == x86asm.CMP, in.Op == x86asm.TEST, in.Op == x86asm.NOP, jumps(in.Op):
		return
	case in.Op == x86asm.CALL:
		clear(k.regs)
		return
	}
	to, isReg := in.Args[0].(x86asm.Reg)
	mem, isMem := in.Args[0].(x86asm.Mem)
	switch {
	case isReg && whole(to) == x86asm.RSP || in.Op == x86asm.PUSH || in.Op == x86asm.POP:
		k.forget()
	case isReg && to >= x86asm.RAX && to <= x86asm.R15:
		k.regs[to] = k.result(in, at)
	case isReg && whole(to) != 0:
		delete(k.regs, whole(to))
	case isMem && mem.Base == x86asm.RSP:
		k.store(in, mem)
	}
	switch in.Op {
	case x86asm.MUL, x86asm.IMUL, x86asm.DIV, x86asm.IDIV, x86asm.CQO, x86asm.CDQ, x86asm.CWD, x86asm.CMPXCHG:
		delete(k.regs, x86asm.RAX)
		delete(k.regs, x86asm.RDX)
	case x86asm.LEA, x86asm.ADD, x86asm.SUB, x86asm.INC, x86asm.DEC:
	default:
		if !writesFirst(in.Op) && !isReg { // several may be written
			clear(k.regs)
		}
		if second, ok := in.Args[1].(x86asm.Reg); ok && (in.Op == x86asm.XCHG || in.Op == x86asm.XADD) {
			delete(k.regs, whole(second))
		}
	}
}

// result is what an instruction leaves in its first operand, a register of 64 bits.
func (k *forms) result(in x86asm.Inst, at uint64) form {
	to := in.Args[0].(x86asm.Reg)
	switch from := in.Args[1].(type) {
	case x86asm.Reg:
		if from < x86asm.RAX || from > x86asm.R15 {
			break
		}
		switch in.Op {
		case x86asm.MOV:
			return k.reg(from)
		case x86asm.ADD:
			return k.reg(to).add(k.reg(from), 1)
		case x86asm.SUB:
			return k.reg(to).add(k.reg(from), -1)
		}
	case x86asm.Imm:
		switch in.Op {
		case x86asm.MOV:
			return form{plus: int64(from)}.add(form{}, 1)
		case x86asm.ADD:
			return k.reg(to).add(form{plus: int64(from)}, 1)
		case x86asm.SUB:
			return k.reg(to).add(form{plus: int64(from)}, -1)
		}
	case x86asm.Mem:
		switch {
		case in.Op == x86asm.LEA:
			return k.address(from, at+uint64(in.Len))
		case in.Op == x86asm.MOV && in.MemBytes == 8 && from.Base == x86asm.RSP && from.Index == 0 && from.Segment == 0:
			return k.slot(from.Disp)
		}
	}
	return k.unknown()
}

// store notes what an instruction leaves on the stack.
func (k *forms) store(in x86asm.Inst, to x86asm.Mem) {
	if to.Index != 0 || in.MemBytes == 0 {
		clear(k.slots)
		return
	}
	for at := range k.slots {
		if at < to.Disp+int64(in.MemBytes) && to.Disp < at+8 {
			delete(k.slots, at)
		}
	}
	if from, ok := in.Args[1].(x86asm.Reg); ok && in.Op == x86asm.MOV && from >= x86asm.RAX && from <= x86asm.R15 {
		k.slots[to.Disp] = k.reg(from)
	}
}

// whole is the register of 64 bits that a general one is a part of, 0 of others.
func whole(r x86asm.Reg) x86asm.Reg {
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		return r - x86asm.AL + x86asm.RAX
	case r >= x86asm.AH && r <= x86asm.BH:
		return r - x86asm.AH + x86asm.RAX
	case r >= x86asm.SPB && r <= x86asm.R15B:
		return r - x86asm.SPB + x86asm.RSP
	case r >= x86asm.AX && r <= x86asm.R15W:
		return r - x86asm.AX + x86asm.RAX
	case r >= x86asm.EAX && r <= x86asm.R15L:
		return r - x86asm.EAX + x86asm.RAX
	case r >= x86asm.RAX && r <= x86asm.R15:
		return r
	}
	return 0
}
