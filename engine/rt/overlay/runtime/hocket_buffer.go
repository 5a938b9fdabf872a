//go:build hocket_overlay

package runtime

import "unsafe"

// Store buffers. Under a weaker memory model than sequential consistency, stores at
// the places that Hocket names wait, each in the buffer of its goroutine: the goroutine
// sees them, others don't until they are flushed, in order (TSO), or in order for each
// address (PSO). Only one goroutine runs at a time, so a buffer is a view: while its
// goroutine runs, the waiting stores are in memory; before another one runs they are
// taken out, and what was below them comes back.
//
// A goroutine's stores are flushed at each of its operations that is no plain access,
// when it blocks or ends, before a store of its own that can't wait (PSO: to the same
// memory), when there are too many of them, and all before memory is collected. Otherwise the schedule
// decides: with a seed each store is given a number of switch points to wait for.
//
// Only stores wait whose address and size are certain: not those with a write barrier,
// and none of several words. Which stores are named is known from the races of earlier runs: others don't wait either, and a run in
// which one of them races is none under the memory model.

// hkStore is a store that waits.
type hkStore struct {
	addr  uintptr
	size  uintptr
	owner uint32  // hkG.id
	value uint64  // what was stored; known once it was taken out
	below uint64  // what memory has without it, while it is in
	event uintptr // its record, 0 if there is none
	due   uint64  // flushed when so many switch points were passed by all; hkNever: not by itself
}

const (
	hkStoreMax = 64
	// hkStoreWide is the size of the widest value for which the hook is called that is
	// not told the size: a slice.
	hkStoreWide = 24
	hkNever     = 1<<64 - 1
)

var (
	hkStores   [hkStoreMax]hkStore // in the order in which they were made
	hkStoreN   int
	hkStoreOf  uint32 // whose stores are in memory
	hkStoreDue uint64 // the least due of all
	hkStoreRnd uint64
)

// hkStoreSize is how many bytes the store has before which the hook was called that
// returns to pc, 0 if it can't wait; named is whether it is one of those that Hocket
// names.
func hkStoreSize(pc uint64) (size uintptr, named bool) {
	base := hkBase + uintptr(hkHdr[hkWBufferOff])
	for i := uint64(0); i < hkHdr[hkWBufferLen]; i++ {
		if w := *(*uint64)(unsafe.Pointer(base + uintptr(i)*8)); w<<8>>8 == pc {
			return uintptr(w >> 56), true
		}
	}
	return 0, false
}

// hkStoring is called right before a scalar is stored at addr, as the last thing before
// it, by code that the hook returns to.
func hkStoring(addr uintptr, pc uint64) {
	if !hkRunning || hkHdr[hkWMemory] == hkMemorySC {
		return
	}
	gp := hkUser()
	size, named := hkStoreSize(pc)
	if gp == nil || size == 0 || addr%size != 0 || gcphase != _GCoff || addr-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		if named {
			hkStoreOver(addr, hkStoreWide)
		} else {
			hkStoreAlias(addr, hkStoreWide)
		}
		return
	}
	if hkStoreN == hkStoreMax {
		hkFlush(gp.hk.id)
	}
	for i := 0; i < hkStoreN; i++ { // one that covers a part of another
		if s := &hkStores[i]; s.owner == gp.hk.id && s.covers(addr, size) && (s.addr != addr || s.size != size) {
			hkFlush(gp.hk.id)
			break
		}
	}
	if hkStoreN == hkStoreMax {
		return // they are all of others: this one is made at once, after those of its goroutine
	}
	hkStoreShow(gp.hk.id)
	s := &hkStores[hkStoreN]
	*s = hkStore{addr: addr, size: size, owner: gp.hk.id, below: hkLoad(addr, size), event: hkLastEvent(gp, addr), due: hkStoreDraw(gp)}
	if hkStoreN == 0 {
		hkStoreDue = hkNever
	}
	hkStoreDue = min(hkStoreDue, s.due)
	hkStoreN++
	hkHdr[hkWBuffered]++
}

func (s *hkStore) covers(addr, size uintptr) bool { return s.addr < addr+size && addr < s.addr+s.size }

// hkStoreDraw is when the next store of gp is to be flushed.
func hkStoreDraw(gp *g) uint64 {
	seed := hkHdr[hkWBufferSeed]
	if seed == 0 {
		return hkNever
	}
	hkStoreRnd++
	switch r := hkMix(hkMix(seed^gp.hk.key) + hkStoreRnd); r % 4 {
	case 0:
		return hkHdr[hkWSteps]
	case 1:
		return hkHdr[hkWSteps] + 1 + r>>8%8
	}
	return hkNever
}

