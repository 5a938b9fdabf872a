//go:build hocket_overlay

package runtime

import "unsafe"

// hkrSync is the clock of the synchronisation object at an address: what those
// know that acquire it.
type hkrSync struct {
	addr uintptr // 0: no entry
	vec  *hkrVec
	// If clk is not 0, vec is what goroutine tid knew at that clock of its own: who
	// knows tid at clk knows all of it.
	tid, clk uint32
}

// copy makes s hold what tid knows.
func (s *hkrSync) copy(tid uint32, t *hkrThread) {
	if s.vec = hkrVecCopy(s.vec, t.vec, 0); s.vec != nil {
		s.tid, s.clk = tid, t.vec.at(tid)
	}
}

// knows reports whether t is known to know all that s holds.
func (t *hkrThread) knows(s *hkrSync) bool {
	return s.vec == nil || s.clk != 0 && s.clk >= hkrThreads.t[s.tid].born && t.vec.at(s.tid) >= s.clk
}

const (
	hkrSyncFirst = 1 << 10 // entries of the first table
	hkrSyncMax   = 1 << 24
)

// hkrSyncTable is a hash table with linear probing. Only as many entries exist as
// hkrSyncRoom says; at most half are in use.
type hkrSyncTable struct {
	_ notInHeap
	e [hkrSyncMax]hkrSync
}

// hkrSyncSet says which granules of a chunk hold synchronisation objects, so that
// memory that is allocated again loses them without a search. A granule stays in
// it until then.
type hkrSyncSet struct {
	_     notInHeap
	count uint32 // granules in the set
	bits  [hkrLeafCells / 64]uint64
}

var (
	hkrSyncs     *hkrSyncTable
	hkrSyncRoom  uintptr // a power of two
	hkrSyncCount uintptr
)

func hkrSyncInit() {
	hkrSyncRoom, hkrSyncCount = hkrSyncFirst, 0
	hkrSyncs = hkrSyncTableNew(hkrSyncRoom)
}

// hkrSyncTableNew is an empty table of n entries, or nil, the detector being off
// then.
func hkrSyncTableNew(n uintptr) *hkrSyncTable {
	table := (*hkrSyncTable)(hkSysAlloc(n * unsafe.Sizeof(hkrSync{})))
	if table == nil {
		hkrOff()
	}
	return table
}

// hkrAcquire orders what was released to addr before what tid does next.
//
//go:nowritebarrierrec
func hkrAcquire(tid uint32, addr uintptr) {
	t := hkrThreadOf(tid)
	if t == nil {
		return
	}
	if s := hkrSyncFind(addr); s != nil && !t.knows(s) {
		t.vec = hkrVecJoin(t.vec, s.vec)
	}
}

// hkrAcquireTid orders all that goroutine from did so far before what tid does
// next. It serves where the runtime acts for a goroutine: finalizers, timers.
//
//go:nowritebarrierrec
func hkrAcquireTid(tid, from uint32) {
	t, f := hkrThreadOf(tid), hkrThreadOf(from)
	if t == nil || f == nil || t == f {
		return
	}
	t.vec = hkrVecJoin(t.vec, f.vec)
	f.tick()
}

// hkrAcquireAll orders all that anyone did so far before what tid does next. It
// serves the goroutine of finalizers and cleanups, which follow the last use of
// their object, whoever made it.
//
//go:nowritebarrierrec
func hkrAcquireAll(tid uint32) {
	t := hkrThreadOf(tid)
	if t == nil {
		return
	}
	t.vec = hkrVecWiden(t.vec, hkrTids)
	if t.vec == nil {
		return
	}
	for i := range hkrTids {
		other := &hkrThreads.t[i]
		t.vec.c[i] = uint32(other.epoch >> hkrWordClkShift)
		if other != t && other.live {
			other.tick()
		}
	}
}

// hkrRelease makes addr hold what tid did and knows, instead of what it held.
//
//go:nowritebarrierrec
func hkrRelease(tid uint32, addr uintptr) {
	if t, s := hkrSyncOf(tid, addr); s != nil {
		s.copy(tid, t)
		t.tick()
	}
}

// hkrReleaseMerge makes addr hold what tid did and knows, besides what it held.
//
//go:nowritebarrierrec
func hkrReleaseMerge(tid uint32, addr uintptr) {
	if t, s := hkrSyncOf(tid, addr); s != nil {
		if t.knows(s) {
			s.copy(tid, t)
		} else {
			s.vec, s.clk = hkrVecJoin(s.vec, t.vec), 0
		}
		t.tick()
	}
}

// hkrReleaseAcquire exchanges: tid gets what addr held, and addr holds what tid
// did and knew before. For the slot of a buffered channel that orders the k-th
// receive before the end of the (k+C)-th send, but not before its receive.
//
//go:nowritebarrierrec
func hkrReleaseAcquire(tid uint32, addr uintptr) {
	t, s := hkrSyncOf(tid, addr)
	if s == nil {
		return
	}
	held, known := s.vec, t.knows(s)
	s.vec = nil
	s.copy(tid, t)
	if held != nil && s.vec != nil {
		if !known {
			t.vec = hkrVecJoin(t.vec, held)
		}
		hkrVecDrop(held)
	}
	if t.vec != nil {
		t.tick()
	}
}

