//go:build hocket_overlay

package runtime

import "unsafe"

// Condition variables and timers.

// hkCondLock locks a list for a notification, which is an operation on it.
func hkCondLock(l *notifyList) {
	hkGate(hkKindCond)
	s := hkLockStripe(unsafe.Pointer(l))
	lockWithRank(&l.lock, lockRankNotifyList)
	s.hkDone(hkKindCond)
}

// hkCondAdd is the begin of a wait.
func hkCondAdd(l *notifyList) uint32 {
	hkGate(hkKindCond)
	s := hkLockStripe(unsafe.Pointer(l))
	if s == nil {
		return l.wait.Add(1) - 1
	}
	lockWithRank(&l.lock, lockRankNotifyList)
	t := l.wait.Add(1) - 1
	unlock(&l.lock)
	s.hkDone(hkKindCond)
	return t
}

func stopTimer(t *timeTimer) bool {
	do, _ := hkGate(hkKindTimer)
	if do == hkFail {
		// It had fired. A function that it has yet to start will be started.
		if t.isChan {
			hkOrigstopTimer(t)
		}
		return false
	}
	return hkTimerDone(hkOrigstopTimer(t), do)
}

func resetTimer(t *timeTimer, when, period int64) bool {
	do, _ := hkGate(hkKindTimer)
	if do == hkFail {
		hkLetFire(&t.timer)
	}
	h := &getg().hk
	t.hk.due, h.due = h.due, 0
	active := hkOrigresetTimer(t, when, period)
	if do == hkFail {
		return false
	}
	return hkTimerDone(active, do)
}

// hkLetFire waits until a timer's function was started, as it was in the recorded run
// before the timer was reset.
func hkLetFire(t *timer) {
	for !t.isChan && hkFollows {
		t.lock()
		fired := t.when == 0
		t.unlock()
		if fired {
			return
		}
		timeSleep(100 * 1000)
	}
}

func hkTimerDone(active bool, do uint32) bool {
	switch {
	case do == hkGo || active:
		hkCounted(hkKindTimer)
		return true
	default:
		hkFailed(hkKindTimer)
		return false
	}
}

// hkFileBegins counts a read or write that is about to be tried. want is what a
// recorded one got, if one is followed.
func hkFileBegins(want uint32) {
	h := &getg().hk
	if h.id == 0 {
		return
	}
	n := uint32(*h.ops)
	h.file, h.want = n+1, want
	hkNext(h, n)
}

// hkFileWants returns what hkFileBegins was told, if that was for this operation.
func hkFileWants() (n uint32, known bool) {
	h := &getg().hk
	if h.id == 0 || !hkFollows || h.file == 0 || uint32(*h.ops) != h.file {
		return 0, false
	}
	return h.want, true
}

// hkFileEnds keeps the outcome of the operation that hkFileBegins has counted.
func hkFileEnds(late bool, value uint32) {
	h := &getg().hk
	if h.id == 0 || hkMode != hkRecords || h.file == 0 || uint32(*h.ops) != h.file {
		return
	}
	if late {
		hkFailure(h, hkKindFile, h.file-1)
	} else {
		hkEmit(h, hkKindFile, h.file-1, 0, value)
	}
}

// hkFileNap waits a moment for what is sure to come; false: it is not.
func hkFileNap() bool {
	h := &getg().hk
	if _, known := hkFileWants(); !known || h.id == hkUnknown {
		return false
	}
	timeSleep(100 * 1000)
	return true
}
