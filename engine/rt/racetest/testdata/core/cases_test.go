package racecore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// world runs a program of a table test. Accesses are labelled, so that a race
// reads "first second", in the order in which they were made.
type world struct {
	labels []string
	gids   uint32
}

type gor struct {
	w        *world
	tid, gid uint32
}

func newWorld() (*world, gor) {
	restart()
	w := &world{}
	return w, w.start(hkrNoTid)
}

func (w *world) start(parent uint32) gor {
	w.gids++
	return gor{w, hkrGoStart(parent, w.gids), w.gids}
}

func (g gor) fork() gor          { return g.w.start(g.tid) }
func (g gor) end()               { hkrGoEnd(g.tid) }
func (g gor) acq(s uintptr)      { hkrAcquire(g.tid, s) }
func (g gor) rel(s uintptr)      { hkrRelease(g.tid, s) }
func (g gor) merge(s uintptr)    { hkrReleaseMerge(g.tid, s) }
func (g gor) exchange(s uintptr) { hkrReleaseAcquire(g.tid, s) }

func (g gor) access(label string, addr, size uintptr, scalar, write bool) {
	g.w.labels = append(g.w.labels, label)
	hkrAccess(g.tid, g.gid, addr, size, scalar, write, textStart+uintptr(len(g.w.labels)))
}
func (g gor) write(label string, addr uintptr)       { g.access(label, addr, 0, true, true) }
func (g gor) read(label string, addr uintptr)        { g.access(label, addr, 0, true, false) }
func (g gor) writes(label string, addr, end uintptr) { g.access(label, addr, end-addr, false, true) }
func (g gor) reads(label string, addr, end uintptr)  { g.access(label, addr, end-addr, false, false) }

// atomic and its kin are what sync/atomic tells the detector.
func (g gor) atomic(label string, addr uintptr, write bool) {
	g.w.labels = append(g.w.labels, label)
	hkrAtomic(g.tid, g.gid, addr, write, textStart+uintptr(len(g.w.labels)))
}
func (g gor) load(label string, addr uintptr)  { g.acq(addr); g.atomic(label, addr, false) }
func (g gor) store(label string, addr uintptr) { g.atomic(label, addr, true); g.merge(addr) }
func (g gor) add(label string, addr uintptr)   { g.acq(addr); g.atomic(label, addr, true); g.merge(addr) }

