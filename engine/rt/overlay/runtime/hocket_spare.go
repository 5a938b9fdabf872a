//go:build hocket_overlay

package runtime

import "internal/runtime/atomic"

// The memory of threads is taken early. When the runtime needs another thread
// depends on real time: whether one that has nothing to do has been parked already,
// whether a system call takes long. What it would allocate for the thread then would
// move all that the program allocates afterwards, and programs can tell addresses:
// they print, compare and hash them.

// hkSpares is how many threads have their memory from here. A program that has more
// of them allocates for the others as usual.
const hkSpares = 16

// hkSpare is the memory of one thread, of each part of which one is left until it
// is taken.
type hkSpare struct {
	m       *mPadded
	g0      *g
	gsignal *g
	self    *atomic.Pointer[m]
	stacks  [2][]uintptr // of its profiles
}

var (
	hkSpareOf    [hkSpares]hkSpare
	hkSpareReady bool
)

// Sizes of stacks, as allocm and mpreinit ask for them.
const (
	hkSpareStack  = 16384
	hkSpareSignal = 32 * 1024
)

// hkSpareM is the next thread's structure. Its caller has the processor, and so it is
// alone here and in what follows.
func hkSpareM() *mPadded {
	if !hkOn {
		return new(mPadded)
	}
	if !hkSpareReady {
		for i := range hkSpareOf {
			s := &hkSpareOf[i]
			s.m, s.g0, s.gsignal = new(mPadded), malg(hkSpareStack), malg(hkSpareSignal)
			s.self = new(atomic.Pointer[m])
			if debug.profstackdepth != 0 {
				s.stacks = [2][]uintptr{hkOrigmakeProfStackFP(), hkOrigmakeProfStackFP()}
			}
		}
		hkSpareReady = true
	}
	for i := range hkSpareOf {
		if mp := hkSpareOf[i].m; mp != nil {
			hkSpareOf[i].m = nil
			return mp
		}
	}
	return new(mPadded)
}

// hkSpareG is a goroutine with a stack for a thread's own use.
func hkSpareG(stack int32) *g {
	for i := range hkSpareOf {
		s := &hkSpareOf[i]
		switch {
		case stack == hkSpareStack && s.g0 != nil:
			gp := s.g0
			s.g0 = nil
			return gp
		case stack == hkSpareSignal && s.gsignal != nil:
			gp := s.gsignal
			s.gsignal = nil
			return gp
		}
	}
	return malg(stack)
}

// hkSpareSelf is what weak pointers to a thread point to.
func hkSpareSelf() *atomic.Pointer[m] {
	for i := range hkSpareOf {
		if p := hkSpareOf[i].self; p != nil {
			hkSpareOf[i].self = nil
			return p
		}
	}
	return new(atomic.Pointer[m])
}

// makeProfStackFP makes room for a stack of a thread's profiles.
func makeProfStackFP() []uintptr {
	for i := range hkSpareOf {
		for j, s := range hkSpareOf[i].stacks {
			if s != nil {
				hkSpareOf[i].stacks[j] = nil
				return s
			}
		}
	}
	return hkOrigmakeProfStackFP()
}

// hkRoomBytes is what the deepest hooks need of a goroutine's stack at most, whatever is
// recorded and whoever chooses who runs next: the sum of the frames on the longest way
// from a caller of hkRoom (the report of a race, 832 bytes; a switch that takes the
// scheduler's lock, 936). Twice as much would make every small stack grow.
const hkRoomBytes = 960

// hkRoom makes the stack grow, if it must, as far as the deepest hook needs. How deep a
// hook goes depends on what is recorded, and a stack that grows in one run but not in
// another moves what is allocated after that.
//
//go:noinline
func hkRoom(use bool) {
	if use { // never; the room is taken before
		var room [hkRoomBytes]byte
		hkRoomUsed(&room)
	}
}

//go:noinline
func hkRoomUsed(*[hkRoomBytes]byte) {}
