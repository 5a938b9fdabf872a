//go:build hocket_overlay

// Hocket's data race detector: vector clocks over shadow memory, in the manner
// of FastTrack (Flanagan, Freund, PLDI 2009) and of ThreadSanitizer v2.
//
// # What it is told
//
// The detector knows nothing of Go's memory model. Its callers say which
// synchronisation happened, by hkrAcquire, hkrRelease, hkrReleaseMerge,
// hkrReleaseAcquire, hkrAcquireTid, hkrAcquireAll and hkrGoStart; these calls alone make
// happens-before edges. Two accesses race if they touch a common byte, one of
// them writes, they are by two goroutines, and no chain of edges orders them.
//
// A goroutine has two numbers: gid, its creation number, unique in a run, and
// tid, a small index of its component in vector clocks, handed out by
// hkrGoStart and used again after hkrGoEnd.
//
// # Shadow
//
// Memory is seen in granules of 8 bytes, in chunks of 64 KiB. A chunk that is
// accessed gets a leaf (hkrLeaf) with, for each granule, a cell of 4 slots (64
// bytes, a cache line) and one state word. A slot is
//
//	word uint64: clock<<32 | tid<<16 | byte mask<<8 | plain flag | write flag; 0 is empty
//	gid  uint32
//	pc   uint32, relative to runtime.text
//
// clock<<32 | tid<<16 is the epoch of the access. It is ordered before goroutine
// t if t's vector clock holds at least clock in component tid.
//
// The state word says who touched the granule since it was allocated: the first
// gid, whether a second gid came, whether any access wrote, and whether
// hkSharedFound was called.
//
// # Rules of a slot
//
// An access that a slot of its own epoch covers (same or more bytes, same or
// stronger kind) leaves no trace: what would race with it races with the slot.
// An access takes the place of each slot that is ordered before it and that it
// covers, for the same reason. An access with both flags is stronger than one
// with one of them, that than one with none; the flags are compared as sets. So the pc reported for an access is that of the
// first of its kind in its epoch, and each unordered writer is kept.
//
// # What is approximate
//
// Nothing reported is false, provided that the edges told are complete. Missed:
//
//   - a race with an access that was evicted, when more than 4 accesses that
//     don't cover each other fall on a granule (hkrEvicted counts; the choice
//     depends on the events only, so that equal runs give equal reports);
//   - a race between a range and a scalar that it meets in a byte other than the
//     scalar's first: the compiler's hooks don't tell sizes, so a scalar counts
//     as 1 byte at its address;
//   - a race with an ended goroutine whose tid was given to another one that
//     doesn't know of its last access. tids are used again only after 256 were
//     handed out, and first those whose last access the parent knows, for which
//     this can't happen (hkrReused counts the others);
//   - what lies in a range beyond its first 64 KiB (hkrCapped counts);
//   - accesses to memory for which the shadow budget is spent (hkrRefused).
//
// # Place in the runtime
//
// One thread at a time calls in, so there are no locks. Nothing is allocated on
// the Go heap and no pointer to it is kept; everything stored is memory of
// hkSysAlloc in types that are not in heap, which need no write barriers.
package runtime

// hkrOn says whether the detector runs. Callers test it before they call.
var hkrOn bool

// hkrOverflow says that the detector switched itself off, because more than
// hkrMaxTid goroutines lived at once or because memory ran out.
var hkrOverflow bool

// hkrText is runtime.text: slots hold pcs relative to it, to be small.
var hkrText uintptr

// Counts of what the approximations left out.
var (
	hkrEvicted uint64 // slots given up for a later access
	hkrCapped  uint64 // ranges of which only the beginning was looked at
	hkrRefused uint64 // accesses that had no shadow, since memory ran out
	hkrReused  uint64 // tids used again by a goroutine that may not know the last user's accesses
)

// Fields of a slot's word.
const (
	hkrWordWrite     = 1
	hkrWordPlain     = 2                           // not atomic
	hkrWordRace      = hkrWordWrite | hkrWordPlain // what two that race have between them
	hkrWordMaskShift = 8
	hkrWordMask      = 0xff << hkrWordMaskShift
	hkrWordKind      = hkrWordMask | hkrWordRace
	hkrWordTidShift  = 16
	hkrWordClkShift  = 32
)

// hkrRangeMax is how many bytes of a range access are looked at.
const hkrRangeMax = 64 << 10

// hkrInit starts the detector with nothing known.
func hkrInit() {
	hkrOn, hkrOverflow = true, false
	hkrEvicted, hkrCapped, hkrRefused, hkrReused = 0, 0, 0, 0
	hkrText = firstmoduledata.text
	hkrClockInit()
	hkrShadowInit()
}

// hkrOff switches the detector off for the rest of the run.
func hkrOff() {
	hkrOn, hkrOverflow = false, true
}

// hkrAccessor is the part of an access that is the same for all its granules.
type hkrAccessor struct {
	t    *hkrThread
	base uint64 // epoch and flags
	gid  uint32
	pc   uintptr
	seen uint32 // pc of the race last reported
	told bool   // seen is valid
}

// hkrAccess checks and records an access by goroutine gid at pc. A scalar is the
// 1 byte at addr; otherwise the access is the range [addr, addr+size).
//
//go:nowritebarrier
func hkrAccess(tid, gid uint32, addr, size uintptr, scalar, write bool, pc uintptr) {
	if !hkrOn || tid >= hkrMaxTid {
		return
	}
	t := &hkrThreads.t[tid]
	base := t.epoch | hkrWordPlain
	if write {
		base |= hkrWordWrite
	}
	if scalar {
		hkrScalar(t, base, gid, addr, pc)
		return
	}
	if size == 0 {
		return
	}
	if size > hkrRangeMax {
		size = hkrRangeMax
		hkrCapped++
	}
	a := hkrAccessor{t: t, base: base, gid: gid, pc: pc}
	a.span(addr, addr+size)
}

