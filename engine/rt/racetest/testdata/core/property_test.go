package racecore

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// driver makes a random program and gives it to the detector and to the oracle.
type driver struct {
	rnd   *rand.Rand
	o     *oracle
	alive []int          // goroutines
	tids  map[int]uint32 // goroutine → tid
	gids  int
	limit int // accesses of a granule, 0: any number
	count map[uintptr]int
	touch map[uintptr]*touched
	told  []uintptr // granules that became shared, in order
}

// touched is what the oracle knows of a granule's sharing.
type touched struct {
	gids  map[int]bool
	write bool
}

const (
	granules = 6
	objects  = 4
)

func newDriver(seed uint64, limit int) *driver {
	restart()
	d := &driver{rnd: rand.New(rand.NewPCG(seed, 1)), o: newOracle(), tids: map[int]uint32{},
		limit: limit, count: map[uintptr]int{}, touch: map[uintptr]*touched{}}
	d.gids = 1
	d.tids[1] = hkrGoStart(hkrNoTid, 1)
	d.alive = []int{1}
	return d
}

func (d *driver) one() int { return d.alive[d.rnd.IntN(len(d.alive))] }

// location is an address near a chunk's end, so that ranges cross it.
func (d *driver) location() uintptr {
	return x - 8*granules/2 + uintptr(d.rnd.IntN(8*granules))
}

func (d *driver) object() uintptr { return mu + 13*uintptr(d.rnd.IntN(objects)) }

func (d *driver) step(maxAlive int) {
	switch p := d.rnd.IntN(100); {
	case p < 8:
		if len(d.alive) < maxAlive {
			d.fork(d.one())
		}
	case p < 13:
		if len(d.alive) > 1 {
			d.end(1 + d.rnd.IntN(len(d.alive)-1))
		}
	case p < 50:
		d.sync(d.one(), kind(int(acquire)+d.rnd.IntN(4)), d.object())
	case p < 52:
		d.actFor(d.one(), d.one())
	case p < 55:
		d.fresh(d.one())
	default:
		d.access(d.one())
	}
}

func (d *driver) fork(parent int) {
	d.gids++
	d.tids[d.gids] = hkrGoStart(d.tids[parent], uint32(d.gids))
	d.o.start(parent, d.gids)
	d.alive = append(d.alive, d.gids)
}

func (d *driver) end(i int) {
	gid := d.alive[i]
	hkrGoEnd(d.tids[gid])
	d.o.add(event{kind: end, gid: gid})
	d.alive = slices.Delete(d.alive, i, i+1)
}

func (d *driver) sync(gid int, k kind, addr uintptr) {
	call := map[kind]func(uint32, uintptr){acquire: hkrAcquire, release: hkrRelease, merge: hkrReleaseMerge, exchange: hkrReleaseAcquire}
	call[k](d.tids[gid], addr)
	d.o.sync(k, gid, addr)
}

func (d *driver) actFor(gid, other int) {
	if gid != other {
		hkrAcquireTid(d.tids[gid], d.tids[other])
		d.o.actFor(gid, other)
	}
}

// fresh allocates whole granules, or memory that holds objects.
func (d *driver) fresh(gid int) {
	addr, size := d.location()&^7, 8*uintptr(1+d.rnd.IntN(3))
	if d.rnd.IntN(3) == 0 {
		addr, size = d.object(), uintptr(1+d.rnd.IntN(20))
	}
	hkrMalloc(addr, size)
	d.o.malloc(gid, addr, size)
	for g := addr; g < addr+size; g += 8 {
		delete(d.touch, g)
		delete(d.count, g)
	}
}

func (d *driver) access(gid int) {
	e := event{kind: access, gid: gid, addr: d.location(), scalar: d.rnd.IntN(3) > 0, write: d.rnd.IntN(2) > 0}
	if !e.scalar {
		e.size = uintptr(1 + d.rnd.IntN(20))
	}
	lo, hi := e.bytes()
	for g := lo &^ 7; g < hi; g += 8 {
		if d.limit > 0 && d.count[g] >= d.limit {
			return
		}
	}
	i := d.o.add(e)
	hkrAccess(d.tids[gid], uint32(gid), e.addr, e.size, e.scalar, e.write, textStart+uintptr(i))
	for g := lo &^ 7; g < hi; g += 8 {
		d.count[g]++
		d.share(g, gid, e.write)
	}
}

