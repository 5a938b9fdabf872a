package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// change is by how many percent something grew: the median of the rounds, and
// an interval that holds the true median with 95 %.
type change struct{ low, median, high float64 }

func (c change) interval() string { return fmt.Sprintf("%+.1f to %+.1f", c.low, c.high) }

// verdict says whether the change is at most so many percent: surely if the whole
// interval is.
func (c change) verdict(most float64) string {
	switch {
	case c.high <= most:
		return "yes"
	case c.low > most:
		return "NO"
	case c.median <= most:
		return "yes by the median, not surely"
	}
	return "no by the median, not surely"
}

func changes(base, other []cost) (wall, cpu change) {
	var walls, cpus []float64
	for i := range base {
		walls = append(walls, percent(base[i].wall, other[i].wall))
		cpus = append(cpus, percent(base[i].cpu, other[i].cpu))
	}
	return medianOf(walls), medianOf(cpus)
}

func percent(from, to time.Duration) float64 {
	return 100 * (float64(to)/float64(from) - 1)
}

// medianOf takes as the interval those order statistics between which the
// median lies with at least 95 %, by the binomial distribution.
func medianOf(xs []float64) change {
	xs = slices.Sorted(slices.Values(xs))
	n := len(xs)
	skip, below := 0, math.Pow(0.5, float64(n)) // chance that k or fewer are below the median
	for p := below; skip < (n-1)/2; skip++ {
		p *= float64(n-skip) / float64(skip+1)
		if below+p > 0.025 {
			break
		}
		below += p
	}
	return change{xs[skip], middle(xs), xs[n-1-skip]}
}

func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}

func medianWall(cs []cost) float64 {
	var ms []float64
	for _, c := range cs {
		ms = append(ms, float64(c.wall)/float64(time.Millisecond))
	}
	return middle(slices.Sorted(slices.Values(ms)))
}
