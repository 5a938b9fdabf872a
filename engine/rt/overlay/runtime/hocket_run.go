//go:build hocket_overlay

package runtime

import (
	"internal/abi"
	"unsafe"
)

// This file maps the run file (layout: Hocket's engine/rt/runfile.go, whose
// constants are added to this package under the names hkW..., by the overlay
// generator) and writes records into its sections. Nothing here allocates on
// the Go heap or needs a write barrier, so it may be called from anywhere one
// goroutine at a time runs.

var (
	hkHdr  *[512]uint64 // the mapped run file; nil when the program runs free
	hkBase uintptr
	hkOn   bool // the schedule is controlled
	hkEv   bool // events are recorded
	hkStk  bool // with stacks
	hkPl   bool // plain accesses are recorded
	hkAl   bool // allocations are recorded
	hkText uintptr
)

// hkInit maps the run file named in the environment, if any. It runs before
// everything else in the program (schedinit calls raceinit first), so it may
// use nothing but system calls.
func hkInit() {
	p := hkEnv()
	if p == nil {
		return
	}
	fd := open(p, 2 /* O_RDWR */, 0)
	if fd < 0 {
		return
	}
	hdr, err := mmap(nil, hkHeaderSize, 3 /* read, write */, 1 /* shared */, fd, 0)
	if err != 0 {
		return
	}
	h := (*[512]uint64)(hdr)
	if h[hkWMagic] != hkMagic || h[hkWVersion] != hkVersion {
		return
	}
	all, err := mmap(nil, uintptr(h[hkWSize]), 3, 1, fd, 0)
	closefd(fd)
	if err != 0 {
		return
	}
	hkBase = uintptr(all)
	hkHdr = (*[512]uint64)(all)
	hkText = firstmoduledata.text
	hkHdr[hkWTextStart] = uint64(hkText)
	f := hkHdr[hkWFlags]
	if f&hkFlagControl == 0 {
		return
	}
	hkOn = true
	// Samples fall where the runtime's own allocations let them fall, and each
	// draws a random number.
	MemProfileRate = 0
	hkEv = f&hkFlagEvents != 0
	hkStk = f&hkFlagStacks != 0
	hkPl = f&hkFlagPlain != 0
	hkAl = f&hkFlagAllocs != 0
	hkCollects = f&hkFlagCollect != 0
	hkTick = int64(hkHdr[hkWClockStep])
	hkProcs = int32(hkHdr[hkWProcs])
	faketime = hkEpoch
	hkSchedInit()
	if f&hkFlagRace != 0 {
		hkrInit()
		hkrOn = true
		hkPairs = f&hkFlagPairs != 0
	}
	// System calls are timed in real time: the virtual clock may stand still.
	hkStackTab = (*[hkStackTabSize]uint32)(hkSysAlloc(hkStackTabSize * 4))
	if hkStackTab == nil {
		hkStk = false
	}
	hkHdr[hkWStackLen] = 2 // id 0 is the empty stack
}

// hkEnv finds HOCKET_RUN's value in the environment block of the process and
// blanks the variable, so that neither os.Environ nor a child sees it.
func hkEnv() *byte {
	const name = "HOCKET_RUN="
	n := int32(0)
	for argv_index(argv, argc+1+n) != nil {
		n++
	}
	for i := int32(0); i < n; i++ {
		p := argv_index(argv, argc+1+i)
		ok := true
		for j := 0; j < len(name); j++ {
			if *(*byte)(add(unsafe.Pointer(p), uintptr(j))) != name[j] {
				ok = false
				break
			}
		}
		if !ok {
			continue
		}
		// Move the last variable here and shorten the block.
		slot := (**byte)(add(unsafe.Pointer(argv), uintptr(argc+1+i)*8))
		last := (**byte)(add(unsafe.Pointer(argv), uintptr(argc+n)*8))
		*(*uintptr)(unsafe.Pointer(slot)) = *(*uintptr)(unsafe.Pointer(last))
		*(*uintptr)(unsafe.Pointer(last)) = 0
		return (*byte)(add(unsafe.Pointer(p), uintptr(len(name))))
	}
	return nil
}

// hkSysAlloc returns n zeroed bytes outside the Go heap, never freed, or nil.
func hkSysAlloc(n uintptr) unsafe.Pointer {
	p, err := mmap(nil, n, 3, _MAP_PRIVATE|_MAP_ANON, -1, 0)
	if err != 0 {
		return nil
	}
	return p
}

// hkEntry returns the address of a new entry of a section, or 0 if it is full.
//
//go:nosplit
func hkEntry(off int, size uintptr) uintptr {
	n := hkHdr[off+2]
	if n >= hkHdr[off+1] {
		return 0
	}
	hkHdr[off+2] = n + 1
	return hkBase + uintptr(hkHdr[off]) + uintptr(n)*size
}

