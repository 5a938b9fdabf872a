package racecore

import (
	"math/rand/v2"
	"testing"
)

func TestTidsAreNotReusedEarly(t *testing.T) {
	_, m := newWorld()
	seen := map[uint32]bool{m.tid: true}
	for range hkrReuseAfter - 1 {
		g := m.fork()
		g.end()
		if seen[g.tid] {
			t.Fatalf("tid %d given twice within %d", g.tid, len(seen))
		}
		seen[g.tid] = true
	}
	if g := m.fork(); !seen[g.tid] {
		t.Errorf("tid %d is new, though %d are free", g.tid, len(seen)-1)
	}
}

// A tid whose last access the parent doesn't know must not come back: the new
// goroutine would look as if it had made the access.
func TestUnknownTidIsPassedOver(t *testing.T) {
	w, m := newWorld()
	g := m.fork()
	g.write("a", x)
	g.end()
	for range 3 * hkrReuseAfter {
		m.fork().end()
	}
	for range hkrReuseAfter {
		h := m.fork()
		if h.tid == g.tid {
			t.Fatal("the tid came back")
		}
		h.read("b", x)
		h.end()
	}
	if got := w.races(); got != "a b" {
		t.Errorf("races %q, want %q", got, "a b")
	}
	if hkrReused != 0 {
		t.Errorf("%d tids reused blindly", hkrReused)
	}
}

func TestReusedTidHasTheParentsKnowledge(t *testing.T) {
	w, m := newWorld()
	other := m.fork()
	for range 10 * hkrReuseAfter {
		g := m.fork()
		g.acq(mu)
		g.write("in", x)
		g.rel(mu)
		g.end()
		m.acq(mu)
	}
	if got := w.races(); got != "" {
		t.Errorf("races %q though all is locked", got)
	}
	if hkrTids > 2*hkrReuseAfter {
		t.Errorf("%d tids for two goroutines alive", hkrTids)
	}
	other.read("out", x)
	if got := w.races(); got != "in out" {
		t.Errorf("races %q, want %q", got, "in out")
	}
}

func TestBlindReuseIsCounted(t *testing.T) {
	_, m := newWorld()
	for i := range uintptr(2 * hkrReuseSoft) {
		g := m.fork()
		g.write("a", x+8*i)
		g.end()
	}
	if hkrReused == 0 || hkrTids != hkrReuseSoft {
		t.Errorf("%d reused of %d tids, want some of %d", hkrReused, hkrTids, hkrReuseSoft)
	}
	if len(reports) != 0 {
		t.Errorf("%d races, want none", len(reports))
	}
}

func TestTooManyGoroutines(t *testing.T) {
	_, m := newWorld()
	for range hkrMaxTid - 1 {
		m.fork()
	}
	if !hkrOn {
		t.Fatalf("off with %d goroutines", hkrMaxTid)
	}
	g := m.fork()
	if hkrOn || !hkrOverflow {
		t.Fatalf("on=%v overflow=%v with one too many", hkrOn, hkrOverflow)
	}
	useAll(g)
}

// useAll calls all there is: a detector that is off must take it.
func useAll(g gor) {
	g.fork().end()
	g.write("a", x)
	g.writes("a", x, x+100)
	g.rel(mu)
	g.acq(mu)
	g.merge(mu)
	g.exchange(mu)
	hkrAcquireTid(g.tid, 0)
	hkrAcquireAll(g.tid)
	hkrMalloc(x, 100)
	g.end()
}

func TestMemoryRunsOut(t *testing.T) {
	_, m := newWorld()
	g := m.fork()
	noMemory = true
	g.write("a", x)
	if !hkrOn || hkrRefused != 1 {
		t.Errorf("on=%v, %d refused, want on and 1", hkrOn, hkrRefused)
	}
	for i := uintptr(0); hkrOn && i < 1<<20; i++ {
		m.rel(mu + 8*i)
	}
	if hkrOn {
		t.Error("on without memory for clocks")
	}
	useAll(g)
	useAll(m)
}

func TestShadowBudget(t *testing.T) {
	_, m := newWorld()
	g := m.fork()
	m.write("a", x)
	hkrShadowUsed = hkrShadowMax
	g.write("same block", x)
	g.write("other block", x+4096)
	g.write("other chunk", x+1<<20)
	if len(reports) != 1 || hkrRefused != 2 {
		t.Errorf("%d races, %d refused, want 1 and 2", len(reports), hkrRefused)
	}
}

