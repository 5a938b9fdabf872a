//go:build hocket_overlay

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// The goroutines that can run, by their numbers: a bitmap with two levels of
// summary, so that adding, removing and finding the next one cost the same
// however many there are. Beside it are the priorities, with the highest of each
// block, and lists of those that stand before an operation on the same object.
//
// The arrays are as long as numbers may become; what is not touched costs
// nothing. 0 is no goroutine.

const (
	hkIDCap    = 1 << 22
	hkIDWords  = hkIDCap / 64
	hkBlocks   = hkIDCap / 64 / 64
	hkObjHeads = 1 << 12
	hkKeyHeads = 1 << 12
)

var (
	hkN      int // how many can run
	hkByID   *[hkIDCap]guintptr
	hkBits   *[hkIDWords]uint64 // bit id%64 of word id/64: the goroutine can run
	hkWords  *[hkBlocks]uint64  // bit w%64 of word w/64: word w of hkBits is not 0
	hkMaxWrd uint32             // no word of hkWords beyond it is set

	hkPrio  *[hkIDCap]uint64   // POS, PCT
	hkBest  *[hkIDWords]uint32 // the goroutine of highest priority of a word of hkBits; 0 if none
	hkStale *[hkBlocks]uint64  // bit w%64 of word w/64: hkBest of w is not known

	hkObjHead *[hkObjHeads]uint32 // goroutines that can run, by the object of their pending operation
	hkObjNext *[hkIDCap]uint32
	hkObjPrev *[hkIDCap]uint32
	hkMany    uint32 // the list of those with several objects: a head of the same lists

	hkKeyHead *[hkKeyHeads]uint32 // all goroutines, by key
	hkKeyNext *[hkIDCap]uint32
	hkKeys    *[hkIDCap]uint64
)

func hkSetInit() bool {
	hkByID = (*[hkIDCap]guintptr)(hkSysAlloc(hkIDCap * 8))
	hkBits = (*[hkIDWords]uint64)(hkSysAlloc(hkIDWords * 8))
	hkWords = (*[hkBlocks]uint64)(hkSysAlloc(hkBlocks * 8))
	hkPrio = (*[hkIDCap]uint64)(hkSysAlloc(hkIDCap * 8))
	hkBest = (*[hkIDWords]uint32)(hkSysAlloc(hkIDWords * 4))
	hkStale = (*[hkBlocks]uint64)(hkSysAlloc(hkBlocks * 8))
	hkObjHead = (*[hkObjHeads]uint32)(hkSysAlloc(hkObjHeads * 4))
	hkObjNext = (*[hkIDCap]uint32)(hkSysAlloc(hkIDCap * 4))
	hkObjPrev = (*[hkIDCap]uint32)(hkSysAlloc(hkIDCap * 4))
	hkKeyHead = (*[hkKeyHeads]uint32)(hkSysAlloc(hkKeyHeads * 4))
	hkKeyNext = (*[hkIDCap]uint32)(hkSysAlloc(hkIDCap * 4))
	hkKeys = (*[hkIDCap]uint64)(hkSysAlloc(hkIDCap * 8))
	return hkByID != nil && hkBits != nil && hkWords != nil && hkPrio != nil && hkBest != nil && hkStale != nil &&
		hkObjHead != nil && hkObjNext != nil && hkObjPrev != nil && hkKeyHead != nil && hkKeyNext != nil && hkKeys != nil
}

// hkSetPut adds a goroutine.
func hkSetPut(x guintptr) {
	gp := x.ptr()
	id := gp.hk.id
	w := id / 64
	if hkBits[w]&(1<<(id%64)) != 0 {
		throw("hocket: a goroutine became runnable twice")
	}
	hkN++
	hkByID[id] = x
	hkBits[w] |= 1 << (id % 64)
	hkWords[w/64] |= 1 << (w % 64)
	hkMaxWrd = max(hkMaxWrd, w/64)
	hkRaised(id)
	if gp.hk.op != 0 {
		hkObjLink(id, hkObjHeadOf(gp))
	}
}

// hkSetDel removes a goroutine that is in the set.
func hkSetDel(id uint32) {
	gp := hkByID[id].ptr()
	w := id / 64
	hkN--
	hkByID[id] = 0
	hkBits[w] &^= 1 << (id % 64)
	if hkBits[w] == 0 {
		hkWords[w/64] &^= 1 << (w % 64)
	}
	hkLowered(id)
	if gp.hk.op != 0 {
		hkObjUnlink(id, hkObjHeadOf(gp))
	}
}

func hkSetHas(gp *g) bool { return hkByID[gp.hk.id].ptr() == gp && gp.hk.id != 0 }

// hkSetFirst is the goroutine that was created first, 0 if there is none.
func hkSetFirst() uint32 { return hkSetFrom(0) }

// hkSetNext is the one created next after id, 0 if there is none.
func hkSetNext(id uint32) uint32 { return hkSetFrom(id + 1) }

