//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Recording of paths: what branches come out at, goroutine by goroutine. Calls of the
// exported functions are put into the program's sources. Nothing here orders
// goroutines but the taking of a chunk, once in some thousand records.

// hkPath is the recorder's part of a goroutine; g.hkp is where its next record goes.
type hkPath struct {
	end    uintptr // no record without a check from here on
	head   uintptr // the chunk
	lim    uintptr // its end
	rest   uintptr // of a dead goroutine whose g this was: where its records ended
	size   uintptr // of the last chunk
	parent uint64
	nth    uint32
	timer  uint32 // it was started by: number among those of the parent; 0: none
	kids   uint32
	timers uint32 // that it made
	seq    uint32
	sink   uintptr // where records go that are not kept
	name   uint64  // hash of its ancestry, as in the controlled runtime
	rnd    uint64  // state of its random numbers
}

// hkTimer is the recorder's part of a timer of package time.
type hkTimer struct {
	maker uint64 // the goroutine that made it; 0: it is not known
	nth   uint32 // of those that this made
	fired uint32
	name  uint64
}

var (
	hkLog  uintptr // the mapped file, 0: nothing is recorded
	hkSize uintptr
)

// HocketBranch records the outcome of a branch, of which n is twice the number.
// There is room: HocketFull was asked before.
func HocketBranch(x bool, n uint16) bool {
	gp := getg()
	p := gp.hkp
	if x {
		n++
	}
	*(*uint16)(unsafe.Pointer(p)) = n
	gp.hkp = p + 2
	return x
}

// HocketFull reports whether there may be no room for PathSlackCount records.
func HocketFull() bool {
	gp := getg()
	return gp.hkp >= gp.hk.end
}

// HocketChecked is HocketBranch where nothing was asked before.
func HocketChecked(x bool, n uint16) bool {
	if HocketFull() {
		HocketMore()
	}
	return HocketBranch(x, n)
}

// HocketLoop begins a loop, of which n is twice the number: what is recorded until it is
// left are bits of a word, after a one. It returns where the word is, and the word.
func HocketLoop(n uint16) (uintptr, uint64) {
	gp := getg()
	if gp.hkp >= gp.hk.end {
		hkMore(gp)
	}
	p := gp.hkp
	*(*uint64)(unsafe.Pointer(p + 2)) = 1
	*(*uint16)(unsafe.Pointer(p)) = n
	gp.hkp = p + 10
	return p + 2, 1
}

// HocketBit records the outcome of a branch in a loop's word.
func HocketBit(p uintptr, w uint64, x bool) uint64 {
	b := uint64(0)
	if x {
		b = 1
	}
	w = w + w + b
	*(*uint64)(unsafe.Pointer(p)) = w
	return w
}

// HocketNext begins a loop's next word.
func HocketNext(p uintptr, w uint64) (uintptr, uint64) {
	gp := getg()
	*(*uint64)(unsafe.Pointer(p)) = w | hkPathLoopMore
	if gp.hkp >= gp.hk.end {
		hkMore(gp)
	}
	p = gp.hkp
	*(*uint64)(unsafe.Pointer(p)) = 1
	gp.hkp = p + 8
	return p, 1
}

// HocketMore makes room for this goroutine's records.
func HocketMore() { hkMore(getg()) }

func hkMore(gp *g) {
	h := &gp.hk
	if hkLog != 0 && (hkTakeRest(gp) || hkTakeChunk(gp)) {
		return
	}
	// Records that can't be kept go round in a place of the goroutine's own.
	if h.sink == 0 {
		h.sink = uintptr(persistentalloc(hkPathChunkUnit, 64, &memstats.other_sys))
	}
	gp.hkp, h.end = h.sink, h.sink+hkPathChunkUnit-hkPathSlack
}

// hkTakeRest gives a new goroutine what an ended one has left of its chunk.
func hkTakeRest(gp *g) bool {
	h := &gp.hk
	if h.rest == 0 {
		return false
	}
	at := (h.rest + 7) &^ 7
	h.rest = 0
	if at+hkPathChunkHead+2*hkPathSlack > h.lim {
		return false
	}
	lim := h.lim
	hkChunk(gp, at, lim)
	// Last: from here on the old chunk ends where the new one begins.
	atomic.Store64((*uint64)(unsafe.Pointer(h.head)), hkPathChunk<<32|uint64(at-h.head))
	h.head = at
	return true
}

func hkTakeChunk(gp *g) bool {
	h := &gp.hk
	size := h.size * 4
	if size == 0 {
		size = hkPathChunkUnit
	}
	size = min(size, hkPathChunkMax)
	used := (*uint64)(unsafe.Pointer(hkLog + hkPathWUsed*8))
	if atomic.Load64(used)+uint64(size) > uint64(hkSize) {
		atomic.Store64((*uint64)(unsafe.Pointer(hkLog+hkPathWFull*8)), 1)
		return false
	}
	at := uintptr(atomic.Xadd64(used, int64(size))) - size
	if at+size > hkSize {
		atomic.Store64((*uint64)(unsafe.Pointer(hkLog+hkPathWFull*8)), 1)
		return false
	}
	h.size, h.head = size, hkLog+at
	hkChunk(gp, h.head, h.head+size)
	return true
}

