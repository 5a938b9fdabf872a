package cause

import "slices"

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

// classes gathers the candidates that some passing run lacks, without those that
// another is as good as: which as many runs lack, and which costs no more. sets are
// the candidates that each passing run lacks.
func (f *finder) classes() (literals []Literal, costs []float64, sets [][]int) {
	return f.gather(f.all, f.cost, func(o *observed) bool { return o.passed })
}

func (c *Cause) gather(all []Literal, cost []float64, against func(*observed) bool) (literals []Literal, costs []float64, sets [][]int) {
	var runs []*observed
	for _, o := range c.seen {
		if against(o) {
			runs = append(runs, o)
		}
	}
	kept := c.cheapest(all, cost, runs)
	sets = make([][]int, len(runs))
	for i, k := range kept {
		literals, costs = append(literals, k.literal), append(costs, k.cost)
		for r := range runs {
			if k.lacking[r/64]&(1<<(r%64)) != 0 {
				sets[r] = append(sets[r], i)
			}
		}
	}
	return literals, costs, sets
}

func (c *Cause) cheapest(all []Literal, cost []float64, runs []*observed) []class {
	byKey := map[string]int{}
	var list []class
	for i, l := range all {
		k := class{literal: l, cost: cost[i], lacking: make(bits, (len(runs)+63)/64)}
		any, reversed := false, false
		for r, o := range runs {
			if !l.holds(o) {
				k.lacking.set(r)
				any = true
				reversed = reversed || l.reversed(o)
			}
		}
		if !any {
			continue
		}
		if !reversed && l.Before != None {
			k.cost += neverReversed
		}
		key := k.lacking.key()
		if n, ok := byKey[key]; !ok {
			byKey[key] = len(list)
			list = append(list, k)
		} else if k.cost < list[n].cost {
			list[n] = k
		}
	}
	slices.SortStableFunc(list, func(x, y class) int {
		switch {
		case x.cost < y.cost:
			return -1
		case x.cost > y.cost:
			return 1
		}
		return 0
	})
	var out []class
	for _, k := range list {
		if !slices.ContainsFunc(out, func(o class) bool { return k.lacking.within(o.lacking) }) {
			out = append(out, k)
		}
	}
	return out
}