// hkrAtomic is hkrAccess of an atomic operation. What it synchronises with is
// told apart: it must come after the acquire and before the release, since an
// operation is ordered after those that it observes.
//
//go:nowritebarrier
func hkrAtomic(tid, gid uint32, addr uintptr, write bool, pc uintptr) {
	if !hkrOn || tid >= hkrMaxTid {
		return
	}
	t := &hkrThreads.t[tid]
	base := t.epoch
	if write {
		base |= hkrWordWrite
	}
	hkrScalar(t, base, gid, addr, pc)
}

//go:nowritebarrier
func hkrScalar(t *hkrThread, base uint64, gid uint32, addr, pc uintptr) {
	leaf := hkrLeafOf(addr)
	if leaf == nil {
		return
	}
	word := base | 1<<(hkrWordMaskShift+addr&7)
	i := addr >> hkrGranuleShift % hkrLeafCells
	if c := &leaf.cells[i]; !c.covers(word) {
		a := hkrAccessor{t: t, base: base, gid: gid, pc: pc}
		a.check(leaf, i, addr&^7, word)
	}
}

// span is the access to the bytes [addr, end).
//
//go:nowritebarrier
func (a *hkrAccessor) span(addr, end uintptr) {
	for granule := addr &^ 7; granule < end; granule += 8 {
		leaf := hkrLeafOf(granule)
		if leaf == nil {
			continue
		}
		word := a.base | hkrMaskOf(granule, addr, end)<<hkrWordMaskShift
		i := granule >> hkrGranuleShift % hkrLeafCells
		if c := &leaf.cells[i]; !c.covers(word) {
			a.check(leaf, i, granule, word)
		}
	}
}

// hkrMaskOf is the set of bytes of a granule that lie in [addr, end), bit k for
// byte granule+k. At least one does.
func hkrMaskOf(granule, addr, end uintptr) uint64 {
	mask := uint64(0xff)
	if addr > granule {
		mask &= 0xff << (addr - granule)
	}
	if left := end - granule; left < 8 {
		mask &= 1<<left - 1
	}
	return mask
}

// covers tells whether a slot of word's epoch has all that word has: the common
// case of a loop, and the one that must be quick. An empty slot covers nothing,
// since a word has a mask.
func (c *hkrCell) covers(word uint64) bool {
	return hkrSameCover(c.word[0], word) || hkrSameCover(c.word[1], word) ||
		hkrSameCover(c.word[2], word) || hkrSameCover(c.word[3], word)
}

func hkrSameCover(slot, word uint64) bool {
	return slot^word < 1<<hkrWordTidShift && word&^slot == 0
}

// check looks for races of the access word with the slots of cell i, and records
// the access there.
//
//go:nowritebarrier
func (a *hkrAccessor) check(leaf *hkrLeaf, i, granule uintptr, word uint64) {
	if a.t.epoch == 0 || !leaf.note(i, granule, a.gid, word&hkrWordWrite != 0) {
		return
	}
	c := &leaf.cells[i]
	free, ordered := -1, -1
	for k := range c.word {
		slot := c.word[k]
		switch {
		case slot == 0:
		case a.knows(slot):
			if slot&^word&hkrWordKind != 0 {
				ordered = k // has bytes or a kind that the access has not
				continue
			}
			c.word[k] = 0
		default:
			if slot&word&hkrWordMask != 0 && (slot|word)&hkrWordRace == hkrWordRace {
				a.report(c, k, granule, slot&word)
			}
			continue
		}
		if free < 0 {
			free = k
		}
	}
	if free < 0 {
		free = hkrVictim(ordered)
	}
	c.word[free], c.gid[free], c.pc[free] = word, a.gid, uint32(a.pc-hkrText)
	a.t.used = uint32(a.t.epoch >> hkrWordClkShift)
}

// knows tells whether the access of a slot is ordered before this one, as are all
// of the same tid.
func (a *hkrAccessor) knows(slot uint64) bool {
	tid := uint32(slot>>hkrWordTidShift) & (1<<16 - 1)
	return uint32(slot>>hkrWordClkShift) <= a.t.vec.at(tid)
}

// hkrVictim chooses the slot to give up in a full cell: one that is ordered
// before the access if there is any, as fewer accesses to come can race with it,
// else each in turn.
func hkrVictim(ordered int) int {
	hkrEvicted++
	if ordered >= 0 {
		return ordered
	}
	return int(hkrEvicted % hkrSlots)
}

// report tells the race with slot k, in the bytes of both masks. A range that
// races all along with accesses from one pc is told once.
//
//go:nowritebarrier
func (a *hkrAccessor) report(c *hkrCell, k int, granule uintptr, both uint64) {
	if a.told && a.seen == c.pc[k] {
		return
	}
	a.told, a.seen = true, c.pc[k]
	addr := granule
	for bit := uint64(1) << hkrWordMaskShift; both&bit == 0; bit <<= 1 {
		addr++
	}
	hkRaceReport(addr, c.gid[k], c.pc[k], c.word[k]&hkrWordWrite != 0, a.gid, a.pc, a.base&hkrWordWrite != 0)
}
