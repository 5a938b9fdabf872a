//go:build hocket_overlay

package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// The log of a recording build: what a goroutine carries, the mapped file, and how
// records get into it. Layout and meaning: Hocket's engine/rt/reclog.go. Nothing
// here allocates on the Go heap, parks, or needs a write barrier.

// hkG is the recorder's part of a goroutine. The zero value is a goroutine that
// is not recorded: a system goroutine, or all of them when nothing is recorded.
type hkG struct {
	id    uint32  // in the log; in a plan the index from 1, or hkUnknown
	at    uint32  // number of the operation that the last record belongs to
	ops   *uint64 // operations done, in mapped memory
	p, e  uintptr // what is left of the chunk
	size  uint32  // of the chunk
	full  bool    // there was no room for a record
	total uint32  // operations that the plan has, 0: none is followed

	seenID, seenN uint32 // the last order that was recorded: what it implies is not

	fail     uintptr // the outcome of the last record, if it is a failure that may be repeated
	failKind uint32

	file, want uint32 // 1 + number of the read or write that was counted last, and what it is to get

	clock int64 // ns from hkBase to its last reading
	due   int64 // of the timer that it is about to make or reset

	kids, timers uint32
	name         uint64  // digest of its name
	rnd          uint64  // its stream of random numbers
	first        uintptr // its first chunk

	// Following a plan.
	rec, recEnd uintptr // the records to come
	places      uintptr // of its operations; 0: not wanted
	failLeft    uint32
	waitFor     *uint64 // what it is parked for
	waitFlag    *uint32 // or this; both nil: the end of the plan
	waitN       uint32
	waitLink    guintptr
	verdict     uint32
}

// hkObj is who did the last operation on an object, and the number of it there.
// It is changed under the object's lock.
type hkObj struct{ own, n uint32 }

var (
	hkMode    uint32 // hkOff, hkRecords, hkPlans
	hkFollows bool   // operations wait for their turn
	hkLog     uintptr
	hkLogEnd  uintptr
	hkIDs     uint32
	hkSeed    uint64
	hkSeeded  bool // hkSeed came with the plan
	hkTrouble int32
)

const (
	hkOff = iota
	hkRecords
	hkPlans
)

func hkWord(base uintptr, i int) *uint64 { return (*uint64)(unsafe.Pointer(base + uintptr(i)*8)) }

// hkInit looks for a folder to record to, or a plan to follow. It runs before
// memory management is there.
func hkInit() {
	dir := hkEnv("HOCKET_RECORD=")
	if plan := hkEnv("HOCKET_FOLLOW="); plan != nil {
		hkOpenPlan(plan)
		return
	}
	if dir == nil || *dir == 0 {
		return
	}
	var path [1024]byte
	n := 0
	put := func(b byte) {
		if n < len(path)-1 {
			path[n] = b
			n++
		}
	}
	for p := dir; *p != 0; p = (*byte)(add(unsafe.Pointer(p), 1)) {
		put(*p)
	}
	put('/')
	pid, _, _ := linux.Syscall6(hkSysGetpid, 0, 0, 0, 0, 0, 0)
	for _, v := range [2]uint64{uint64(pid), uint64(nanotime())} {
		for i := 60; i >= 0; i -= 4 {
			put("0123456789abcdef"[v>>i&15])
		}
		put('-')
	}
	n--
	for _, b := range []byte(".hklog") {
		put(b)
	}
	fd := open(&path[0], 0x2|0x40|0x80|0x80000 /* O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC */, 0o644)
	if fd < 0 {
		hkTrouble = -fd
		hkSay("no log can be created in ", dir)
		return
	}
	if _, _, errno := linux.Syscall6(hkSysFtruncate, uintptr(fd), hkLogSize, 0, 0, 0, 0); errno != 0 {
		hkSay("the log can't be made as large as it may get in ", dir)
		return
	}
	size := hkRoom(fd)
	if size < hkLeastLog {
		closefd(fd)
		hkSay("there is no room for a log in ", dir)
		return
	}
	m, err := mmap(nil, hkLogSize, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, fd, 0)
	closefd(fd)
	if err != 0 {
		hkSay("the log can't be mapped in ", dir)
		return
	}
	b := uintptr(m)
	*hkWord(b, hkLVersion) = hkRecVersion
	*hkWord(b, hkLNext) = hkLogHeader
	*hkWord(b, hkLText) = uint64(firstmoduledata.text)
	*hkWord(b, hkLPid) = uint64(pid)
	sec, nsec, mono := time_now()
	hkBase = mono
	hkBegan = sec*1e9 + int64(nsec)
	*hkWord(b, hkLBegan) = uint64(hkBegan)
	*hkWord(b, hkLCode) = hkCode()
	hkText(b+hkLogGo, hkLogGoMax, buildVersion)
	hkText(b+hkLogPath, hkLogPathMax, hkMainPath())
	*hkWord(b, hkLArgs) = uint64(argc)
	at := b + hkLogArgs
	for i := int32(0); i < argc; i++ {
		for p := argv_index(argv, i); *p != 0 && at < b+hkLogArgs+hkLogArgsMax-2; p = (*byte)(add(unsafe.Pointer(p), 1)) {
			*(*byte)(unsafe.Pointer(at)) = *p
			at++
		}
		at++
	}
	*hkWord(b, hkLMagic) = hkLogMagic
	hkLog, hkLogEnd = b, b+size
	hkMode = hkRecords
}