func hkUsed(off int) uintptr {
	if hkHdr == nil {
		return 0
	}
	return uintptr(hkHdr[off+2])
}

//go:nosplit
func hkPut64(p uintptr, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }

//go:nosplit
func hkPut32(p uintptr, v uint32) { *(*uint32)(unsafe.Pointer(p)) = v }

// hkRec writes one event record. When there is room for no more, events are not
// looked at any longer: their stacks cost more than all else.
func hkRec(gid uint32, op uint8, obj uintptr, stack uint32, cnt uint32, val uint64, hasVal bool, aux uint64) {
	hkRecAt(faketime-hkEpoch, gid, op, obj, stack, cnt, val, hasVal, aux)
}

func hkRecAt(time int64, gid uint32, op uint8, obj uintptr, stack uint32, cnt uint32, val uint64, hasVal bool, aux uint64) {
	if hkLooping && hkLoopQuiet() {
		return
	}
	p := hkEntry(hkWEventOff, hkEventSize)
	if p == 0 {
		hkHdr[hkWDropped]++
		hkEv, hkPl = false, false
		return
	}
	fl := uint64(0)
	if hasVal {
		fl = hkEventHasValue << 40
	}
	hkPut64(p+8, uint64(obj))
	hkPut32(p+16, stack)
	hkPut32(p+20, cnt)
	hkPut64(p+24, val)
	hkPut64(p+32, aux)
	hkPut64(p+40, uint64(time))
	hkPut64(p, uint64(gid)|uint64(op)<<32|fl)
}

// hkMessage appends a line to the text section.
func hkMessage(s string) {
	n := hkHdr[hkWTextLen]
	for i := 0; i < len(s) && n < hkHdr[hkWTextCap]; i++ {
		*(*byte)(unsafe.Pointer(hkBase + uintptr(hkHdr[hkWTextOff]) + uintptr(n))) = s[i]
		n++
	}
	hkHdr[hkWTextLen] = n
}

const (
	hkStackTabSize = 1 << 16
	hkMaxStack     = 48
)

var hkStackTab *[hkStackTabSize]uint32 // open addressing: hash -> stack id

// hkStackID stores pcs (return addresses, innermost first) once and returns
// its id: the word index of the length.
func hkStackID(pcs []uintptr) uint32 {
	if len(pcs) == 0 || hkStackTab == nil {
		return 0
	}
	h := uint64(14695981039346656037)
	for _, pc := range pcs {
		h = (h ^ uint64(pc)) * 1099511628211
	}
	base := hkBase + uintptr(hkHdr[hkWStackOff])
	i := uint32(h>>32) % hkStackTabSize
	for tries := 0; tries < 256; tries++ {
		id := hkStackTab[i]
		if id == 0 {
			break
		}
		p := base + uintptr(id)*8
		if *(*uint64)(unsafe.Pointer(p)) == uint64(len(pcs)) {
			same := true
			for j, pc := range pcs {
				if *(*uint64)(unsafe.Pointer(p + 8 + uintptr(j)*8)) != uint64(pc-hkText) {
					same = false
					break
				}
			}
			if same {
				return id
			}
		}
		i = (i + 1) % hkStackTabSize
	}
	n := hkHdr[hkWStackLen]
	if n+uint64(len(pcs))+1 > hkHdr[hkWStackCap] {
		return 0
	}
	p := base + uintptr(n)*8
	for j, pc := range pcs {
		hkPut64(p+8+uintptr(j)*8, uint64(pc-hkText))
	}
	hkPut64(p, uint64(len(pcs)))
	hkHdr[hkWStackLen] = n + uint64(len(pcs)) + 1
	hkStackTab[i] = uint32(n)
	return uint32(n)
}

// hkStack captures the calling goroutine's stack. The reader cuts off the
// frames of the runtime and of sync.
func hkStack() uint32 {
	var pcs [hkMaxStack]uintptr
	n := fpTracebackPCs(unsafe.Pointer(getfp()), pcs[:])
	hkAtSignal(getg().m.curg, pcs[:n])
	return hkStackID(pcs[:n])
}

// hkStackOf captures the stack of a goroutine that is not running.
func hkStackOf(gp *g) uint32 {
	var pcs [hkMaxStack]uintptr
	pcs[0] = gp.sched.pc
	n := 1 + fpTracebackPCs(unsafe.Pointer(gp.sched.bp), pcs[1:])
	hkAtSignal(gp, pcs[:n])
	return hkStackID(pcs[:n])
}

// hkAtSignal makes the address at which a signal stopped a goroutine, say for the use of
// a nil pointer, look like a return address: readers take the line of the byte before it.
func hkAtSignal(gp *g, pcs []uintptr) {
	if gp == nil || gp.sig == 0 {
		return
	}
	for i := 1; i < len(pcs); i++ {
		if f := findfunc(pcs[i-1]); f.valid() && f.funcID == abi.FuncID_sigpanic {
			pcs[i]++
		}
	}
}
