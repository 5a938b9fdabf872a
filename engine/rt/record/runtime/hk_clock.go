//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The clock: each reading of package time is an operation with its outcome, since
// which operations follow may depend on it: a deadline that has passed when a context
// is made, say. Timers run by the clock of the machine.

var (
	hkBase   int64 // nanotime when the program began
	hkBegan  int64 // Unix time in ns then; of a run that follows, of the recorded one
	hkLatest int64 // of a run that follows: the latest recorded reading that was given
	hkAhead  int64 // and what readings that are not recorded add, so that none is earlier
)

//go:linkname hkNow
func hkNow() (sec int64, nsec int32, mono int64) {
	if hkMode == hkOff || getg().bubble != nil {
		return time_runtimeNow()
	}
	// The log has one number: the time of day follows from it in both kinds of run.
	mono = hkDue()
	if mono == 0 {
		mono = hkNano()
	}
	wall := hkBegan + mono - hkBase
	return wall / 1e9, int32(wall % 1e9), mono
}

// hkWhen is when a timer fires that is made or reset now, by the clock of the machine.
// By the clock of the log that is hkDue, which its channel gets: both follow from one
// reading.
//
//go:linkname hkWhen
func hkWhen(d int64) int64 {
	if hkMode == hkOff || getg().bubble != nil {
		return time_runtimeNano() + d
	}
	getg().hk.due = hkNano() + d
	return nanotime() + d
}

// hkDue is the time that the timer sends which runs now, 0 if none runs that fires once.
func hkDue() int64 {
	t := (*timer)(unsafe.Pointer(getg().m.hkTimer))
	if t == nil || t.period != 0 {
		return 0
	}
	return t.hk.due
}

// hkLate is how long ago a timer was due that sends the time, if that is to be told from
// the time: hkDue is exact.
//
//go:linkname hkLate
func hkLate(delta int64) int64 {
	if hkMode != hkOff && hkDue() != 0 {
		return 0
	}
	return delta
}

//go:linkname hkNano
func hkNano() int64 {
	if hkMode == hkOff || getg().bubble != nil {
		return time_runtimeNano()
	}
	if hkMode == hkRecords {
		mono := nanotime()
		hkKeepClock(mono)
		return mono
	}
	return hkReadClock()
}

// hkClockOf is the recorder's part of a goroutine whose readings are recorded. Those
// are not that a timer makes for its channel: which goroutine runs it is chance.
func hkClockOf() *hkG {
	gp := getg()
	if gp.hk.id == 0 || gp.m.curg != gp || gp.m.hkTimer != 0 {
		return nil
	}
	return &gp.hk
}

func hkKeepClock(mono int64) {
	h := hkClockOf()
	if h == nil {
		return
	}
	n := uint32(*h.ops)
	d := uint64(mono - hkBase - h.clock)
	h.clock = mono - hkBase
	if high := uint32(d >> hkClockBits); high != 0 {
		hkEmit(h, hkKindClock, n, 0, high|hkClockHigh)
	}
	hkEmit(h, hkKindClock, n, 0, uint32(d)&(hkClockHigh-1))
	hkNext(h, n)
}

// hkReadClock is a reading in a run that follows.
func hkReadClock() int64 {
	h := hkClockOf()
	if h == nil {
		return hkFreeClock()
	}
	do, d := hkGate(hkKindClock)
	if do != hkFail {
		hkNext(h, uint32(*h.ops))
	}
	if do != hkChosen {
		return hkFreeClock()
	}
	h.clock += int64(d)
	mono := hkBase + h.clock
	for {
		last := atomic.Loadint64(&hkLatest)
		if mono <= last || atomic.Casint64(&hkLatest, last, mono) {
			return mono
		}
	}
}

// hkFreeClock is a reading that the log does not have: not before one that it has.
func hkFreeClock() int64 {
	t := nanotime()
	for {
		ahead := atomic.Loadint64(&hkAhead)
		need := atomic.Loadint64(&hkLatest) - t
		if need <= ahead || atomic.Casint64(&hkAhead, ahead, need) {
			return t + max(ahead, need)
		}
	}
}