// hkrSyncOf is the state of tid and of the object at addr, which is made if it is
// new; both are nil if either can't be.
func hkrSyncOf(tid uint32, addr uintptr) (*hkrThread, *hkrSync) {
	t := hkrThreadOf(tid)
	if t == nil || addr == 0 {
		return nil, nil
	}
	s := hkrSyncFind(addr)
	if s == nil {
		s = hkrSyncAdd(addr)
	}
	if s == nil {
		return nil, nil
	}
	return t, s
}

// hkrSyncHome is where the search for addr begins.
func hkrSyncHome(addr uintptr) uintptr {
	return uintptr(uint64(addr)*0x9E3779B97F4A7C15>>40) & (hkrSyncRoom - 1)
}

func hkrSyncFind(addr uintptr) *hkrSync {
	for i := hkrSyncHome(addr); ; i = (i + 1) & (hkrSyncRoom - 1) {
		switch s := &hkrSyncs.e[i]; s.addr {
		case addr:
			if addr == 0 {
				return nil
			}
			return s
		case 0:
			return nil
		}
	}
}

// hkrSyncAdd enters an object that is not in the table. It is nil if there is no
// memory for it, the detector being off then.
func hkrSyncAdd(addr uintptr) *hkrSync {
	chunk := hkrChunkMake(addr)
	if chunk == nil {
		hkrOff()
		return nil
	}
	if chunk.syncs == nil {
		chunk.syncs = (*hkrSyncSet)(hkrCarve(unsafe.Sizeof(hkrSyncSet{})))
		if chunk.syncs == nil {
			return nil
		}
	}
	if hkrSyncCount >= hkrSyncRoom/2 && !hkrSyncGrow() {
		return nil
	}
	chunk.syncs.add(addr >> hkrGranuleShift % hkrLeafCells)
	hkrSyncCount++
	return hkrSyncPut(hkrSync{addr: addr})
}

// hkrSyncPut enters an object that is not in the table, which has room.
func hkrSyncPut(sync hkrSync) *hkrSync {
	i := hkrSyncHome(sync.addr)
	for hkrSyncs.e[i].addr != 0 {
		i = (i + 1) & (hkrSyncRoom - 1)
	}
	s := &hkrSyncs.e[i]
	*s = sync
	return s
}

// hkrSyncGrow doubles the table. The old one is lost: all lost ones together are
// smaller than the one in use.
func hkrSyncGrow() bool {
	old, n := hkrSyncs, hkrSyncRoom
	if n == hkrSyncMax {
		hkrOff()
		return false
	}
	table := hkrSyncTableNew(2 * n)
	if table == nil {
		return false
	}
	hkrSyncs, hkrSyncRoom = table, 2*n
	for i := range n {
		if s := &old.e[i]; s.addr != 0 {
			hkrSyncPut(*s)
		}
	}
	return true
}

// hkrSyncRemove takes an object out, and moves up those that had to go past it.
func hkrSyncRemove(s *hkrSync) {
	hkrVecDrop(s.vec)
	hkrSyncCount--
	mask := hkrSyncRoom - 1
	hole := (uintptr(unsafe.Pointer(s)) - uintptr(unsafe.Pointer(&hkrSyncs.e))) / unsafe.Sizeof(*s)
	for i := (hole + 1) & mask; hkrSyncs.e[i].addr != 0; i = (i + 1) & mask {
		home := hkrSyncHome(hkrSyncs.e[i].addr)
		if (i-home)&mask >= (i-hole)&mask {
			hkrSyncs.e[hole] = hkrSyncs.e[i]
			hole = i
		}
	}
	hkrSyncs.e[hole] = hkrSync{}
}

func (set *hkrSyncSet) add(i uintptr) {
	if word, bit := &set.bits[i/64], uint64(1)<<(i%64); *word&bit == 0 {
		*word |= bit
		set.count++
	}
}

// drop removes the objects in [addr, end), which lies in the set's chunk.
//
//go:nowritebarrierrec
func (set *hkrSyncSet) drop(addr, end uintptr) {
	for granule := addr &^ 7; granule < end; {
		i := granule >> hkrGranuleShift % hkrLeafCells
		rest := set.bits[i/64] >> (i % 64)
		if rest == 0 {
			granule += (64 - i%64) * 8
			continue
		}
		if rest&1 != 0 && set.dropGranule(granule, addr, end) {
			set.bits[i/64] &^= 1 << (i % 64)
			set.count--
		}
		granule += 8
	}
}

// dropGranule removes the objects of a granule that lie in [addr, end), and tells
// whether none can be left.
func (set *hkrSyncSet) dropGranule(granule, addr, end uintptr) bool {
	for a := max(granule, addr); a < min(granule+8, end); a++ {
		if s := hkrSyncFind(a); s != nil {
			hkrSyncRemove(s)
		}
	}
	return addr <= granule && granule+8 <= end
}
