//go:build hocket_overlay

package runtime

import "unsafe"

const (
	hkrMaxTid = 4096
	hkrNoTid  = ^uint32(0)

	// hkrReuseAfter tids are handed out before any is used again: a short
	// program never reuses one.
	hkrReuseAfter = 256
	// hkrReuseSoft bounds the tids handed out while some of ended goroutines
	// are to be had, since clocks grow with them.
	hkrReuseSoft = 1024
	// hkrReuseScan is how many free tids are looked at for one whose last
	// access is known to the new goroutine.
	hkrReuseScan = 64

	hkrVecMin     = 16 // entries of the smallest vector
	hkrVecClasses = 9  // 16, 32 ... 4096 entries
	hkrSlabSize   = 256 << 10
)

// hkrVec is a vector clock. Entry t is how much of tid t's time is known; those
// from n on are 0 and not stored.
type hkrVec struct {
	_     notInHeap
	next  *hkrVec // in a free list
	class uint32  // room for hkrVecMin<<class entries
	n     uint32
	c     [hkrMaxTid]uint32 // the tail beyond the room does not exist
}

// hkrThread is the state of a tid. The clock of a tid goes on from one goroutine
// to the next, so that an epoch never comes twice.
type hkrThread struct {
	vec   *hkrVec // kept after the end until the tid is used again
	epoch uint64  // clock<<32 | tid<<16; 0 before the first use
	used  uint32  // clock of the last access that left a slot, by whatever goroutine had the tid
	next  uint32  // next free tid
	born  uint32  // clock with which the goroutine that has the tid began
	live  bool
}

// hkrSlab stands for bytes of any use.
type hkrSlab struct{ _ notInHeap }

type hkrThreadTable struct {
	_ notInHeap
	t [hkrMaxTid]hkrThread
}

var (
	hkrThreads  *hkrThreadTable
	hkrTids     uint32 // tids handed out so far
	hkrFreeHead uint32 // tids of ended goroutines, a queue
	hkrFreeTail uint32

	hkrVecFree  [hkrVecClasses]*hkrVec
	hkrSlabAddr *hkrSlab // rest of the memory that vectors are cut from
	hkrSlabLeft uintptr
)

func hkrClockInit() {
	hkrTids, hkrFreeHead, hkrFreeTail = 0, hkrNoTid, hkrNoTid
	hkrVecFree = [hkrVecClasses]*hkrVec{}
	hkrSlabAddr, hkrSlabLeft = nil, 0
	hkrThreads = (*hkrThreadTable)(hkSysAlloc(unsafe.Sizeof(hkrThreadTable{})))
	if hkrThreads == nil {
		hkrOff()
	}
	hkrSyncInit()
}

// hkrGoStart says that goroutine parent (hkrNoTid: none) created goroutine gid,
// and gives it a tid. What parent did so far is ordered before the new one.
//
//go:nowritebarrierrec
func hkrGoStart(parent uint32, gid uint32) (tid uint32) {
	if !hkrOn {
		return hkrNoTid
	}
	p := hkrThreadOf(parent)
	tid = hkrTidTake(p)
	if tid == hkrNoTid {
		hkrOff()
		return hkrNoTid
	}
	t := &hkrThreads.t[tid]
	var known *hkrVec
	if p != nil {
		known = p.vec
	}
	t.vec = hkrVecCopy(t.vec, known, tid+1)
	if t.vec == nil {
		return hkrNoTid
	}
	clock := t.epoch>>hkrWordClkShift + 1
	t.epoch = clock<<hkrWordClkShift | uint64(tid)<<hkrWordTidShift
	t.vec.c[tid] = uint32(clock)
	t.live, t.born = true, uint32(clock)
	if p != nil {
		p.tick()
	}
	return tid
}

// hkrGoEnd says that the goroutine of tid ended. That orders nothing.
func hkrGoEnd(tid uint32) {
	if t := hkrThreadOf(tid); t != nil && t.live {
		t.live = false
		hkrFreePush(tid)
	}
}

// hkrThreadOf is the state of tid, nil if it stands for no goroutine.
func hkrThreadOf(tid uint32) *hkrThread {
	if !hkrOn || tid >= hkrTids {
		return nil
	}
	return &hkrThreads.t[tid]
}

// tick begins a new epoch: what t does from now on is not known to those that
// know its past.
func (t *hkrThread) tick() {
	t.epoch += 1 << hkrWordClkShift
	t.vec.c[uint32(t.epoch>>hkrWordTidShift)%hkrMaxTid]++
}

