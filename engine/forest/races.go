package forest

import (
	"maps"
	"slices"

	"github.com/hocket-dev/hocket/engine/constraint"
)

// Race is what a goal that is a data race is about.
type Race struct {
	// Places are the two accesses' (trace.Trace.Sites), the lower one first; "" if
	// they are not known.
	Places [2]string
	// Again: another goal about these places and this location comes before.
	Again bool
}

// racing are two places and a location.
type racing struct {
	places [2]string
	loc    int32
}

// pairs bounds how many pairs of accesses are asked about.
const pairs = 4096

// access is an access to memory that might race.
type access struct {
	node   *node
	id     constraint.EventID
	loc    int32
	writes bool
	plain  bool
	held   map[int32]bool // locks held: true for writing too
}

// races asks whether two goroutines can stand before conflicting accesses. The
// detector sees a race only in runs whose synchronisation leaves it open, and a
// race that changes no value, or one of writes that nobody reads, shows nothing
// else that is new (Huang, Meredith, Rosu: Maximal Sound Predictive Race
// Detection, PLDI 2014). Pairs of which one must have happened before the other
// stands there can't. Once a race was seen the program is none to prove right,
// and the places are switch points.
func (b *builder) races(heights map[*node]int) (out []Frontier) {
	if b.f.raced {
		b.f.doubt("the program has data races")
	}
	var must *constraint.Order
	seen := map[racing]bool{}
	byLoc := map[int32][]access{}
	var order []int32
	for _, a := range b.accesses() {
		if byLoc[a.loc] == nil {
			order = append(order, a.loc)
		}
		byLoc[a.loc] = append(byLoc[a.loc], a)
	}
	for _, loc := range order {
		as := byLoc[loc]
		for i := range as {
			if b.ends() {
				return nil
			}
			for j := range i {
				if !as[i].conflicts(&as[j]) || !b.overlap(&as[i], &as[j]) {
					continue
				}
				if must == nil {
					must = b.sys.MustBefore()
				}
				if after(must, &as[i], &as[j]) || after(must, &as[j], &as[i]) {
					continue
				}
				if len(out) == pairs {
					b.f.doubt("too many accesses could race")
					return out
				}
				out = append(out, b.race(&as[j], &as[i], heights, seen))
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Frontier) int { return x.Race.rank() - y.Race.rank() })
	return out
}

func (r *Race) rank() int {
	if r.Again {
		return 1
	}
	return 0
}

// after is true if x has happened whenever y's goroutine stands before y.
func after(must *constraint.Order, x, y *access) bool {
	return y.node.parent.parent != nil && must.Before(x.id, y.node.parent.id)
}

// overlap: a location may be several things, not all of which overlap.
func (b *builder) overlap(x, y *access) bool {
	s, t := &b.f.table.things[x.node.thing], &b.f.table.things[y.node.thing]
	return s.lo < t.hi && t.lo < s.hi
}

func (b *builder) race(x, y *access, heights map[*node]int, seen map[racing]bool) Frontier {
	name := "data race on " + b.f.name(x.loc)
	p, q := x.node.place, y.node.place
	r := &Race{Places: [2]string{min(p, q), max(p, q)}}
	k := racing{r.Places, x.loc}
	r.Again = seen[k]
	seen[k] = true
	return Frontier{
		Key: hash(x.node.key, y.node.key, 0x4ace), Name: name, Failure: true, Race: r,
		Thread: b.f.threads[y.node.thread].path, Distance: heights[y.node],
		Goal: constraint.Goal{Name: name, Stop: []constraint.EventID{x.id, y.id}},
	}
}

// conflicts is true of accesses that are a race if nothing orders them. A lock
// that both hold, one of them for writing, does.
func (a *access) conflicts(o *access) bool {
	if a.node.thread == o.node.thread || !a.writes && !o.writes || !a.plain && !o.plain {
		return false
	}
	for l, writing := range a.held {
		if other, both := o.held[l]; both && (writing || other) {
			return false
		}
	}
	return true
}

// accesses lists those that can be part of a race that has no earlier one: of
// equal accesses without synchronisation between them the first, as what is
// unordered with a later one is so with it.
func (b *builder) accesses() (out []access) {
	lent := b.lent()
	held := map[*node]map[int32]bool{}
	for _, n := range b.nodes { // each before those that follow it
		if n == nil {
			continue
		}
		if b.ends() {
			return nil
		}
		before := held[n.parent]
		held[n] = n.holding(before, lent)
		if n.loc != 0 && (n.reads() || n.writes()) && !n.repeats() {
			out = append(out, access{node: n, id: n.id, loc: n.loc, writes: n.writes(), plain: n.plain, held: before})
		}
	}
	return out
}

// repeats is true if an equal access, or a write for a read, comes before it
// without synchronisation between them, or is another outcome of the same read.
func (n *node) repeats() bool {
	if n.plain {
		for p := n.parent; p != nil && p.plain; p = p.parent {
			if p.loc == n.loc && p.writes() == n.writes() {
				return true
			}
		}
	}
	kids := n.parent.next.kids
	i := slices.IndexFunc(kids, func(k *node) bool { return k.loc == n.loc && k.writes() == n.writes() })
	return kids[i] != n
}

// holding is what a goroutine holds after n.
func (n *node) holding(before map[int32]bool, lent map[int32]bool) map[int32]bool {
	var after map[int32]bool
	switch {
	case lent[n.loc]:
		return before
	case n.op == constraint.Lock, n.op == constraint.TryLock && n.out == 1:
		after = with(before, n.loc, true)
	case n.op == constraint.RLock, n.op == constraint.TryRLock && n.out == 1:
		after = with(before, n.loc, false)
	case n.op == constraint.Unlock, n.op == constraint.RUnlock:
		// Read locks taken several times count as one: fewer locks, never more.
		after = maps.Clone(before)
		delete(after, n.loc)
	default:
		return before
	}
	return after
}

func with(held map[int32]bool, loc int32, writing bool) map[int32]bool {
	out := map[int32]bool{loc: writing}
	maps.Copy(out, held)
	out[loc] = writing
	return out
}

// lent are the locks that somebody unlocks for another.
func (b *builder) lent() map[int32]bool {
	out := map[int32]bool{}
	for i := range b.sys.Events {
		switch e := &b.sys.Events[i]; e.Op {
		case constraint.Unlock, constraint.RUnlock:
			if !b.ends() && !b.holds(constraint.EventID(i)) {
				out[int32(e.Obj)] = true
			}
		}
	}
	return out
}
