package racecore

import "fmt"

// The oracle: a program is a list of events, of which each names the events that
// are directly ordered before it. It knows no clocks: order is the reachability
// of that graph, worked out event by event as sets.

type kind int

const (
	start kind = iota
	end
	access
	acquire
	release
	merge
	exchange // two events: the release, then the acquire
	acquired
	actFor   // arg joins what goroutine other did
	actedFor // the other side of it
	malloc
)

type event struct {
	kind       kind
	gid        int
	other      int     // start: the new goroutine; actFor: whom for
	addr, size uintptr // of access, object or fresh memory
	scalar     bool
	write      bool
	before     bitset // events ordered before this one
}

func (e *event) String() string {
	return fmt.Sprintf("{kind %d g%d other %d addr %#x size %d scalar %v write %v}", e.kind, e.gid, e.other, e.addr, e.size, e.scalar, e.write)
}

type bitset []uint64

func (s *bitset) add(i int) {
	for len(*s) <= i/64 {
		*s = append(*s, 0)
	}
	(*s)[i/64] |= 1 << (i % 64)
}

func (s *bitset) union(o bitset) {
	for len(*s) < len(o) {
		*s = append(*s, 0)
	}
	for i, w := range o {
		(*s)[i] |= w
	}
}

func (s bitset) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

// oracle builds the graph as events are added.
type oracle struct {
	events []event
	last   map[int]int       // goroutine → its last event
	held   map[uintptr][]int // object → releases that it holds
}

func newOracle() *oracle {
	return &oracle{last: map[int]int{}, held: map[uintptr][]int{}}
}

// add enters an event and gives its index. The events of preds are before it, and
// so is the last event of its goroutine.
func (o *oracle) add(e event, preds ...int) int {
	i := len(o.events)
	if p, ok := o.last[e.gid]; ok {
		preds = append(preds, p)
	}
	for _, p := range preds {
		e.before.add(p)
		e.before.union(o.events[p].before)
	}
	o.last[e.gid] = i
	o.events = append(o.events, e)
	return i
}

func (o *oracle) start(parent, child int) {
	i := o.add(event{kind: start, gid: parent, other: child})
	o.last[child] = i
}

func (o *oracle) sync(k kind, gid int, addr uintptr) {
	e := event{kind: k, gid: gid, addr: addr}
	switch k {
	case acquire:
		o.add(e, o.held[addr]...)
	case release:
		o.held[addr] = []int{o.add(e)}
	case merge:
		o.held[addr] = append(o.held[addr], o.add(e))
	case exchange:
		old := o.held[addr]
		o.held[addr] = []int{o.add(e)}
		o.add(event{kind: acquired, gid: gid, addr: addr}, old...)
	}
}

func (o *oracle) actFor(gid, other int) {
	o.add(event{kind: actFor, gid: gid, other: other}, o.add(event{kind: actedFor, gid: other}))
}

func (o *oracle) malloc(gid int, addr, size uintptr) {
	o.add(event{kind: malloc, gid: gid, addr: addr, size: size})
	for a := range o.held {
		if a >= addr && a < addr+size {
			delete(o.held, a)
		}
	}
}

func (e *event) bytes() (lo, hi uintptr) {
	if e.scalar {
		return e.addr, e.addr + 1
	}
	return e.addr, e.addr + e.size
}

func (e *event) touches(b uintptr) bool {
	lo, hi := e.bytes()
	return b >= lo && b < hi
}

// ticks tells whether what the goroutine does afterwards may be unknown to those
// that know this event.
func (e *event) ticks(gid int) bool {
	switch e.kind {
	case start, release, merge, exchange, actedFor:
		return e.gid == gid
	}
	return false
}

// freed tells whether byte b became fresh between events i and j.
func (o *oracle) freed(i, j int, b uintptr) bool {
	for k := i + 1; k < j; k++ {
		if e := &o.events[k]; e.kind == malloc && e.touches(b) {
			return true
		}
	}
	return false
}

// race tells whether accesses i and j, i made first, race in byte b.
func (o *oracle) race(i, j int, b uintptr) bool {
	e, f := &o.events[i], &o.events[j]
	return e.kind == access && f.kind == access && e.gid != f.gid && (e.write || f.write) &&
		e.touches(b) && f.touches(b) && !f.before.has(i) && !o.freed(i, j, b)
}

// absorbed tells whether an earlier access of the same goroutine says all that j
// says of the granule of b, so that j need not be reported.
func (o *oracle) absorbed(j int, b uintptr) bool {
	f := &o.events[j]
	for i := j - 1; i >= 0; i-- {
		e := &o.events[i]
		if e.ticks(f.gid) || e.kind == malloc && e.touches(b) {
			return false
		}
		if e.kind == access && e.gid == f.gid && (e.write || !f.write) && e.coversGranule(f, b&^7) {
			return true
		}
	}
	return false
}

func (e *event) coversGranule(f *event, granule uintptr) bool {
	for b := granule; b < granule+8; b++ {
		if f.touches(b) && !e.touches(b) {
			return false
		}
	}
	return true
}