func (w *world) races() string {
	var out []string
	for _, r := range reports {
		out = append(out, fmt.Sprintf("%s %s", w.labels[r.pc1-1], w.labels[r.pc2-1]))
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

const (
	x  = uintptr(0xc000010000)
	mu = uintptr(0xc000020000)
	ch = uintptr(0xc000030008)
)

var cases = []struct {
	name string
	run  func(main gor)
	want string
}{
	{"write write", func(m gor) {
		g := m.fork()
		m.write("a", x)
		g.write("b", x)
	}, "a b"},
	{"read write", func(m gor) {
		g := m.fork()
		m.read("a", x)
		g.write("b", x)
	}, "a b"},
	{"write read", func(m gor) {
		g := m.fork()
		m.write("a", x)
		g.read("b", x)
	}, "a b"},
	{"atomics don't race", func(m gor) {
		g := m.fork()
		m.store("a", x)
		g.store("b", x)
		g.add("c", x)
		m.load("d", x)
	}, ""},
	{"atomic store plain read", func(m gor) {
		g := m.fork()
		m.store("a", x)
		g.read("b", x)
	}, "a b"},
	{"plain read atomic store", func(m gor) {
		g := m.fork()
		m.read("a", x)
		g.store("b", x)
	}, "a b"},
	{"plain write atomic load", func(m gor) {
		g := m.fork()
		m.write("a", x)
		g.load("b", x)
	}, "a b"},
	{"atomic load plain write", func(m gor) {
		g := m.fork()
		m.load("a", x)
		g.write("b", x)
	}, "a b"},
	{"atomic load plain read", func(m gor) {
		g := m.fork()
		m.load("a", x)
		g.read("b", x)
	}, ""},
	{"an atomic store hides no plain read of its epoch", func(m gor) {
		g := m.fork()
		m.read("a", x)
		m.atomic("b", x, true)
		g.store("c", x)
	}, "a c"},
	{"a plain read hides no atomic store of its epoch", func(m gor) {
		g := m.fork()
		m.atomic("a", x, true)
		m.read("b", x)
		g.read("c", x)
	}, "a c"},
	{"what a store publishes is ordered, the store too", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.store("b", x)
		g.load("c", x)
		g.read("d", x)
		g.write("e", x)
	}, ""},
	{"an add is ordered after the one that it observes", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.add("b", x)
		g.add("c", x)
		g.read("d", x)
	}, ""},
	{"read read", func(m gor) {
		g := m.fork()
		m.read("a", x)
		g.read("b", x)
	}, ""},
	{"fork orders what came before", func(m gor) {
		m.write("a", x)
		g := m.fork()
		g.write("b", x)
	}, ""},
	{"end orders nothing", func(m gor) {
		g := m.fork()
		g.write("a", x)
		g.end()
		m.read("b", x)
	}, "a b"},
	{"join", func(m gor) {
		g, h := m.fork(), m.fork()
		g.write("a", x)
		g.merge(mu)
		h.write("b", x+8)
		h.merge(mu)
		m.acq(mu)
		m.write("c", x)
		m.write("d", x+8)
	}, ""},
	{"release without merge forgets the other", func(m gor) {
		g, h := m.fork(), m.fork()
		g.write("a", x)
		g.rel(mu)
		h.write("b", x+8)
		h.rel(mu)
		m.acq(mu)
		m.write("c", x)
		m.write("d", x+8)
	}, "a c"},
	{"lock", func(m gor) {
		g := m.fork()
		for i, t := range []gor{m, g, m, g} {
			t.acq(mu)
			t.read(fmt.Sprint("r", i), x)
			t.write(fmt.Sprint("w", i), x)
			t.rel(mu)
		}
	}, ""},
	{"access after the unlock", func(m gor) {
		g := m.fork()
		m.acq(mu)
		m.write("a", x)
		m.rel(mu)
		m.write("late", x)
		g.acq(mu)
		g.write("b", x)
		g.rel(mu)
	}, "late b"},
	{"two locks", func(m gor) {
		g := m.fork()
		m.acq(mu)
		m.write("a", x)
		m.rel(mu)
		g.acq(ch)
		g.write("b", x)
		g.rel(ch)
	}, "a b"},
	{"chain through a third", func(m gor) {
		g, h := m.fork(), m.fork()
		m.write("a", x)
		m.rel(mu)
		g.acq(mu)
		g.rel(ch)
		h.acq(ch)
		h.write("b", x)
	}, ""},
	{"exchange gives what was held", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.exchange(ch)
		g.exchange(ch)
		g.write("b", x)
	}, ""},
	{"exchange does not pass on what it got", func(m gor) {
		g, h := m.fork(), m.fork()
		m.write("a", x)
		m.exchange(ch)
		g.exchange(ch)
		h.acq(ch)
		h.write("b", x)
	}, "a b"},
	{"a goroutine acted for", func(m gor) {
		g := m.fork()
		g.write("a", x)
		hkrAcquireTid(m.tid, g.tid)
		m.write("b", x)
		g.write("c", x)
	}, "b c"},
	{"a finalizer", func(m gor) {
		g, h, f := m.fork(), m.fork(), m.fork()
		g.write("a", x)
		g.end()
		h.write("b", x+8)
		hkrAcquireAll(f.tid)
		f.write("c", x)
		f.write("d", x+8)
		h.write("e", x+8)
	}, "d e"},
	{"a finalizer, then news of others", func(m gor) {
		h, f := m.fork(), m.fork()
		hkrAcquireAll(f.tid)
		h.write("a", x)
		f.write("b", x)
	}, "a b"},
	{"both bytes of a granule", func(m gor) {
		g := m.fork()
		m.write("a", x)
		g.write("b", x+1)
		g.write("c", x)
	}, "a c"},
	{"range meets scalar", func(m gor) {
		g := m.fork()
		m.writes("a", x+3, x+21)
		g.read("before", x+2)
		g.read("first", x+3)
		g.read("middle", x+8)
		g.read("last", x+20)
		g.read("after", x+21)
	}, "a first, a last, a middle"},
	{"range meets range over a chunk's end", func(m gor) {
		g := m.fork()
		m.writes("a", x-100, x+100)
		g.reads("left", x-200, x-100)
		g.reads("right", x+100, x+200)
		g.reads("both", x-1, x+1)
	}, "a both"},
	{"empty range", func(m gor) {
		g := m.fork()
		m.write("a", x)
		g.writes("b", x, x)
	}, ""},
	{"a write hides no read of another", func(m gor) {
		g, h := m.fork(), m.fork()
		g.read("a", x)
		h.read("b", x)
		m.write("c", x)
	}, "a c, b c"},
	{"a stronger access of the same epoch", func(m gor) {
		g := m.fork()
		m.read("a", x)
		m.write("b", x)
		g.read("c", x)
	}, "b c"},
	{"a weaker access of the same epoch", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.read("b", x)
		g.write("c", x)
	}, "a c"},
	{"fresh memory", func(m gor) {
		g := m.fork()
		m.write("a", x)
		hkrMalloc(x, 16)
		g.write("b", x)
	}, ""},
	{"fresh memory beside", func(m gor) {
		g := m.fork()
		m.write("a", x)
		hkrMalloc(x+8, 1<<20)
		hkrMalloc(x-512, 512)
		g.write("b", x)
	}, "a b"},
	{"fresh bytes of a granule", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.write("b", x+4)
		hkrMalloc(x+4, 4)
		g.write("c", x)
		g.write("d", x+4)
	}, "a c"},
	{"fresh memory across 4 GiB", func(m gor) {
		const y = 0xc0 << 32
		g := m.fork()
		m.write("a", y)
		hkrMalloc(y-16, 32)
		g.write("b", y)
	}, ""},
	{"fresh memory has no old locks", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.rel(mu)
		hkrMalloc(mu-64, 128)
		g.acq(mu)
		g.write("b", x)
	}, "a b"},
	{"memory beside a lock", func(m gor) {
		g := m.fork()
		m.write("a", x)
		m.rel(mu)
		hkrMalloc(mu-64, 64)
		hkrMalloc(mu+1, 4096)
		g.acq(mu)
		g.write("b", x)
	}, ""},
}

func TestCases(t *testing.T) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, m := newWorld()
			c.run(m)
			if got := w.races(); got != c.want {
				t.Errorf("races %q, want %q", got, c.want)
			}
			if !hkrOn {
				t.Error("the detector went off")
			}
		})
	}
}

func TestReportContents(t *testing.T) {
	_, m := newWorld()
	g := m.fork()
	m.reads("a", x, x+24)
	g.writes("b", x+13, x+14)
	want := report{addr: x + 13, gid1: m.gid, gid2: g.gid, pc1: 1, pc2: 2, write1: false, write2: true}
	if len(reports) != 1 || reports[0] != want {
		t.Errorf("reports %+v, want %+v", reports, want)
	}
}

func TestRangeRaceToldOnce(t *testing.T) {
	_, m := newWorld()
	g := m.fork()
	m.writes("a", x, x+4096)
	g.writes("b", x, x+4096)
	if len(reports) != 1 {
		t.Errorf("%d reports, want 1", len(reports))
	}
}
