//go:build hocket_overlay

// Package race replaces the inert half of internal/race in a controlled
// build: std's race annotations reach Hocket's detector.
package race

import (
	"internal/abi"
	"unsafe"
)

const Enabled = true

//go:linkname hkAcquire runtime.hkAcquire
func hkAcquire(addr unsafe.Pointer)

//go:linkname hkRelease runtime.hkRelease
func hkRelease(addr unsafe.Pointer)

//go:linkname hkReleaseMerge runtime.hkReleaseMerge
func hkReleaseMerge(addr unsafe.Pointer)

//go:linkname hkRaceIgnore runtime.hkRaceIgnore
func hkRaceIgnore(d int8)

//go:linkname hkRaceAccess runtime.hkRaceAccess
func hkRaceAccess(addr unsafe.Pointer, size uintptr, scalar, write bool, pc uintptr)

//go:linkname hkRaceObject runtime.hkRaceObject
func hkRaceObject(t *abi.Type, addr unsafe.Pointer, write bool, pc uintptr)

func Acquire(addr unsafe.Pointer)      { hkAcquire(addr) }
func Release(addr unsafe.Pointer)      { hkRelease(addr) }
func ReleaseMerge(addr unsafe.Pointer) { hkReleaseMerge(addr) }
func Disable()                         { hkRaceIgnore(1) }
func Enable()                          { hkRaceIgnore(-1) }
func Read(addr unsafe.Pointer)         { hkRaceAccess(addr, 1, true, false, 0) }
func Write(addr unsafe.Pointer)        { hkRaceAccess(addr, 1, true, true, 0) }
func Errors() int                      { return 0 }

func ReadPC(addr unsafe.Pointer, callerpc, pc uintptr) {
	hkRaceAccess(addr, 1, true, false, callerpc)
}

func WritePC(addr unsafe.Pointer, callerpc, pc uintptr) {
	hkRaceAccess(addr, 1, true, true, callerpc)
}

func ReadObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	hkRaceObject(t, addr, false, callerpc)
}

func WriteObjectPC(t *abi.Type, addr unsafe.Pointer, callerpc, pc uintptr) {
	hkRaceObject(t, addr, true, callerpc)
}

func ReadRange(addr unsafe.Pointer, len int) {
	hkRaceAccess(addr, uintptr(len), false, false, 0)
}

func WriteRange(addr unsafe.Pointer, len int) {
	hkRaceAccess(addr, uintptr(len), false, true, 0)
}
