package image

import (
	"golang.org/x/arch/x86/x86asm"
)

// storeWithin bounds how many instructions come between the call of a hook before a
// store, and the store.
const storeWithin = 16

// StoreSize is the size of the store that comes right after an address, which a call of
// a hook returns to: 1, 2, 4 or 8 bytes of a register or a constant. 0 is anything
// else: a store with a write barrier, of more than 8 bytes, by a call, or of a machine
// that is not known.
func (m *Image) StoreSize(addr uint64) int {
	if m.arch != amd64 {
		return 0
	}
	at := addr + m.start - m.addr
	size := 0
	for range storeWithin {
		if at >= uint64(len(m.code)) {
			return size
		}
		in, err := x86asm.Decode(m.code[at:], 64)
		if err != nil || !passes(in.Op) {
			return size
		}
		if to, ok := in.Args[0].(x86asm.Mem); ok && writesFirst(in.Op) && to.Base != x86asm.RSP {
			if size > 0 {
				return 0 // a value of several words
			}
			switch in.MemBytes {
			case 1, 2, 4, 8:
				size = in.MemBytes
			default:
				return 0
			}
		}
		at += uint64(in.Len)
	}
	return size
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

// passes is true of instructions after which the next one runs.
func passes(op x86asm.Op) bool {
	switch op {
	case x86asm.CALL, x86asm.RET, x86asm.JMP, x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE, x86asm.JNE, x86asm.JNP, x86asm.JNS, x86asm.JP, x86asm.JS, x86asm.JO, x86asm.JNO, x86asm.UD2, x86asm.INT:
		return false
	}
	return true
}
