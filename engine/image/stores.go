package image

import (
	"slices"

	"golang.org/x/arch/x86/x86asm"
)

// storeWithin bounds how many instructions come between the call of a hook before a
// store, and what shows that the store is the only one.
const storeWithin = 32

// StoreSize is the size of the store of a register or a constant that the hook is called
// for which returns to addr: 1, 2, 4 or 8 bytes. 0 is anything that is not certain to be
// one: a store with a write barrier, one of several words or of a part of them, by a
// call, to another address than the hook's, or of a machine that is not known.
func (m *Image) StoreSize(addr uint64) int {
	f, ok := m.FuncAt(addr)
	if m.arch != amd64 || !ok {
		return 0
	}
	code, joins := m.decode(f)
	after := slices.IndexFunc(code, func(in instruction) bool { return in.at == addr })
	if after < 1 || code[after-1].Op != x86asm.CALL {
		return 0
	}
	known := newForms()
	var asked form // the address that the hook is called with
	size := 0
	for i, in := range code[:min(after+storeWithin, len(code))] {
		if joins[in.at] {
			known.forget()
		}
		if i == after-1 {
			asked = known.reg(x86asm.RAX)
		}
		if i >= after {
			switch {
			case ends(in.Op):
				return size
			case jumps(in.Op):
				return 0 // it may be for a write barrier, or before the next word
			}
			if to, ok := stored(in.Inst); ok {
				if size > 0 || !writesFirst(in.Op) || in.MemBytes > 8 || !known.address(to, in.at+uint64(in.Len)).equal(asked) {
					return 0
				}
				size = in.MemBytes
			}
		}
		known.run(in.Inst, in.at)
	}
	return 0
}

// instruction is one at an address.
type instruction struct {
	x86asm.Inst
	at uint64
}

// decode returns the instructions of a function, and where its jumps go to; none if one
// of them is not known.
func (m *Image) decode(f Func) (code []instruction, joins map[uint64]bool) {
	joins = map[uint64]bool{}
	text := m.code[min(f.Addr+m.start-m.addr, uint64(len(m.code))):]
	text = text[:min(f.Size, uint64(len(text)))]
	for at := f.Addr; len(text) > 0; {
		in, err := x86asm.Decode(text, 64)
		if err != nil {
			return nil, nil
		}
		code = append(code, instruction{in, at})
		text = text[in.Len:]
		at += uint64(in.Len)
		if to, ok := in.Args[0].(x86asm.Rel); ok && in.Op != x86asm.CALL {
			joins[at+uint64(int64(to))] = true
		}
	}
	return code, joins
}

// stored is the memory, other than the stack, that an instruction may write.
func stored(in x86asm.Inst) (x86asm.Mem, bool) {
	to, ok := in.Args[0].(x86asm.Mem)
	switch in.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.NOP, x86asm.PUSH, x86asm.LEA:
		return to, false
	}
	return to, ok && to.Base != x86asm.RSP
}

// writesFirst is true of instructions that write their first operand.
func writesFirst(op x86asm.Op) bool {
	switch op {
	case x86asm.MOV, x86asm.MOVSS, x86asm.MOVSD_XMM, x86asm.MOVD, x86asm.MOVQ, x86asm.INC, x86asm.DEC, x86asm.ADD, x86asm.SUB, x86asm.AND, x86asm.OR, x86asm.XOR, x86asm.NEG, x86asm.NOT, x86asm.SHL, x86asm.SHR, x86asm.SAR,
		x86asm.SETA, x86asm.SETAE, x86asm.SETB, x86asm.SETBE, x86asm.SETE, x86asm.SETG, x86asm.SETGE, x86asm.SETL, x86asm.SETLE, x86asm.SETNE, x86asm.SETNP, x86asm.SETNS, x86asm.SETP, x86asm.SETS, x86asm.SETO, x86asm.SETNO:
		return true
	}
	return false
}

// ends is true of instructions after which another part of the program runs.
func ends(op x86asm.Op) bool {
	switch op {
	case x86asm.CALL, x86asm.RET, x86asm.JMP, x86asm.UD2, x86asm.INT:
		return true
	}
	return false
}

// jumps is true of conditional jumps.
func jumps(op x86asm.Op) bool {
	switch op {
	case x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE, x86asm.JNE, x86asm.JNP, x86asm.JNS, x86asm.JP, x86asm.JS, x86asm.JO, x86asm.JNO, x86asm.JCXZ, x86asm.JECXZ, x86asm.JRCXZ, x86asm.LOOP, x86asm.LOOPE, x86asm.LOOPNE:
		return true
	}
	return false
}
