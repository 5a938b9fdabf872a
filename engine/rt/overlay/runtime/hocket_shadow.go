//go:build hocket_overlay

package runtime

import "unsafe"

// The shadow's geometry: 48 bits of address are a row (16), a chunk in it (16)
// and a byte in the chunk (16).
const (
	hkrGranuleShift = 3
	hkrChunkShift   = 16
	hkrRowShift     = 32
	hkrSlots        = 4
	hkrLeafCells    = 1 << (hkrChunkShift - hkrGranuleShift)

	// A block is 512 bytes of memory. Its cells fill a page of 4096 bytes,
	// so what the shadow costs is counted, and cleared, block by block.
	hkrBlockShift = 9
	hkrBlockCells = 1 << (hkrBlockShift - hkrGranuleShift)
	hkrBlocks     = 1 << (hkrChunkShift - hkrBlockShift)
	hkrBlockCost  = hkrBlockCells * (64 + 4)

	// hkrShadowMax bounds the bytes of shadow in use.
	hkrShadowMax = 1 << 30
)

// Fields of a granule's state word; 0 says untouched since it was allocated.
const (
	hkrStateTold  = 1 << 31 // hkSharedFound was called
	hkrStateWrite = 1 << 30 // some access wrote
	hkrStateUsed  = 1 << 29
	hkrStateTwo   = 1 << 28 // a second goroutine came
	hkrStateGid   = 1<<28 - 1
)

// hkrCell is the slots of a granule, field by field so that it fills a cache
// line.
type hkrCell struct {
	word [hkrSlots]uint64
	gid  [hkrSlots]uint32
	pc   [hkrSlots]uint32
}

// hkrLeaf is the shadow of a chunk. Cells come first: block b's are page b of the
// leaf, and pages not needed are never made.
type hkrLeaf struct {
	_     notInHeap
	cells [hkrLeafCells]hkrCell
	state [hkrLeafCells]uint32
	dirty hkrBlockSet // blocks that are not all zero
	paid  hkrBlockSet // blocks that hkrShadowUsed counts
	last  [hkrLeafCells]hkrLast
	noted hkrBlockSet // blocks whose last are not all zero
}

// hkrLast is the last write to a granule, or the last operation on the
// synchronisation object there: what reads-from pairs are made of. 0 is none.
type hkrLast struct {
	place uint32
	gid   uint32 // in hkrStateGid; the bits above say which byte, 0 all
}

// hkrBlockSet is a set of the blocks of a chunk.
type hkrBlockSet [hkrBlocks / 64]uint64

func (s *hkrBlockSet) has(b uintptr) bool { return s[b/64%uintptr(len(s))]>>(b%64)&1 != 0 }
func (s *hkrBlockSet) add(b uintptr)      { s[b/64%uintptr(len(s))] |= 1 << (b % 64) }
func (s *hkrBlockSet) remove(b uintptr)   { s[b/64%uintptr(len(s))] &^= 1 << (b % 64) }

// hkrChunk is what is known of 64 KiB of memory; either part may be missing.
type hkrChunk struct {
	leaf  *hkrLeaf
	syncs *hkrSyncSet
}

type hkrRow struct {
	_      notInHeap
	chunks [1 << (hkrRowShift - hkrChunkShift)]hkrChunk
}

type hkrTop struct {
	_    notInHeap
	rows [1 << (48 - hkrRowShift)]*hkrRow
}

var (
	hkrShadow     *hkrTop
	hkrShadowUsed uintptr // bytes of shadow in use
	hkrLastLeaf   *hkrLeaf
	hkrLastChunk  uintptr // address >> hkrChunkShift of hkrLastLeaf
)

func hkrShadowInit() {
	hkrShadowUsed = 0
	hkrLastLeaf, hkrLastChunk = nil, ^uintptr(0)
	hkrShadow = (*hkrTop)(hkSysAlloc(unsafe.Sizeof(hkrTop{})))
	if hkrShadow == nil {
		hkrOff()
	}
}

// hkrLeafOf is the shadow of the chunk of addr, nil if it can have none.
func hkrLeafOf(addr uintptr) *hkrLeaf {
	if addr>>hkrChunkShift == hkrLastChunk {
		return hkrLastLeaf
	}
	return hkrLeafFind(addr)
}

//go:nowritebarrier
func hkrLeafFind(addr uintptr) *hkrLeaf {
	chunk := hkrChunkMake(addr)
	if chunk == nil {
		hkrRefused++
		return nil
	}
	if chunk.leaf == nil {
		if hkrShadowUsed < hkrShadowMax {
			chunk.leaf = (*hkrLeaf)(hkSysAlloc(unsafe.Sizeof(hkrLeaf{})))
		}
		if chunk.leaf == nil {
			hkrRefused++
			return nil
		}
	}
	hkrLastLeaf, hkrLastChunk = chunk.leaf, addr>>hkrChunkShift
	return chunk.leaf
}

// hkrChunkAt is the chunk of addr, nil if nothing is known of it.
func hkrChunkAt(addr uintptr) *hkrChunk {
	if addr>>48 != 0 {
		return nil
	}
	row := hkrShadow.rows[addr>>hkrRowShift]
	if row == nil {
		return nil
	}
	return &row.chunks[addr>>hkrChunkShift%uintptr(len(row.chunks))]
}

