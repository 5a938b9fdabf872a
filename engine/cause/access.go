package cause

import (
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/trace"
)

func isMemory(op trace.Op) bool {
	return op >= trace.OpRead && op <= trace.OpWriteRange || op >= trace.OpAtomicLoad && op <= trace.OpAtomicCAS ||
		op == trace.OpMapRead || op == trace.OpMapWrite
}

func reads(e *trace.Event) bool {
	switch e.Op {
	case trace.OpRead, trace.OpReadRange, trace.OpAtomicLoad, trace.OpAtomicRMW, trace.OpAtomicCAS, trace.OpMapRead:
		return true
	}
	return false
}

func writes(e *trace.Event) bool {
	switch e.Op {
	case trace.OpWrite, trace.OpWriteRange, trace.OpAtomicStore, trace.OpAtomicRMW, trace.OpMapWrite:
		return true
	case trace.OpAtomicCAS:
		return e.Value == 1
	}
	return false
}

// splitOffset takes the offset off an object's name.
func splitOffset(name string) (base string, offset int64) {
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
