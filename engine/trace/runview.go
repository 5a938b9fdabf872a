package trace

import (
	"encoding/binary"
	"errors"

	"github.com/hocket-dev/hocket/engine/rt"
)

// ErrNotRun is returned by Decode for bytes that are not a run file.
var ErrNotRun = errors.New("not a run file")

// runView reads an untrusted run file: a process may have been killed between
// any two of its stores, and files may be hostile. Every section is cut to its
// capacity and to the file.
type runView struct {
	data []byte
}

func newRunView(data []byte) (runView, error) {
	v := runView{data}
	if len(data) < rt.HeaderSize || v.word(rt.WMagic) != rt.Magic {
		return v, ErrNotRun
	}
	return v, nil
}

// word returns a word of the header.
func (v runView) word(i int) uint64 {
	return binary.LittleEndian.Uint64(v.data[i*8:])
}

// section returns the used entries of the section whose three header words
// (offset, capacity, length) start at w.
func (v runView) section(w, entrySize int) []byte {
	off, n := v.word(w), min(v.word(w+1), v.word(w+2))
	if off < rt.HeaderSize || off >= uint64(len(v.data)) {
		return nil
	}
	rest := v.data[off:]
	n = min(n, uint64(len(rest)/entrySize))
	return rest[:n*uint64(entrySize)]
}

// full is true when the section at w has no room left.
func (v runView) full(w int) bool {
	return v.word(w+1) > 0 && v.word(w+2) >= v.word(w+1)
}

func u32(b []byte, off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
func u64(b []byte, off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
