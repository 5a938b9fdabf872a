//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Goroutines are named by who started them and how many that one had started
// before: the same in each run that does the same. A goroutine that a timer starts
// is named by who made the timer. Names are those of the controlled runtime.

// hkTimer is the recorder's part of a timer of package time.
type hkTimer struct {
	maker uint32 // id of the goroutine that made it
	nth   uint32
	fired uint32
	name  uint64
	due   int64 // by the clock of the log, see hkWhen
}

// hkTimerMade names a timer.
func hkTimerMade(t *timer) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	h.timers++
	t.hk = hkTimer{maker: h.id, nth: h.timers, name: hkMix(h.name ^ uint64(h.timers)<<32), due: h.due}
	h.due = 0
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

// hkBorn prepares a new goroutine; system says that it is the runtime's own.
func hkBorn(newg, by *g, system bool) {
	newg.hk = hkG{}
	if hkMode == hkOff || system {
		return
	}
	h := &newg.hk
	var parent, fired uint32
	var nth uint64
	t := (*timer)(unsafe.Pointer(getg().m.hkTimer))
	switch {
	case !mainStarted:
		h.name = hkChildName(0x9E3779B97F4A7C15, 0)
	case t != nil:
		if t.hk.maker == 0 {
			return
		}
		parent, nth, fired = t.hk.maker, uint64(t.hk.nth)|hkTimerBit, t.hk.fired
		h.name = hkChildName(t.hk.name, 1<<31|fired)
	case by.hk.id == 0:
		return
	default:
		by.hk.kids++
		parent, nth = by.hk.id, uint64(by.hk.kids)
		h.name = hkChildName(by.hk.name, by.hk.kids)
	}
	hkDraws(h)
	if hkMode == hkPlans {
		hkBind(h, parent, nth, fired)
		return
	}
	h.id = atomic.Xadd(&hkIDs, 1)
	p := hkTake(hkChunkUnit)
	if p == 0 {
		h.id = 0
		return
	}
	*(*uint32)(unsafe.Pointer(p + hkChunkID)) = h.id
	*(*uint32)(unsafe.Pointer(p + hkChunkParent)) = parent
	*(*uint32)(unsafe.Pointer(p + hkChunkFired)) = fired
	*(*uint64)(unsafe.Pointer(p + hkChunkNth)) = nth
	*(*uint32)(unsafe.Pointer(p + hkChunkFunc)) = uint32(newg.startpc - firstmoduledata.text)
	hkPublish((*uint32)(unsafe.Pointer(p)), hkChunkUnit|1)
	h.ops = (*uint64)(unsafe.Pointer(p + hkChunkOps))
	h.first, h.size = p, hkChunkUnit
	h.p, h.e = p+hkFirstHead, p+hkChunkUnit
}

func hkChildName(parent uint64, index uint32) uint64 {
	return hkMix(parent ^ hkMix(uint64(index)+0x632be59bd9b4e019))
}

// hkMainBegins is called when packages are initialised: a controlled run begins here.
func hkMainBegins() {
	if h := &getg().hk; h.id != 0 {
		hkDraws(h)
	}
}

// hkExit is the end of the program by its own will.
func hkExit(code int32) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	if hkMode == hkPlans {
		hkGate(hkKindExit)
		hkAwaitOthers()
		if n := uint32(*h.ops); n < h.total {
			hkNext(h, n)
		}
		return
	}
	n := uint32(*h.ops)
	hkEmit(h, hkKindExit, n, 0, 0)
	hkNext(h, n)
	sec, nsec, _ := time_now()
	*hkWord(hkLog, hkLEnded) = uint64(sec)*1e9 + uint64(nsec)
	*hkWord(hkLog, hkLExit) = uint64(uint32(code))
	*hkWord(hkLog, hkLProcs) = uint64(gomaxprocs)
	atomic.Or((*uint32)(unsafe.Pointer(hkWord(hkLog, hkLFlags))), hkLogEnded)
}

// gcBgMarkStartWorkers uses channels, on the goroutine that happens to start a
// collection: operations that the program does not have.
func gcBgMarkStartWorkers() {
	h := &getg().hk
	id := h.id
	h.id = 0
	hkOriggcBgMarkStartWorkers()
	h.id = id
}