func TestRangeIsCapped(t *testing.T) {
	_, m := newWorld()
	g := m.fork()
	m.writes("a", x, x+2*hkrRangeMax)
	g.write("in", x+hkrRangeMax-1)
	g.write("out", x+hkrRangeMax)
	if len(reports) != 1 || hkrCapped != 1 {
		t.Errorf("%d races, %d capped, want 1 and 1", len(reports), hkrCapped)
	}
}

func TestEviction(t *testing.T) {
	_, m := newWorld()
	for range hkrSlots + 1 {
		m.fork().read("r", x)
	}
	if hkrEvicted != 1 {
		t.Errorf("%d evicted, want 1", hkrEvicted)
	}
	m.write("w", x)
	if len(reports) != hkrSlots {
		t.Errorf("%d races, want %d", len(reports), hkrSlots)
	}
}

func TestAddressesOutsideUserSpace(t *testing.T) {
	_, m := newWorld()
	m.write("a", 0)
	m.write("b", ^uintptr(0)-64)
	if !hkrOn || hkrRefused != 1 {
		t.Errorf("on=%v, %d refused, want on and 1", hkrOn, hkrRefused)
	}
}

// Memory comes and goes: objects that were synchronised on leave nothing behind.
func TestSyncTableShrinks(t *testing.T) {
	_, m := newWorld()
	const n = 5000
	for range 3 {
		for i := range uintptr(n) {
			m.rel(mu + 24*i + i%8)
		}
		if hkrSyncCount != n {
			t.Fatalf("%d objects, want %d", hkrSyncCount, n)
		}
		hkrMalloc(mu, 24*n/2)
		for i := range uintptr(n) {
			addr := mu + 24*i + i%8
			if gone := hkrSyncFind(addr) == nil; gone != (addr < mu+24*n/2) {
				t.Fatalf("object %d gone=%v", i, gone)
			}
		}
		hkrMalloc(mu, 24*n+8)
		if hkrSyncCount != 0 {
			t.Fatalf("%d objects left", hkrSyncCount)
		}
	}
}

func TestSyncTableAgainstMap(t *testing.T) {
	restart()
	rnd := rand.New(rand.NewPCG(7, 7))
	want := map[uintptr]bool{}
	for range 20000 {
		addr := mu + uintptr(rnd.IntN(1500))
		switch s := hkrSyncFind(addr); {
		case (s != nil) != want[addr]:
			t.Fatalf("%#x: found %v, want %v", addr, s != nil, want[addr])
		case s == nil:
			hkrSyncAdd(addr)
			want[addr] = true
		default:
			hkrSyncRemove(s)
			delete(want, addr)
		}
	}
	if int(hkrSyncCount) != len(want) {
		t.Errorf("%d objects, want %d", hkrSyncCount, len(want))
	}
}

// What lived in memory that is allocated again costs nothing any more.
func TestMemoryIsUsedAgain(t *testing.T) {
	_, m := newWorld()
	const n = 5000
	var blocks int
	for round := range 20 {
		for i := range uintptr(n) {
			m.rel(mu + 8*i)
			m.exchange(mu + 8*i)
			m.write("a", mu+8*i)
		}
		hkrMalloc(mu, 8*n)
		if round == 0 {
			blocks = len(mapped)
		}
	}
	if len(mapped) != blocks {
		t.Errorf("%d blocks of memory, %d after the first round", len(mapped), blocks)
	}
	if want := uintptr(hkrBlockCost * ((8*n + 511) / 512)); hkrShadowUsed != want {
		t.Errorf("%d bytes of shadow, want %d", hkrShadowUsed, want)
	}
}

func TestGoroutineOfNoParentKnowsNothing(t *testing.T) {
	w, m := newWorld()
	m.write("a", x)
	first := m.fork()
	first.end()
	for range hkrReuseAfter {
		m.fork().end()
	}
	g := w.start(hkrNoTid)
	for ; g.tid != first.tid; g = w.start(hkrNoTid) {
		if g.tid > hkrReuseAfter {
			t.Fatal("the tid does not come back")
		}
	}
	g.write("b", x)
	if got := w.races(); got != "a b" {
		t.Errorf("races %q, want %q", got, "a b")
	}
}

func TestSharedToldOnceInALife(t *testing.T) {
	_, m := newWorld()
	g := m.fork()
	use := func(want int) {
		t.Helper()
		for _, h := range []gor{m, g} {
			h.rel(mu)
			h.write("a", x)
		}
		if len(shared) != want {
			t.Errorf("told %d times, want %d", len(shared), want)
		}
	}
	use(1)
	use(1)
	hkrMalloc(x+4, 4)
	use(1)
	hkrMalloc(x, 8)
	use(2)
}
