package forest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// thing is an object under its schedule-independent name, used in one way: a
// struct and its first field have one address but are two things, and so are
// a variable and the whole that a range access covers.
type thing struct {
	kind   constraint.Kind
	name   string
	base   string // of memory: the variable or allocation that it lies in
	lo, hi uint64 // of memory: bytes in base
	whole  bool   // range accesses, not those of a scalar
	exact  bool   // its bits mean the same in every run
	width  int    // bits, of exact
	cap    int    // Channel; -1 unknown
	absent bool   // Channel: nil
	local  bool   // its name holds for one run only
	user   int32  // a thread that uses it
	many   bool   // others do
	wrote  bool
	copies bool // plain accesses read it, or write where a lock is in use
	init   value
	locs   []int32 // what it stands for in systems; empty: nobody else uses it
}

// location is what systems know: one or several things of memory, or a
// synchronisation object.
type location struct {
	thing  int32 // that names it
	opaque bool  // values are known by who wrote them
	init   value // of memory that is not opaque
}

// table holds the things of all runs.
type table struct {
	things []thing // [0] is none
	byName map[thingKey]int32
	locs   []location     // [0] is none
	coarse map[int32]bool // things whose bits were found to be useless
}

type thingKey struct {
	kind constraint.Kind
	name string
	size uint64 // of range accesses, 0 of others
}

func newTable() *table {
	return &table{things: make([]thing, 1), byName: map[thingKey]int32{}, locs: make([]location, 1), coarse: map[int32]bool{}}
}

// intern returns the thing's index, making it at first sight.
func (t *table) intern(k thingKey, size uint64) (id int32, fresh bool) {
	if id, ok := t.byName[k]; ok {
		return id, false
	}
	id = int32(len(t.things))
	th := thing{kind: k.kind, name: k.name, whole: k.size > 0, cap: -1, user: -1}
	if k.kind == constraint.Location {
		th.base, th.lo = splitOffset(k.name)
		th.hi = th.lo + max(size, k.size, 1)
	}
	t.things = append(t.things, th)
	t.byName[k] = id
	return id, true
}

// splitOffset parts "main.state+8".
func splitOffset(name string) (base string, off uint64) {
	i := strings.LastIndexByte(name, '+')
	if i < 0 {
		return name, 0
	}
	n, err := strconv.ParseUint(name[i+1:], 10, 64)
	if err != nil {
		return name, 0
	}
	return name[:i], n
}

// use notes that a thread uses a thing.
func (t *table) use(id, thread int32, writes bool) {
	th := &t.things[id]
	if th.user < 0 {
		th.user = thread
	} else if th.user != thread {
		th.many = true
	}
	th.wrote = th.wrote || writes
}

// usage sums up who uses several things.
type usage struct {
	user  int32
	many  bool
	wrote bool
}

func (u *usage) add(th *thing) {
	switch {
	case th.user < 0:
	case u.user < 0:
		u.user = th.user
	case u.user != th.user:
		u.many = true
	}
	u.many = u.many || th.many
	u.wrote = u.wrote || th.wrote
}

// arrange gives each thing its locations and says whether that changed what
// runs already merged were merged by.
func (t *table) arrange() (changed bool) {
	old := make([][]int32, len(t.things))
	oldLocs := t.locs
	for i := range t.things {
		old[i] = t.things[i].locs
		t.things[i].locs = nil
	}
	t.locs = make([]location, 1)
	bases := map[string][]int32{}
	var order []string
	for i := 1; i < len(t.things); i++ {
		th := &t.things[i]
		switch {
		case th.local:
		case th.kind != constraint.Location:
			if th.many || th.kind == constraint.Channel {
				th.locs = []int32{t.location(int32(i), false)}
			}
		default:
			if bases[th.base] == nil {
				order = append(order, th.base)
			}
			bases[th.base] = append(bases[th.base], int32(i))
		}
	}
	for _, b := range order {
		t.arrangeBase(bases[b])
	}
	for i := range old {
		if old[i] != nil || t.things[i].locs != nil {
			changed = changed || !t.sameLocs(oldLocs, old[i], t.things[i].locs)
		}
	}
	return changed
}

func (t *table) sameLocs(oldLocs []location, old, now []int32) bool {
	return slices.EqualFunc(old, now, func(a, b int32) bool {
		return oldLocs[a].thing == t.locs[b].thing && oldLocs[a].opaque == t.locs[b].opaque
	})
}

func (t *table) location(thing int32, opaque bool) int32 {
	t.locs = append(t.locs, location{thing: thing, opaque: opaque, init: t.things[thing].init})
	return int32(len(t.locs) - 1)
}

// arrangeBase splits one variable or allocation. Scalars that overlap become
// one opaque location, and so do ranges that overlap; a range stands for the
// location of the ranges and for those of all scalars that it covers.
func (t *table) arrangeBase(ids []int32) {
	var scalars, ranges []int32
	for _, id := range ids {
		if t.things[id].whole {
			ranges = append(ranges, id)
		} else {
			scalars = append(scalars, id)
		}
	}
	wholes := t.clusters(ranges)
	for _, c := range wholes {
		u := usage{user: -1}
		for _, id := range c {
			u.add(&t.things[id])
		}
		if u.many && u.wrote {
			loc := t.location(c[0], true)
			for _, id := range c {
				t.things[id].locs = append(t.things[id].locs, loc)
			}
		}
	}
	for _, c := range t.clusters(scalars) {
		lo, hi := t.things[c[0]].lo, uint64(0)
		u := usage{user: -1}
		opaque := len(c) > 1
		for _, id := range c {
			th := &t.things[id]
			lo, hi = min(lo, th.lo), max(hi, th.hi)
			opaque = opaque || !th.exact || t.coarse[id]
			u.add(th)
		}
		var covered []int32
		for _, id := range ranges {
			if th := &t.things[id]; th.lo < hi && lo < th.hi {
				covered = append(covered, id)
				u.add(th)
			}
		}
		if !u.many || !u.wrote {
			continue
		}
		loc := t.location(c[0], opaque)
		for _, id := range append(slices.Clone(c), covered...) {
			t.things[id].locs = append(t.things[id].locs, loc)
		}
	}
}

// clusters groups things that overlap, each group in order of appearance.
func (t *table) clusters(ids []int32) [][]int32 {
	sorted := slices.Clone(ids)
	slices.SortStableFunc(sorted, func(a, b int32) int {
		if x, y := t.things[a].lo, t.things[b].lo; x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return int(a - b)
	})
	var out [][]int32
	end := uint64(0)
	for _, id := range sorted {
		if th := &t.things[id]; len(out) == 0 || th.lo >= end {
			out, end = append(out, []int32{id}), th.hi
		} else {
			out[len(out)-1] = append(out[len(out)-1], id)
			end = max(end, th.hi)
		}
	}
	for _, c := range out {
		slices.Sort(c)
	}
	slices.SortFunc(out, func(a, b []int32) int { return int(a[0] - b[0]) })
	return out
}
