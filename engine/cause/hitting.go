package cause

import (
	"cmp"
	"slices"
)

// choose finds a cheapest set of candidates of which each of the given sets has one:
// sets hold indexes of candidates, costs are positive. ok is false if a set is empty.
// Within maxSteps it is a cheapest one; beyond that, a cheap one.
func choose(costs []float64, sets [][]int) (best []int, ok bool) {
	for _, s := range sets {
		if len(s) == 0 {
			return nil, false
		}
	}
	h := &hitter{costs: costs, sets: sets, in: make([]bool, len(costs))}
	h.best, h.least = h.greedy()
	h.search(0)
	return h.minimal(h.best), true
}

// maxSteps bounds the candidates that are looked at.
const maxSteps = 20_000_000

type hitter struct {
	costs []float64
	sets  [][]int
	in    []bool // by candidate
	best  []int
	least float64
	steps int
}

// greedy takes the candidate with the least cost for each set that it hits.
func (h *hitter) greedy() (out []int, cost float64) {
	open := h.sets
	for len(open) > 0 {
		hits := map[int]int{}
		for _, s := range open {
			for _, c := range s {
				hits[c]++
			}
		}
		pick, value := -1, 0.0
		for c, n := range hits {
			v := h.costs[c] / float64(n)
			if pick < 0 || v < value || v == value && c < pick {
				pick, value = c, v
			}
		}
		out, cost = append(out, pick), cost+h.costs[pick]
		open = slices.DeleteFunc(slices.Clone(open), func(s []int) bool { return slices.Contains(s, pick) })
	}
	return out, cost
}

// search takes, for the smallest set that has none yet, each of its candidates.
func (h *hitter) search(cost float64) {
	if h.steps > maxSteps || cost >= h.least {
		return
	}
	var open []int
	for _, s := range h.sets {
		h.steps++
		if (open == nil || len(s) < len(open)) && !h.hits(s) {
			open = s
		}
	}
	if open == nil {
		h.best, h.least = h.chosen(), cost
		return
	}
	order := slices.Clone(open)
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(h.costs[x], h.costs[y]) })
	for _, c := range order {
		h.in[c] = true
		h.search(cost + h.costs[c])
		h.in[c] = false
	}
}

func (h *hitter) hits(set []int) bool {
	for _, c := range set {
		h.steps++
		if h.in[c] {
			return true
		}
	}
	return false
}

func (h *hitter) chosen() (out []int) {
	for c, in := range h.in {
		if in {
			out = append(out, c)
		}
	}
	return out
}

// minimal leaves out what the others make superfluous, the dearest first.
func (h *hitter) minimal(set []int) []int {
	order := slices.Clone(set)
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(h.costs[y], h.costs[x]) })
	for _, c := range order {
		rest := slices.DeleteFunc(slices.Clone(set), func(x int) bool { return x == c })
		if !slices.ContainsFunc(h.sets, func(s []int) bool {
			return !slices.ContainsFunc(s, func(x int) bool { return slices.Contains(rest, x) })
		}) {
			set = rest
		}
	}
	return set
}