// hkLeastLog is the least room for a log, in bytes.
const hkLeastLog = 1 << 20

// hkRoom is how large a log may get: half of what is free in its file system, since the
// kernel kills a program that writes to a mapped file where there is no room.
func hkRoom(fd int32) uintptr {
	var st [15]uint64 // struct statfs: bytes of a block, blocks and free blocks are words 1, 2 and 4
	_, _, errno := linux.Syscall6(hkSysFstatfs, uintptr(fd), uintptr(unsafe.Pointer(&st)), 0, 0, 0, 0)
	if errno != 0 || st[2] == 0 {
		return hkLogSize // not known
	}
	return uintptr(min(hkLogSize, st[1]*st[4]/2) &^ (hkChunkUnit - 1))
}

// hkMainPath is the path of the main package in the program's build information.
func hkMainPath() string {
	const key = "path\t"
	s := modinfo
	if len(s) < 16+len(key) || s[16:16+len(key)] != key {
		return ""
	}
	s = s[16+len(key):]
	for i := range len(s) {
		if s[i] == '\n' {
			return s[:i]
		}
	}
	return ""
}

// hkCode tells programs apart: a digest of where functions begin.
func hkCode() uint64 {
	x := hkMix(uint64(firstmoduledata.etext - firstmoduledata.text))
	for _, f := range firstmoduledata.ftab {
		x = (x ^ uint64(f.entryoff)<<32 ^ uint64(f.funcoff)) * 0x9E3779B97F4A7C15
		x ^= x >> 29
	}
	return x | 1
}

func hkText(at, room uintptr, s string) {
	for i := 0; i < len(s) && uintptr(i) < room-1; i++ {
		*(*byte)(unsafe.Pointer(at + uintptr(i))) = s[i]
	}
}

// hkSay tells that nothing is recorded. The program goes on.
func hkSay(what string, dir *byte) {
	print("hocket: ", what)
	for p := dir; *p != 0; p = (*byte)(add(unsafe.Pointer(p), 1)) {
		b := [1]byte{*p}
		write(2, unsafe.Pointer(&b[0]), 1)
	}
	print(": nothing is recorded\n")
}

// hkEnv finds a variable's value in the environment block of the process and
// removes the variable, so that neither os.Environ nor a child sees it.
func hkEnv(name string) *byte {
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
		// The variables behind it move down: their order stays.
		for k := i; k < n; k++ {
			slot := (*uintptr)(add(unsafe.Pointer(argv), uintptr(argc+1+k)*8))
			*slot = *(*uintptr)(add(unsafe.Pointer(argv), uintptr(argc+2+k)*8))
		}
		return (*byte)(add(unsafe.Pointer(p), uintptr(len(name))))
	}
	return nil
}

// hkSeedAll replaces the seed of the process by one that follows from 64 bits,
// which the log keeps.
func hkSeedAll(seed *[32]byte) {
	if hkMode == hkOff {
		return
	}
	if hkMode == hkRecords {
		for i := range 8 {
			hkSeed = hkSeed<<8 | uint64(seed[i])
		}
		*hkWord(hkLog, hkLSeed) = hkSeed
	}
	for i := range 4 {
		v := hkMix(hkSeed + uint64(i+1)*0x9E3779B97F4A7C15)
		for j := range 8 {
			seed[i*8+j] = byte(v >> (8 * j))
		}
	}
}