// hkrChunkMake is the chunk of addr, nil only if there is no memory for it or the
// address is none of the 48 bits that user space has.
//
//go:nowritebarrier
func hkrChunkMake(addr uintptr) *hkrChunk {
	if addr>>48 != 0 {
		return nil
	}
	row := &hkrShadow.rows[addr>>hkrRowShift]
	if *row == nil {
		*row = (*hkrRow)(hkSysAlloc(unsafe.Sizeof(hkrRow{})))
		if *row == nil {
			return nil
		}
	}
	return &(*row).chunks[addr>>hkrChunkShift%uintptr(len((*row).chunks))]
}

// note enters an access in the state of granule i, and tells hkSharedFound when
// the granule becomes shared. It is false if there is no shadow for the granule.
//
//go:nowritebarrier
func (l *hkrLeaf) note(i, granule uintptr, gid uint32, write bool) bool {
	state := l.state[i]
	if state&hkrStateTold != 0 {
		return true
	}
	if state == 0 {
		if !l.open(i / hkrBlockCells) {
			return false
		}
		state = hkrStateUsed | gid&hkrStateGid
	}
	if (state^gid)&hkrStateGid != 0 {
		state |= hkrStateTwo
	}
	if write {
		state |= hkrStateWrite
	}
	const shared = hkrStateTwo | hkrStateWrite
	told := state&shared == shared
	if told {
		state |= hkrStateTold
	}
	l.state[i] = state
	if told {
		hkSharedFound(granule)
	}
	return true
}

// open gets block b ready for its first access. It is false if the budget of
// shadow memory is spent.
func (l *hkrLeaf) open(b uintptr) bool {
	if !l.paid.has(b) {
		if hkrShadowUsed >= hkrShadowMax {
			hkrRefused++
			return false
		}
		l.paid.add(b)
		hkrShadowUsed += hkrBlockCost
	}
	l.dirty.add(b)
	return true
}

// hkrMalloc says that [addr, addr+size) is fresh: whatever was known of it is of
// another life. Memory that was never accessed costs a look at a bit for each
// 512 bytes.
//
//go:nowritebarrierrec
func hkrMalloc(addr, size uintptr) {
	if !hkrOn {
		return
	}
	for end := addr + size; addr < end; {
		chunk := hkrChunkAt(addr)
		stop := (addr>>hkrChunkShift + 1) << hkrChunkShift
		if chunk == nil {
			stop = (addr>>hkrRowShift + 1) << hkrRowShift
		}
		stop = min(stop, end)
		if chunk != nil && chunk.leaf != nil {
			chunk.leaf.clear(addr, stop)
		}
		if chunk != nil && chunk.syncs != nil && chunk.syncs.count > 0 {
			chunk.syncs.drop(addr, stop)
		}
		addr = stop
	}
}

// clear forgets [addr, end), which lies in the leaf's chunk.
func (l *hkrLeaf) clear(addr, end uintptr) {
	for addr < end {
		stop := min((addr>>hkrBlockShift+1)<<hkrBlockShift, end)
		b := addr >> hkrBlockShift % hkrBlocks
		if l.dirty.has(b) {
			l.clearBlock(b, addr, stop)
		}
		if l.noted.has(b) {
			l.clearLast(b, addr, stop)
		}
		addr = stop
	}
}

// clearBlock forgets [addr, end), which lies in block b.
func (l *hkrLeaf) clearBlock(b, addr, end uintptr) {
	if addr&7 != 0 || end&7 != 0 {
		for ; addr < end; addr = addr&^7 + 8 {
			l.clearBytes(addr>>hkrGranuleShift%hkrLeafCells, hkrMaskOf(addr&^7, addr, end))
		}
		return
	}
	first := addr >> hkrGranuleShift % hkrLeafCells
	n := (end - addr) >> hkrGranuleShift
	clear(l.cells[first : first+n])
	clear(l.state[first : first+n])
	if n == hkrBlockCells {
		l.dirty.remove(b)
	}
}

// clearLast forgets who wrote [addr, end), which lies in block b, last. A granule
// of several tiny objects is forgotten as a whole.
func (l *hkrLeaf) clearLast(b, addr, end uintptr) {
	first := addr >> hkrGranuleShift % hkrLeafCells
	n := (end+7)>>hkrGranuleShift - addr>>hkrGranuleShift
	clear(l.last[first : first+n])
	if n == hkrBlockCells {
		l.noted.remove(b)
	}
}

// clearBytes forgets some bytes of granule i: the tiny allocator puts several
// objects in one.
func (l *hkrLeaf) clearBytes(i uintptr, mask uint64) {
	c := &l.cells[i]
	rest := uint64(0)
	for k := range c.word {
		c.word[k] &^= mask << hkrWordMaskShift
		if c.word[k]&hkrWordMask == 0 {
			c.word[k] = 0
		}
		rest |= c.word[k]
	}
	if rest == 0 {
		l.state[i] = 0
	}
}
