//go:build hocket_overlay

package syscall

import (
	"internal/race"
	"unsafe"
)

func hkReadAfter(int) { race.Acquire(unsafe.Pointer(&ioSync)) }