// hkSetFrom is the first one with at least that number.
func hkSetFrom(id uint32) uint32 {
	w := id / 64
	if w >= hkIDWords {
		return 0
	}
	if b := hkBits[w] >> (id % 64); b != 0 {
		return id + uint32(sys.TrailingZeros64(b))
	}
	w++
	b := uint64(0)
	at := w / 64
	if at < hkBlocks {
		b = hkWords[at] >> (w % 64) << (w % 64)
	}
	for b == 0 {
		if at++; at > hkMaxWrd || at >= hkBlocks {
			return 0
		}
		b = hkWords[at]
	}
	w = at*64 + uint32(sys.TrailingZeros64(b))
	return w*64 + uint32(sys.TrailingZeros64(hkBits[w]))
}

// hkSetKth is the k-th one in order of creation, from 0; k < hkN.
func hkSetKth(k int) uint32 {
	for at := uint32(0); at <= hkMaxWrd; at++ {
		for b := hkWords[at]; b != 0; b &= b - 1 {
			w := at*64 + uint32(sys.TrailingZeros64(b))
			n := sys.OnesCount64(hkBits[w])
			if k >= n {
				k -= n
				continue
			}
			bits := hkBits[w]
			for ; k > 0; k-- {
				bits &= bits - 1
			}
			return w*64 + uint32(sys.TrailingZeros64(bits))
		}
	}
	return 0
}

// hkPrioSet gives a goroutine a priority.
func hkPrioSet(id uint32, prio uint64) {
	was := hkPrio[id]
	hkPrio[id] = prio
	switch {
	case hkByID[id] == 0:
	case prio > was:
		hkRaised(id)
	default:
		hkLowered(id)
	}
}

// hkRaised follows a goroutine that came into the set, or whose priority rose.
func hkRaised(id uint32) {
	best := &hkBest[id/64]
	if *best == 0 || hkPrio[id] > hkPrio[*best] || hkPrio[id] == hkPrio[*best] && id < *best {
		*best = id
	}
}

// hkLowered follows one that left the set, or whose priority fell.
func hkLowered(id uint32) {
	if w := id / 64; hkBest[w] == id {
		hkStale[w/64] |= 1 << (w % 64)
	}
}

// hkSetBest is the goroutine of highest priority, of several the one created
// first; 0 if there is none.
func hkSetBest() (best uint32) {
	for at := uint32(0); at <= hkMaxWrd; at++ {
		for b := hkStale[at]; b != 0; b &= b - 1 {
			w := at*64 + uint32(sys.TrailingZeros64(b))
			hkBest[w] = hkBestOf(w)
		}
		hkStale[at] = 0
		for b := hkWords[at]; b != 0; b &= b - 1 {
			id := hkBest[at*64+uint32(sys.TrailingZeros64(b))]
			if best == 0 || hkPrio[id] > hkPrio[best] {
				best = id
			}
		}
	}
	return best
}

// hkBestOf is the goroutine of highest priority in one word.
func hkBestOf(w uint32) (best uint32) {
	for b := hkBits[w]; b != 0; b &= b - 1 {
		id := w*64 + uint32(sys.TrailingZeros64(b))
		if best == 0 || hkPrio[id] > hkPrio[best] {
			best = id
		}
	}
	return best
}

// hkObjHeadOf is the list of the goroutines that stand before an operation on the
// same object as gp, or on several objects.
func hkObjHeadOf(gp *g) *uint32 {
	if gp.hk.addrs[0] != 0 {
		return &hkMany
	}
	return &hkObjHead[hkMix(uint64(gp.hk.addr))%hkObjHeads]
}

func hkObjLink(id uint32, head *uint32) {
	hkObjPrev[id], hkObjNext[id] = 0, *head
	if *head != 0 {
		hkObjPrev[*head] = id
	}
	*head = id
}

func hkObjUnlink(id uint32, head *uint32) {
	prev, next := hkObjPrev[id], hkObjNext[id]
	if prev != 0 {
		hkObjNext[prev] = next
	} else {
		*head = next
	}
	if next != 0 {
		hkObjPrev[next] = prev
	}
}

// hkKeyAdd makes a goroutine known by its key.
func hkKeyAdd(id uint32, key uint64) {
	head := &hkKeyHead[key%hkKeyHeads]
	hkKeys[id], hkKeyNext[id] = key, *head
	*head = id
}

// hkIDOf is the goroutine of a key, 0 if there is none yet.
func hkIDOf(key uint64) uint32 {
	id := hkKeyHead[key%hkKeyHeads]
	for id != 0 && hkKeys[id] != key {
		id = hkKeyNext[id]
	}
	return id
}

// hkSetKey is the goroutine of a key if it can run, else 0.
func hkSetKey(key uint64) uint32 {
	if id := hkIDOf(key); id != 0 && hkByID[id] != 0 {
		return id
	}
	return 0
}

// hkQueue is goroutines in the order in which they came.
type hkQueue struct {
	x    *[hkIDCap]guintptr
	from int
	n    int
}

func (q *hkQueue) init() bool {
	q.x = (*[hkIDCap]guintptr)(hkSysAlloc(hkIDCap * unsafe.Sizeof(guintptr(0))))
	return q.x != nil
}

func (q *hkQueue) put(x guintptr) {
	q.x[(q.from+q.n)%hkIDCap] = x
	q.n++
}

func (q *hkQueue) take() guintptr {
	x := q.x[q.from]
	q.x[q.from] = 0
	q.from = (q.from + 1) % hkIDCap
	q.n--
	return x
}
