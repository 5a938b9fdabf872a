//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// A plan followed: before an operation, a goroutine waits until the operations that
// came before it in the log are done. Nothing else is changed: the program runs on
// the ordinary scheduler and all processors.

var (
	hkPlan     uintptr
	hkThreads  uint32
	hkActive   uint32  // those that do an operation in the plan
	hkOpsDone  uintptr // of all goroutines, in the plan
	hkArrived  uint32  // goroutines that did all that the plan has
	hkWaitLock mutex
	hkWaiting  guintptr // parked goroutines, linked by hk.waitLink
	hkIdle     uint32   // the scheduler found nothing that can run
	hkLeaving  uint32   // the program is at its exit
	hkNoOps    uint64
)

// hkUnknown is the id of a goroutine that the log does not have.
const hkUnknown = ^uint32(0)

// What an operation is to do.
const (
	hkGo     = iota // as it comes, and not give up
	hkFail          // fail; it is counted
	hkChosen        // have the outcome
	hkFree          // as it comes: nothing is followed
)

type hkRecord struct{ at, kind, from, value uint32 }

func hkOpenPlan(path *byte) {
	fd := open(path, 2 /* O_RDWR */, 0)
	if fd < 0 {
		hkSay("no plan can be read from ", path)
		exit(125)
	}
	m, err := mmap(nil, hkPlanHeader, _PROT_READ|_PROT_WRITE, 1, fd, 0)
	b := uintptr(m)
	if err == 0 && (*hkWord(b, hkPMagic) != hkPlanMagic || *hkWord(b, hkPVersion) != hkRecVersion) {
		err = 1
	}
	if err == 0 {
		m, err = mmap(nil, uintptr(*hkWord(b, hkPSize)), _PROT_READ|_PROT_WRITE, 1, fd, 0)
	}
	closefd(fd)
	if err != 0 {
		hkSay("there is no plan in ", path)
		exit(125)
	}
	b = uintptr(m)
	hkPlan = b
	hkThreads = uint32(*hkWord(b, hkPThreads))
	hkActive = uint32(*hkWord(b, hkPActive))
	hkOpsDone = b + uintptr(*hkWord(b, hkPDoneOff))
	hkSeed = *hkWord(b, hkPSeed)
	hkBase, hkBegan = nanotime(), int64(*hkWord(b, hkPBegan))
	*hkWord(b, hkPText) = uint64(firstmoduledata.text)
	if c := *hkWord(b, hkPCode); c != 0 && c != hkCode() {
		*hkWord(b, hkPStatus) = hkFollowOther
		exit(125)
	}
	*hkWord(b, hkPStatus) = hkFollowBegun
	hkMode = hkPlans
	hkFollows = true
}

