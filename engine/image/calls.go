package image

import (
	"bytes"
	"encoding/binary"
)

// Call is a direct call of a function.
type Call struct {
	Return uint64 // address, relative to the start of the text
	Callee string
}

// Calls are the direct calls that a function makes, in order of address.
func (m *Image) Calls(f Func) []Call {
	from := m.start + f.Addr - m.addr
	if from > uint64(len(m.code)) {
		return nil
	}
	return m.calls(from, min(from+f.Size, uint64(len(m.code))))
}

// AllCalls are the direct calls of some functions anywhere in the program.
func (m *Image) AllCalls(of func(callee string) bool) []Call {
	var out []Call
	for _, c := range m.calls(0, uint64(len(m.code))) {
		if of(c.Callee) {
			out = append(out, c)
		}
	}
	return out
}

// calls looks at a part of the code. Bytes that only look like a call would
// have to hold the very distance to a function.
func (m *Image) calls(from, to uint64) (out []Call) {
	code := m.code[from:to]
	add := func(ret, callee uint64) {
		if name, ok := m.entry[callee]; ok {
			out = append(out, Call{ret - m.start, name})
		}
	}
	base := m.addr + from
	switch m.arch {
	case amd64: // E8 rel32
		for i := 0; i+5 <= len(code); i++ {
			n := bytes.IndexByte(code[i:len(code)-4], 0xE8)
			if n < 0 {
				break
			}
			i += n
			ret := base + uint64(i) + 5
			add(ret, ret+uint64(int64(int32(binary.LittleEndian.Uint32(code[i+1:])))))
		}
	case arm64: // BL imm26
		for i := 0; i+4 <= len(code); i += 4 {
			if w := binary.LittleEndian.Uint32(code[i:]); w>>26 == 0b100101 {
				pc := base + uint64(i)
				add(pc+4, pc+uint64(int64(int32(w<<6)>>4)))
			}
		}
	}
	return out
}