// hkrTidTake chooses the tid of a goroutine created by p (nil: by none): a new
// one while few are out, else one whose last access p knows, else a new one
// while they are not many, else the one that has been free longest.
func hkrTidTake(p *hkrThread) uint32 {
	if hkrTids >= hkrReuseAfter {
		for range hkrReuseScan {
			tid := hkrFreePop()
			if tid == hkrNoTid {
				break
			}
			if used := hkrThreads.t[tid].used; used == 0 || p != nil && used <= p.vec.at(tid) {
				return tid
			}
			hkrFreePush(tid)
		}
	}
	if hkrTids >= hkrReuseSoft {
		if tid := hkrFreePop(); tid != hkrNoTid {
			hkrReused++
			return tid
		}
	}
	if hkrTids == hkrMaxTid {
		return hkrNoTid
	}
	hkrTids++
	return hkrTids - 1
}

func hkrFreePush(tid uint32) {
	hkrThreads.t[tid].next = hkrNoTid
	if hkrFreeHead == hkrNoTid {
		hkrFreeHead = tid
	} else {
		hkrThreads.t[hkrFreeTail].next = tid
	}
	hkrFreeTail = tid
}

func hkrFreePop() uint32 {
	tid := hkrFreeHead
	if tid != hkrNoTid {
		hkrFreeHead = hkrThreads.t[tid].next
	}
	return tid
}

// at is entry tid.
func (v *hkrVec) at(tid uint32) uint32 {
	if tid < v.n {
		return v.c[tid%hkrMaxTid]
	}
	return 0
}

// grow makes the vector at least n entries long, in place; it must have room.
func (v *hkrVec) grow(n uint32) {
	if n > v.n {
		clear(v.c[v.n:n])
		v.n = n
	}
}

func (v *hkrVec) room() uint32 { return hkrVecMin << v.class }

// hkrVecNew is a vector of n entries that are 0, or nil, the detector being off
// then.
//
//go:nowritebarrierrec
func hkrVecNew(n uint32) *hkrVec {
	class := uint32(0)
	for hkrVecMin<<class < n {
		class++
	}
	v := hkrVecFree[class]
	if v != nil {
		hkrVecFree[class] = v.next
	} else if v = (*hkrVec)(hkrCarve(unsafe.Offsetof(v.c) + 4*hkrVecMin<<class)); v == nil {
		return nil
	}
	v.next, v.class, v.n = nil, class, 0
	v.grow(n)
	return v
}

func hkrVecDrop(v *hkrVec) {
	if v != nil {
		v.next = hkrVecFree[v.class]
		hkrVecFree[v.class] = v
	}
}

// hkrCarve is size bytes that are zero and never given back, 8-byte aligned. It
// is nil, and the detector off, if there is no memory.
func hkrCarve(size uintptr) unsafe.Pointer {
	size = (size + 7) &^ 7
	if size > hkrSlabLeft {
		hkrSlabAddr, hkrSlabLeft = (*hkrSlab)(hkSysAlloc(hkrSlabSize)), hkrSlabSize
		if hkrSlabAddr == nil {
			hkrSlabLeft = 0
			hkrOff()
			return nil
		}
	}
	p := unsafe.Pointer(hkrSlabAddr)
	hkrSlabAddr, hkrSlabLeft = (*hkrSlab)(unsafe.Add(p, size)), hkrSlabLeft-size
	return p
}

// hkrVecCopy is a vector equal to src (nil: all 0), of n entries or more. It takes
// the place of dst, which may be nil. It is nil when memory ran out.
//
//go:nowritebarrierrec
func hkrVecCopy(dst, src *hkrVec, n uint32) *hkrVec {
	if src != nil {
		n = max(n, src.n)
	}
	if dst == nil || dst.room() < n {
		hkrVecDrop(dst)
		if dst = hkrVecNew(n); dst == nil {
			return nil
		}
	}
	dst.n = 0
	if src != nil {
		dst.n = src.n
		copy(dst.c[:src.n], src.c[:src.n])
	}
	dst.grow(n)
	return dst
}

// hkrVecWiden is dst (nil: all 0) with n entries or more, and takes its place. It
// is nil when memory ran out.
//
//go:nowritebarrierrec
func hkrVecWiden(dst *hkrVec, n uint32) *hkrVec {
	if dst == nil || dst.room() < n {
		wide := hkrVecCopy(nil, dst, n)
		hkrVecDrop(dst)
		return wide
	}
	dst.grow(n)
	return dst
}

// hkrVecJoin is the maximum of both vectors, entry by entry. It takes the place of
// dst, which may be nil. It is nil when memory ran out.
//
//go:nowritebarrierrec
func hkrVecJoin(dst, src *hkrVec) *hkrVec {
	if dst = hkrVecWiden(dst, src.n); dst == nil {
		return nil
	}
	to := dst.c[:src.n]
	for i, clock := range src.c[:src.n] {
		to[i] = max(to[i], clock)
	}
	return dst
}
