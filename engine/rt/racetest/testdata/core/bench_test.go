package racecore

import "testing"

// The loop's usual access: this goroutine made the same one in this epoch.
func BenchmarkAccessSameEpoch(b *testing.B) {
	_, m := newWorld()
	for b.Loop() {
		hkrAccess(m.tid, m.gid, x, 0, true, true, textStart)
	}
}

func BenchmarkAccessNewCell(b *testing.B) {
	_, m := newWorld()
	i := uintptr(0)
	for b.Loop() {
		if i == 1<<16 {
			i = 0
			m.rel(mu)
		}
		hkrAccess(m.tid, m.gid, x+8*i, 0, true, true, textStart)
		i++
	}
}

func BenchmarkAccessTwoChunks(b *testing.B) {
	_, m := newWorld()
	i := uintptr(0)
	for b.Loop() {
		hkrAccess(m.tid, m.gid, x+i&1<<20, 0, true, true, textStart)
		i++
	}
}

func BenchmarkLockedIncrement(b *testing.B) {
	_, m := newWorld()
	gs := [2]gor{m, m.fork()}
	i := 0
	for b.Loop() {
		g := gs[i&1]
		hkrAcquire(g.tid, mu)
		hkrAccess(g.tid, g.gid, x, 0, true, false, textStart)
		hkrAccess(g.tid, g.gid, x, 0, true, true, textStart)
		hkrRelease(g.tid, mu)
		i++
	}
	if len(reports) != 0 {
		b.Fatal("a race where all is locked")
	}
}

func BenchmarkRange4K(b *testing.B) {
	_, m := newWorld()
	for b.Loop() {
		m.rel(mu)
		hkrAccess(m.tid, m.gid, x, 4096, false, true, textStart)
	}
}

func BenchmarkMallocTouched64(b *testing.B) {
	_, m := newWorld()
	for b.Loop() {
		hkrMalloc(x, 64)
		hkrAccess(m.tid, m.gid, x, 64, false, true, textStart)
	}
}

func BenchmarkMallocUntouched1M(b *testing.B) {
	_, m := newWorld()
	m.write("a", x)
	for b.Loop() {
		hkrMalloc(x+4096, 1<<20)
	}
}