//go:nosplit
func hkMix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// hkDraws begins the goroutine's stream of random numbers. It is that of Hocket's
// controlled runtime, whose input seed is this log's: a controlled run that is directed
// along the log draws what the recorded one drew.
func hkDraws(h *hkG) { h.rnd = hkMix(h.name ^ hkSeed*0x9E3779B97F4A7C15) }

// hkRand is the goroutine's next random number.
//
//go:nosplit
func hkRand() (uint64, bool) {
	gp := getg()
	if gp.hk.id == 0 {
		return 0, false
	}
	gp.hk.rnd++
	return hkMix(gp.hk.rnd), true
}

// hkDraw is a select's draw below n: the same, however many the select makes.
//
//go:nosplit
func hkDraw(n uint32) uint32 {
	h := &getg().hk
	if h.id == 0 {
		return cheaprandn(n)
	}
	return uint32(hkMix(h.name+hkSeed+*h.ops*64+uint64(n))>>32) % n
}

// hkMore gives the goroutine its next chunk.
//
//go:nosplit
func hkMore(h *hkG) bool {
	if h.full || hkLog == 0 {
		return false
	}
	size := h.size
	if size < 1<<16 {
		size *= 2
	}
	p := hkTake(size)
	if p == 0 {
		return false
	}
	h.size = size
	*(*uint32)(unsafe.Pointer(p + hkChunkID)) = h.id
	hkPublish((*uint32)(unsafe.Pointer(p)), size)
	h.p, h.e = p+hkChunkHead, p+uintptr(size)
	return true
}

//go:nosplit
func hkTake(size uint32) uintptr {
	end := hkLog + uintptr(atomic.Xadd64(hkWord(hkLog, hkLNext), int64(size)))
	if end > hkLogEnd {
		atomic.Or((*uint32)(unsafe.Pointer(hkWord(hkLog, hkLFlags))), hkLogFull)
		return 0
	}
	return end - uintptr(size)
}

// hkEmit writes a record of operation n: that v of the goroutine id came before, or the
// outcome v if id is 0.
//
//go:nosplit
func hkEmit(h *hkG, kind, n, id, v uint32) {
	d := n - h.at
	for ; d > hkMaxDistance; d -= hkMaxDistance {
		hkPut(h, n, 3, hkMaxDistance<<hkRestAt|hkKindSkip, 0, 0)
	}
	switch {
	case id == 0 && d < 1<<hkOutcomeBits && v < 1<<(hkRestBits-hkOutcomeBits):
		hkPut(h, n, 1, (v<<hkOutcomeBits|d)<<hkRestAt|hkFormOutcome<<hkKindBits|kind, 0, 0)
	case id != 0 && id == h.seenID && d < 1<<hkSameBits && v-h.seenN < 1<<(hkRestBits-hkSameBits):
		hkPut(h, n, 1, ((v-h.seenN)<<hkSameBits|d)<<hkRestAt|hkFormSame<<hkKindBits|kind, 0, 0)
	case id < 1<<(hkRestBits-hkHalfBits) && d < 1<<hkHalfBits:
		hkPut(h, n, 2, (id<<hkHalfBits|d)<<hkRestAt|hkFormHalf<<hkKindBits|kind, v, 0)
	default:
		hkPut(h, n, 3, d<<hkRestAt|kind, id, v)
	}
	if id != 0 {
		h.seenID, h.seenN = id, v
	}
	h.at = n
	h.fail = 0
}

// hkPut writes the words of a record of operation n. Once one is missing, none is
// written: what follows would be taken for complete.
//
//go:nosplit
func hkPut(h *hkG, n uint32, words uintptr, w, a, b uint32) {
	if h.full {
		return
	}
	if h.p+words*4 > h.e && !hkMore(h) {
		h.full = true
		*(*uint32)(unsafe.Pointer(h.first + hkChunkCut)) = n + 1
		return
	}
	p := h.p
	if words > 1 {
		*(*uint32)(unsafe.Pointer(p + 4)) = a
	}
	if words > 2 {
		*(*uint32)(unsafe.Pointer(p + 8)) = b
	}
	hkPublish((*uint32)(unsafe.Pointer(p)), w)
	h.p = p + words*4
}
