// Package racecore is the race detector taken out of package runtime: its files,
// copied beside this one, which stands for what they use of the runtime.
package racecore

import (
	"syscall"
	"unsafe"
)

type notInHeap struct{}

const textStart = 0x400000

var firstmoduledata = struct{ text uintptr }{textStart}

// report is one call of hkRaceReport. The pcs are relative to text.
type report struct {
	addr           uintptr
	gid1, gid2     uint32
	pc1, pc2       uint32
	write1, write2 bool
}

var (
	reports  []report
	shared   []uintptr
	mapped   [][]byte
	noMemory bool // hkSysAlloc gives nil
)

func hkSysAlloc(n uintptr) unsafe.Pointer {
	if noMemory {
		return nil
	}
	b, err := syscall.Mmap(-1, 0, int(n), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	mapped = append(mapped, b)
	return unsafe.Pointer(&b[0])
}

func hkRaceReport(addr uintptr, gid1, pc1 uint32, write1 bool, gid2 uint32, pc2 uintptr, write2 bool) {
	reports = append(reports, report{addr, gid1, gid2, pc1, uint32(pc2 - textStart), write1, write2})
}

func hkSharedFound(granule uintptr) { shared = append(shared, granule) }

// restart begins a detector that knows nothing, and frees what the last one had.
func restart() {
	for _, b := range mapped {
		if err := syscall.Munmap(b); err != nil {
			panic(err)
		}
	}
	reports, shared, mapped, noMemory = nil, nil, nil, false
	hkrInit()
}