// hkBind finds what a new goroutine has to follow.
func hkBind(h *hkG, parent uint32, nth uint64, fired uint32) {
	h.id, h.ops = hkUnknown, &hkNoOps
	if parent == hkUnknown {
		return
	}
	tab := hkPlan + uintptr(*hkWord(hkPlan, hkPThreadOff))
	lo, hi := uint32(0), hkThreads
	for lo < hi {
		mid := (lo + hi) / 2
		t := (*[8]uint32)(unsafe.Pointer(tab + uintptr(mid)*hkPlanThread))
		tn := uint64(t[2]) | uint64(t[3])<<32
		if t[0] < parent || t[0] == parent && (tn < nth || tn == nth && t[1] < fired) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == hkThreads {
		return
	}
	t := (*[8]uint32)(unsafe.Pointer(tab + uintptr(lo)*hkPlanThread))
	if t[0] != parent || uint64(t[2])|uint64(t[3])<<32 != nth || t[1] != fired {
		return
	}
	h.id = lo + 1
	h.ops = (*uint64)(unsafe.Pointer(hkOpsDone + uintptr(lo)*8))
	h.total = t[4]
	recs := hkPlan + uintptr(*hkWord(hkPlan, hkPRecordOff))
	h.rec = recs + uintptr(t[5])*hkPlanRecord
	h.recEnd = h.rec + uintptr(t[6])*hkPlanRecord
	if off := uintptr(*hkWord(hkPlan, hkPPlaceOff)); off != 0 {
		h.places = hkPlan + off + uintptr(t[7])*hkPlaceSize
	}
}

// hkGate is before each operation of a run that follows a plan.
func hkGate(kind uint32) (do, value uint32) {
	gp := getg()
	h := &gp.hk
	if !hkFollows || h.id == 0 || gp.m.curg != gp {
		return hkFree, 0
	}
	n := uint32(*h.ops)
	if h.places != 0 && n < h.total {
		hkPlace(h.places+uintptr(n)*hkPlaceSize, kind)
	}
	if h.failLeft > 0 {
		h.failLeft--
		hkNext(h, n)
		return hkFail, 0
	}
	if h.id == hkUnknown || n >= h.total {
		hkWaitUntil(gp, nil, 0, kind)
		return hkFree, 0
	}
	for h.rec < h.recEnd {
		r := (*hkRecord)(unsafe.Pointer(h.rec))
		if r.at != n {
			break
		}
		if r.kind != kind {
			hkLost(gp, hkFollowKind, r, kind)
		}
		h.rec += hkPlanRecord
		switch {
		case r.from != 0:
			p := (*uint64)(unsafe.Pointer(hkOpsDone + uintptr(r.from-1)*8))
			if atomic.Load64(p) <= uint64(r.value) && !hkWaitUntil(gp, p, r.value, kind) {
				return hkFree, 0
			}
		case r.value&hkFailBit != 0:
			h.failLeft = r.value &^ hkFailBit
			hkNext(h, n)
			return hkFail, 0
		case r.kind == hkKindClock && r.value&hkClockHigh != 0:
			h.clock += int64(r.value&^hkClockHigh) << hkClockBits
		default:
			do, value = hkChosen, r.value
		}
	}
	return do, value
}

// hkPlace notes where the program stands.
func hkPlace(at uintptr, kind uint32) {
	var pcs [hkPlaceSize/4 - 1]uintptr
	n := callers(2, pcs[:])
	w := (*[hkPlaceSize / 4]uint32)(unsafe.Pointer(at))
	w[0] = kind
	for i := range n {
		w[i+1] = uint32(pcs[i] - firstmoduledata.text)
	}
}

// hkWaitUntil waits until operation n of the goroutine that counts at p is done; p
// nil: until the plan is at its end. It reports whether the plan is still followed.
func hkWaitUntil(gp *g, p *uint64, n, kind uint32) bool {
	for i := 0; p != nil && i < 20; i++ {
		if atomic.Load64(p) > uint64(n) {
			return true
		}
		if gp.m.locks == 0 {
			Gosched()
		} else {
			osyield()
		}
	}
	for gp.m.locks != 0 { // it can't park
		if !hkFollows {
			return false
		}
		if p == nil || atomic.Load64(p) > uint64(n) {
			return hkFollows
		}
		osyield()
	}
	h := &gp.hk
	h.waitFor, h.waitN, h.verdict = p, n, hkFollowNone
	lock(&hkWaitLock)
	if !hkFollows { // since a moment ago: nobody would wake it
		unlock(&hkWaitLock)
		return false
	}
	h.waitLink = hkWaiting
	hkWaiting.set(gp)
	gopark(hkParked, unsafe.Pointer(&hkWaitLock), waitReasonSemacquire, traceBlockGeneric, 1)
	if h.verdict == hkFollowStuck {
		r := &hkRecord{kind: kind}
		if p != nil {
			r = (*hkRecord)(unsafe.Pointer(h.rec - hkPlanRecord))
		}
		hkLost(gp, hkFollowStuck, r, kind)
	}
	return hkFollows
}

// hkWaitFlag waits until *p is set.
func hkWaitFlag(p *uint32, kind uint32) {
	gp := getg()
	h := &gp.hk
	for i := 0; hkFollows && h.id != 0 && atomic.Load(p) == 0; i++ {
		if i < 20 || gp.m.locks != 0 {
			Gosched()
			continue
		}
		h.waitFlag = p
		hkWaitUntil(gp, nil, 0, kind)
		h.waitFlag = nil
	}
}

func hkParked(_ *g, l unsafe.Pointer) bool {
	unlock((*mutex)(l))
	return true
}

// hkLost ends a program that does not do what the log has.
func hkLost(gp *g, why uint32, r *hkRecord, kind uint32) {
	lock(&hkWaitLock) // for ever: the first report counts
	h := &gp.hk
	b := hkPlan
	if h.id != hkUnknown {
		*hkWord(b, hkPWho) = uint64(h.id)
	}
	*hkWord(b, hkPAt) = *h.ops
	*hkWord(b, hkPWant), *hkWord(b, hkPHave) = uint64(r.kind), uint64(kind)
	*hkWord(b, hkPFrom), *hkWord(b, hkPFromOp) = uint64(r.from), uint64(r.value)
	var pcs [hkStackMax]uintptr
	n := callers(0, pcs[:])
	for i := range n {
		*hkWord(b, hkPStack+i) = uint64(pcs[i] - firstmoduledata.text)
	}
	atomic.Store64(hkWord(b, hkPStatus), uint64(why))
	exit(125)
}

// hkAwaitOthers lets the other goroutines do what the log has of them before the
// program leaves.
func hkAwaitOthers() {
	if hkFollows && atomic.Load(&hkArrived) < hkActive-1 {
		atomic.Store(&hkLeaving, 1)
		hkWaitUntil(getg(), nil, 0, hkKindExit)
	}
	if atomic.Load(&hkArrived) >= hkActive-1 {
		*hkWord(hkPlan, hkPStatus) = hkFollowEnd
	} else if *hkWord(hkPlan, hkPStatus) == hkFollowBegun {
		*hkWord(hkPlan, hkPStatus) = hkFollowOver
	}
}

// hkStartWatch starts the thread that wakes goroutines that wait.
func hkStartWatch() {
	if hkMode == hkPlans {
		systemstack(func() { newm(hkWatch, nil, -1) })
	}
}

// hkWatch wakes the goroutines whose turn it is, and ends the plan when it is at its
// end or nothing moves any more. Like sysmon it runs without a P.
//
//go:nowritebarrierrec
func hkWatch() {
	hkWatchPlan()
	for {
		usleep(1e9 / 2) // a thread without a P has nowhere to return to
	}
}

//go:nowritebarrierrec
func hkWatchPlan() {
	lock(&sched.lock)
	sched.nmsys++
	checkdead() // as sysmon does: until now this thread counted as one that runs
	unlock(&sched.lock)
	patience := int64(*hkWord(hkPlan, hkPPatience))
	moved, sum := nanotime(), uint64(0)
	for nap := uint32(20); hkFollows; {
		usleep(nap)
		idle := atomic.Load(&hkIdle)
		woke, orders, ends := hkWake()
		if woke {
			nap, moved = 20, nanotime()
			continue
		}
		if orders+ends == 0 {
			nap = min(nap+nap/4, 1000)
			moved = nanotime()
			continue
		}
		nap = min(nap+nap/8, 200)
		now := nanotime()
		if atomic.Load(&hkArrived) == hkActive || atomic.Load(&hkLeaving) != 0 && atomic.Load(&hkArrived) == hkActive-1 {
			hkRelease(hkFollowEnd)
			return
		}
		if s := hkSum(); s != sum {
			sum, moved = s, now
			atomic.Store(&hkIdle, 0)
			continue
		}
		limit := patience
		if idle != 0 {
			limit = 5e6
		}
		if now-moved < limit {
			continue
		}
		if orders > 0 {
			hkRelease(hkFollowStuck)
		} else {
			hkRelease(hkFollowOver)
		}
		return
	}
}

//go:nowritebarrierrec
func hkSum() (s uint64) {
	for i := range uintptr(hkThreads) {
		s += *(*uint64)(unsafe.Pointer(hkOpsDone + i*8))
	}
	return s
}

// hkWake wakes those whose turn it is, and counts the others.
//
//go:nowritebarrierrec
func hkWake() (woke bool, orders, ends int) {
	var list gList
	var keep guintptr
	lock(&hkWaitLock)
	for gp := hkWaiting.ptr(); gp != nil; {
		next := gp.hk.waitLink.ptr()
		h := &gp.hk
		p, f := h.waitFor, h.waitFlag
		if p != nil && atomic.Load64(p) > uint64(h.waitN) || f != nil && atomic.Load(f) != 0 {
			list.push(gp)
			gp = next
			continue
		}
		if p == nil && f == nil {
			ends++
		} else {
			orders++
		}
		h.waitLink = keep
		keep.set(gp)
		gp = next
	}
	if !list.empty() {
		// As sysmon does, it counts as running itself meanwhile: a thread that goes to
		// sleep before others run these would find that nobody can go on, or that some
		// can and nobody runs them, and end the program.
		incidlelocked(-1)
		woke = true
		atomic.Store(&hkIdle, 0)
	}
	hkWaiting = keep
	unlock(&hkWaitLock)
	if woke {
		injectglist(&list)
		incidlelocked(1)
	}
	return
}

// hkRelease ends the following. If why is hkFollowStuck, one goroutine that waits
// for an order reports it.
//
//go:nowritebarrierrec
func hkRelease(why uint32) {
	var list gList
	incidlelocked(-1) // as in hkWake
	lock(&hkWaitLock)
	if why != hkFollowStuck {
		hkFollows = false
		*hkWord(hkPlan, hkPStatus) = uint64(why)
	}
	for gp := hkWaiting.ptr(); gp != nil; {
		next := gp.hk.waitLink.ptr()
		if why == hkFollowStuck && (gp.hk.waitFor == nil && gp.hk.waitFlag == nil || !list.empty()) {
			gp = next
			continue
		}
		gp.hk.verdict = why
		list.push(gp)
		gp = next
	}
	hkWaiting = 0
	atomic.Store(&hkIdle, 0)
	unlock(&hkWaitLock)
	injectglist(&list)
	incidlelocked(1)
}

// hkStuck is asked when the scheduler finds nothing that can run: is it for the
// goroutines that wait here?
func hkStuck() bool {
	if !hkFollows || hkWaiting == 0 {
		return false
	}
	atomic.Store(&hkIdle, 1)
	return true
}
