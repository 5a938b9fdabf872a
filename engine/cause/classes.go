package cause

import (
	"cmp"
	"slices"
)

// bits is a set of passing runs.
type bits []uint64

func (b bits) set(i int) { b[i/64] |= 1 << (i % 64) }

func (b bits) within(o bits) bool {
	for i := range b {
		if b[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

func (b bits) key() string {
	k := make([]byte, 0, 8*len(b))
	for _, w := range b {
		for ; len(k)%8 != 7; w >>= 8 {
			k = append(k, byte(w))
		}
		k = append(k, byte(w))
	}
	return string(k)
}

// class is the cheapest literal among those that the same passing runs lack.
type class struct {
	literal Literal
	cost    float64
	lacking bits
}

// gather lists the candidates that some passing run breaks, without those that another
// is as good as: which as many runs break, and which costs no more. sets are, by
// passing run, the candidates that it breaks.
func (f *finder) gather() (literals []Literal, costs []float64, sets [][]int) {
	var runs []*observed
	for _, o := range f.seen {
		if o.passed {
			runs = append(runs, o)
		}
	}
	sets = make([][]int, len(runs))
	for i, k := range f.cheapest(runs) {
		literals, costs = append(literals, k.literal), append(costs, k.cost)
		for r := range runs {
			if k.lacking[r/64]&(1<<(r%64)) != 0 {
				sets[r] = append(sets[r], i)
			}
		}
	}
	return literals, costs, sets
}

// weaker reports whether one literal holds wherever another does, since the goroutines do
// what they do one after the other: if it suffices as well, it says more exactly what
// matters.
func (f *finder) weaker(l, than Literal) bool {
	if l.Late != than.Late || l.Before == None || than.Before == None {
		return false
	}
	after := f.t
	if l.Late {
		after = f.Late
	}
	if max(l.After, than.After) >= len(after.Events) {
		return false // the failure itself
	}
	return l.Before <= than.Before && f.t.Events[l.Before].G == f.t.Events[than.Before].G &&
		than.After <= l.After && after.Events[than.After].G == after.Events[l.After].G
}

func (f *finder) cheapest(runs []*observed) []class {
	byKey := map[string]int{}
	var list []class
	lacking := make(bits, (len(runs)+63)/64)
	for i, l := range f.all {
		clear(lacking)
		k := class{literal: l, cost: f.cost[i], lacking: lacking}
		some, reversed := false, l.Before == None
		for r, o := range runs {
			if l.in(o) == broken {
				k.lacking.set(r)
				some = true
				reversed = reversed || !o.odd
			}
		}
		if !some {
			continue
		}
		if !reversed {
			k.cost += neverBroken
		}
		key := k.lacking.key()
		if n, ok := byKey[key]; !ok {
			byKey[key] = len(list)
			k.lacking = slices.Clone(lacking)
			list = append(list, k)
		} else if k.cost < list[n].cost || k.cost == list[n].cost && f.weaker(l, list[n].literal) {
			list[n].literal, list[n].cost = l, k.cost
		}
	}
	slices.SortStableFunc(list, func(x, y class) int { return cmp.Compare(x.cost, y.cost) })
	var out []class
	for _, k := range list {
		if !slices.ContainsFunc(out, func(o class) bool { return k.lacking.within(o.lacking) }) {
			out = append(out, k)
		}
	}
	return out
}