func (d *driver) share(granule uintptr, gid int, write bool) {
	s := d.touch[granule]
	if s == nil {
		s = &touched{gids: map[int]bool{}}
		d.touch[granule] = s
	}
	was := len(s.gids) > 1 && s.write
	s.gids[gid] = true
	s.write = s.write || write
	if !was && len(s.gids) > 1 && s.write {
		d.told = append(d.told, granule)
	}
}

// checkReal demands that all that was reported is a race, told correctly.
func (d *driver) checkReal(t *testing.T, seed uint64) {
	for _, r := range reports {
		i, j := int(r.pc1), int(r.pc2)
		e, f := &d.o.events[i], &d.o.events[j]
		if !d.o.race(i, j, r.addr) {
			t.Fatalf("seed %d: false race in %#x of %d %v and %d %v", seed, r.addr, i, e, j, f)
		}
		if int(r.gid1) != e.gid || int(r.gid2) != f.gid || r.write1 != e.write || r.write2 != f.write {
			t.Fatalf("seed %d: report %+v of %v and %v", seed, r, e, f)
		}
	}
	if !slices.Equal(shared, d.told) {
		t.Fatalf("seed %d: shared %#x, want %#x", seed, shared, d.told)
	}
}

// checkComplete demands that each access that races with an earlier one was
// reported with some, unless an earlier access of its own stands for it. It
// returns the number of racing accesses.
func (d *driver) checkComplete(t *testing.T, seed uint64) (n int) {
	told := map[int]bool{}
	for _, r := range reports {
		told[int(r.pc2)] = true
	}
	for j := range d.o.events {
		f := &d.o.events[j]
		if f.kind != access {
			continue
		}
		for i := range j {
			if e := &d.o.events[i]; e.kind != access || e.gid == f.gid || f.before.has(i) {
				continue
			}
			lo, hi := f.bytes()
			for b := lo; b < hi; b++ {
				if !d.o.race(i, j, b) {
					continue
				}
				n++
				if !told[j] && !d.o.absorbed(j, b) {
					t.Fatalf("seed %d: missed the race in %#x of %d %v and %d %v", seed, b, i, &d.o.events[i], j, f)
				}
			}
		}
	}
	return n
}

// seeds is how many programs to try: fewer in a short test.
func seeds(n uint64) uint64 {
	if testing.Short() {
		return n / 5
	}
	return n
}

func TestNothingReportedIsFalse(t *testing.T) {
	found := 0
	for seed := range seeds(1500) {
		d := newDriver(seed, 0)
		for range 20 + seed%200 {
			d.step(2 + int(seed%7))
		}
		d.checkReal(t, seed)
		found += len(reports)
	}
	if found < 500 {
		t.Errorf("only %d races in all: the programs are too tame", found)
	}
}

func TestNothingIsMissedInFourAccesses(t *testing.T) {
	races := 0
	for seed := range seeds(3000) {
		d := newDriver(seed, hkrSlots)
		for range 20 + seed%100 {
			d.step(2 + int(seed%7))
		}
		d.checkReal(t, seed)
		races += d.checkComplete(t, seed)
		if hkrEvicted != 0 {
			t.Fatalf("seed %d: %d evicted", seed, hkrEvicted)
		}
	}
	if races < 1000 {
		t.Errorf("only %d races in all: the programs are too tame", races)
	}
}

// The same once tids are scarce: all but a few of those handed out before a tid
// may come back stay in use.
func TestNothingIsMissedOrFalseWithReusedTids(t *testing.T) {
	races, shared := 0, 0
	for seed := range seeds(300) {
		d := newDriver(seed, hkrSlots)
		for i := range hkrReuseAfter {
			if tid := hkrGoStart(d.tids[1], 0); i%64 == 0 {
				hkrGoEnd(tid)
			}
		}
		for range 600 {
			d.step(5)
		}
		d.checkReal(t, seed)
		races += d.checkComplete(t, seed)
		users := map[uint32]int{}
		for _, tid := range d.tids {
			if users[tid]++; users[tid] == 2 {
				shared++
			}
		}
		if hkrReused != 0 {
			t.Fatalf("seed %d: %d tids reused blindly", seed, hkrReused)
		}
	}
	if races < 1000 || shared < 50 {
		t.Errorf("%d races, %d tids used twice: the programs are too tame", races, shared)
	}
}

func TestSameEventsSameReports(t *testing.T) {
	for seed := range uint64(50) {
		run := func() []report {
			d := newDriver(seed, 0)
			for range 300 {
				d.step(12)
			}
			return reports
		}
		if a, b := run(), run(); !slices.Equal(a, b) {
			t.Fatalf("seed %d: reports differ:\n%+v\n%+v", seed, a, b)
		}
	}
}
