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
	active := hkOrigresetTimer(t, when, period)
	if do == hkFail {
		return false
	}
	return hkTimerDone(active, do)
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