// hkChunk writes the head of a chunk of gp's.
func hkChunk(gp *g, at, lim uintptr) {
	h := &gp.hk
	w := (*[6]uint64)(unsafe.Pointer(at))
	w[1] = gp.goid
	w[2] = uint64(h.nth)<<32 | uint64(h.seq)
	w[3] = h.parent
	w[4] = uint64(gp.startpc - firstmoduledata.text)
	w[5] = uint64(h.timer)
	h.seq++
	h.lim = lim
	atomic.Store64(&w[0], hkPathChunk<<32|uint64(lim-at))
	gp.hkp, h.end = at+hkPathChunkHead, lim-hkPathSlack
}

// hkBorn prepares a new goroutine. Its parent is named in the log, if it was not yet:
// goroutines are named by their ancestors.
func hkBorn(newg, by *g) {
	h := &newg.hk
	if newg.hkp != 0 && h.head != 0 && newg.hkp >= h.head && newg.hkp < h.lim {
		h.rest = newg.hkp
	}
	newg.hkp, h.end = 0, 0
	h.parent, h.nth, h.timer, h.kids, h.timers, h.seq, h.size, h.name = 0, 0, 0, 0, 0, 0, 0, 0
	if !mainStarted {
		h.name = hkChildName(0x9E3779B97F4A7C15, 0)
		return
	}
	if hkLog == 0 || isSystemGoroutine(newg, false) {
		return
	}
	if t := (*timer)(unsafe.Pointer(getg().m.hkTimer)); t != nil {
		if t.hk.maker != 0 {
			h.parent, h.nth, h.timer = t.hk.maker, t.hk.fired, t.hk.nth
			h.name = hkChildName(t.hk.name, 1<<31|t.hk.fired)
			hkDraws(h)
		}
		return
	}
	by.hk.kids++
	h.nth = by.hk.kids
	h.parent = by.goid
	h.name = hkChildName(by.hk.name, h.nth)
	hkDraws(h)
	if by.goid != 0 && by.hk.seq == 0 {
		hkMore(by)
	}
}

// hkTimerMade names a timer. Its maker is named in the log: goroutines that the timer
// starts are named by it.
func hkTimerMade(t *timer) {
	gp := getg()
	h := &gp.hk
	if hkLog == 0 || h.name == 0 {
		return
	}
	h.timers++
	t.hk = hkTimer{maker: gp.goid, nth: h.timers, name: hkMix(h.name ^ uint64(h.timers)<<32)}
	if h.seq == 0 {
		hkMore(gp)
	}
}

// hkTimerRuns says on whose behalf this thread starts goroutines until it is called
// with nil.
//
//go:nosplit
func hkTimerRuns(t *timer) {
	getg().m.hkTimer = uintptr(unsafe.Pointer(t))
	if t != nil {
		t.hk.fired++
	}
}

func hkChildName(parent uint64, index uint32) uint64 {
	return hkMix(parent ^ hkMix(uint64(index)+0x632be59bd9b4e019))
}

//go:nosplit
func hkMix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// hkDraws begins a goroutine's random numbers: those that the controlled runtime gives
// it with the log's seed. So what is random is no matter of the schedule.
func hkDraws(h *hkPath) {
	h.rnd = hkMix(h.name ^ *(*uint64)(unsafe.Pointer(hkLog + hkPathWSeed*8))*0x9E3779B97F4A7C15)
}

// hkRand is the goroutine's next random number.
//
//go:nosplit
func hkRand() (uint64, bool) {
	gp := getg()
	if hkLog == 0 || gp.hk.name == 0 {
		return 0, false
	}
	gp.hk.rnd++
	return hkMix(gp.hk.rnd), true
}

// hkSeeded reports whether the runtime's own seed is that of controlled runs.
func hkSeeded() bool { return hkEnv("HOCKET_PATHS=") != nil }

// hkPathsStart maps the log that the environment names, if any. The first process
// that does so records, not those that it starts.
func hkPathsStart() {
	name := hkEnv("HOCKET_PATHS=")
	if name == nil {
		return
	}
	fd := open(name, 2 /* read and write */, 0)
	if fd < 0 {
		return
	}
	head, err := mmap(nil, hkPathHead, 3 /* read, write */, 1 /* shared */, fd, 0)
	if err == 0 {
		w := (*[hkPathHead / 8]uint64)(head)
		if w[hkPathWMagic] == hkPathMagic && w[hkPathWVersion] == hkPathVersion &&
			atomic.Cas64(&w[hkPathWPid], 0, 1) {
			size := uintptr(w[hkPathWSize])
			if all, err := mmap(nil, size, 3, 1, fd, 0); err == 0 {
				hkLog, hkSize = uintptr(all), size
				hkDraws(&getg().hk)
			}
		}
	}
	closefd(fd)
}

// hkEnv is the value of an environment variable, ended by a zero, nil if there is
// none.
func hkEnv(name string) *byte {
	for i := int32(0); ; i++ {
		p := argv_index(argv, argc+1+i)
		if p == nil {
			return nil
		}
		same := true
		for j := 0; j < len(name) && same; j++ {
			same = *(*byte)(add(unsafe.Pointer(p), uintptr(j))) == name[j]
		}
		if same {
			return (*byte)(add(unsafe.Pointer(p), uintptr(len(name))))
		}
	}
}

// hkPathsEnd notes that the program ends by its own will.
func hkPathsEnd(code int32) {
	if hkLog != 0 {
		atomic.Store64((*uint64)(unsafe.Pointer(hkLog+hkPathWEnded*8)), uint64(uint32(code))+1)
	}
}
