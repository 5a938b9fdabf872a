package trace

import (
	"strconv"
	"strings"
)

// IsMemory reports whether an operation is an access to memory: plain, atomic, or to a
// sync.Map.
func (o Op) IsMemory() bool {
	return o >= OpRead && o <= OpWriteRange || o >= OpAtomicLoad && o <= OpAtomicCAS || o == OpMapRead || o == OpMapWrite
}

// Reads reports whether an event is an access to memory that depends on what was there.
func (e *Event) Reads() bool {
	switch e.Op {
	case OpRead, OpReadRange, OpAtomicLoad, OpAtomicRMW, OpAtomicCAS, OpMapRead:
		return true
	}
	return false
}

// Writes reports whether an event is an access to memory that changed what was there.
func (e *Event) Writes() bool {
	switch e.Op {
	case OpWrite, OpWriteRange, OpAtomicStore, OpAtomicRMW, OpMapWrite:
		return true
	case OpAtomicCAS:
		return e.Value == 1
	}
	return false
}

// SplitOffset takes the offset off an object's name.
func SplitOffset(name string) (base string, offset int64) {
	i := strings.LastIndexByte(name, '+')
	if i < 0 {
		return name, 0
	}
	n, err := strconv.ParseInt(name[i+1:], 0, 64)
	if err != nil {
		return name, 0
	}
	return name[:i], n
}
