//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// What a sync.Pool keeps in a recorded run. Which value Get returns must follow from
// the order of operations alone: so there are shelves, chosen by the goroutine's name,
// and the collector leaves what is on them.

const (
	hkShelves   = 4 // few: goroutines are to get what others have put back
	hkShelfRoom = 32
)

type hkShelf struct {
	lock uint32
	hkObj
	n    uint32
	free [hkShelfRoom]any
}

func hkShelfOf(shelves *[hkShelves]unsafe.Pointer) *hkShelf {
	at := &shelves[getg().hk.name>>40%hkShelves]
	s := (*hkShelf)(atomic.Loadp(unsafe.Pointer(at)))
	if s == nil {
		hkRawCasPtr(at, nil, unsafe.Pointer(new(hkShelf)))
		s = (*hkShelf)(atomic.Loadp(unsafe.Pointer(at)))
	}
	return s
}

// A shelf is locked only while nothing is called that could be preempted.

func hkPoolGet(shelves *[hkShelves]unsafe.Pointer) (x any) {
	s := hkShelfOf(shelves)
	hkLockWord(&s.lock)
	if !hkAgain(&s.hkObj) {
		hkTook(&s.hkObj, hkKindPool)
	}
	if s.n > 0 {
		s.n--
		x = s.free[s.n]
		s.free[s.n] = nil
	}
	hkPublish(&s.lock, 0)
	return x
}

func hkPoolPut(shelves *[hkShelves]unsafe.Pointer, x any) {
	s := hkShelfOf(shelves)
	hkLockWord(&s.lock)
	if !hkAgain(&s.hkObj) {
		hkTook(&s.hkObj, hkKindPool)
	}
	if s.n < hkShelfRoom {
		s.free[s.n] = x
		s.n++
	}
	hkPublish(&s.lock, 0)
}