// hkStoreOver flushes the stores of the running goroutine that a store which is made at
// once may not overtake: all under TSO, those to its memory under PSO.
func hkStoreOver(addr, size uintptr) {
	if hkStoreN > 0 && hkHdr[hkWMemory] == hkMemoryTSO {
		hkFlush(getg().hk.id)
		return
	}
	hkStoreAlias(addr, size)
}

// hkStoreAlias flushes the stores of the running goroutine if it is about to write to
// their memory in another way.
func hkStoreAlias(addr, size uintptr) {
	for i := 0; i < hkStoreN; i++ {
		if s := &hkStores[i]; s.owner == getg().hk.id && s.covers(addr, size) {
			hkFlush(s.owner)
			return
		}
	}
}

// hkStoreShow makes memory what a goroutine sees; 0 is what all see.
//
//go:nosplit
func hkStoreShow(id uint32) {
	if hkStoreOf == id {
		return
	}
	for i := hkStoreN - 1; i >= 0; i-- {
		if s := &hkStores[i]; s.owner == hkStoreOf {
			s.value = hkLoad(s.addr, s.size)
			hkStoreTo(s.addr, s.size, s.below)
		}
	}
	for i := 0; i < hkStoreN; i++ {
		if s := &hkStores[i]; s.owner == id {
			s.below = hkLoad(s.addr, s.size)
			hkStoreTo(s.addr, s.size, s.value)
		}
	}
	hkStoreOf = id
}

// hkFlush makes all stores of a goroutine visible.
func hkFlush(owner uint32) {
	if hkStoreN > 0 {
		hkFlushThose(func(s *hkStore) bool { return s.owner == owner })
	}
}

// hkFlushAll makes all stores of all goroutines visible.
func hkFlushAll() {
	if hkStoreN > 0 {
		hkFlushThose(func(*hkStore) bool { return true })
	}
}

// hkFlushDue makes those visible whose time has come, after those that come before them.
func hkFlushDue() {
	if hkStoreN == 0 || hkHdr[hkWSteps] < hkStoreDue {
		return
	}
	for i := hkStoreN - 1; i >= 0; i-- {
		s := &hkStores[i]
		for j := i + 1; j < hkStoreN && s.due > hkHdr[hkWSteps]; j++ {
			if q := &hkStores[j]; q.owner == s.owner && q.due <= hkHdr[hkWSteps] && (hkHdr[hkWMemory] == hkMemoryTSO || q.addr == s.addr) {
				s.due = q.due
			}
		}
	}
	hkFlushThose(func(s *hkStore) bool { return s.due <= hkHdr[hkWSteps] })
}

func hkFlushThose(which func(*hkStore) bool) {
	show := hkStoreOf
	hkStoreShow(0)
	n := 0
	hkStoreDue = hkNever
	for i := 0; i < hkStoreN; i++ {
		s := &hkStores[i]
		if which(s) {
			hkStoreTo(s.addr, s.size, s.value)
			s.note()
			hkWrites++
			continue
		}
		hkStoreDue = min(hkStoreDue, s.due)
		hkStores[n] = *s
		n++
	}
	hkStoreN = n
	hkStoreShow(show)
}

// hkLastEvent is the record of the write that gp is about to make, 0 if it has none.
func hkLastEvent(gp *g, addr uintptr) uintptr {
	n := uintptr(hkHdr[hkWEventLen])
	if !hkPl || n == 0 {
		return 0
	}
	p := hkBase + uintptr(hkHdr[hkWEventOff]) + (n-1)*hkEventSize
	if w := *(*uint64)(unsafe.Pointer(p)); uint32(w) != gp.hk.id || uint8(w>>32) != hkOpWrite || *(*uint64)(unsafe.Pointer(p + 8)) != uint64(addr) {
		return 0
	}
	return p
}

// note puts the value that was stored into the record.
func (s *hkStore) note() {
	if s.event != 0 {
		hkPut64(s.event+24, s.value)
		hkPut64(s.event, *(*uint64)(unsafe.Pointer(s.event))|(hkEventHasValue|hkEventStored)<<40)
	}
}

//go:nosplit
func hkLoad(addr, size uintptr) uint64 {
	p := unsafe.Pointer(addr)
	switch size {
	case 8:
		return *(*uint64)(p)
	case 4:
		return uint64(*(*uint32)(p))
	case 2:
		return uint64(*(*uint16)(p))
	}
	return uint64(*(*uint8)(p))
}

//go:nosplit
func hkStoreTo(addr, size uintptr, v uint64) {
	p := unsafe.Pointer(addr)
	switch size {
	case 8:
		*(*uint64)(p) = v
	case 4:
		*(*uint32)(p) = uint32(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	default:
		*(*uint8)(p) = uint8(v)
	}
}
