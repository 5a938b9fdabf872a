package breakfile

// Worth of a pair in an alignment.
const (
	sameText  = 1.0
	sameShape = 0.6
)

// An alignment lays what stood around a place beside the units of a function
// of today, in order, so that the worth of the pairs is greatest: a
// longest common subsequence with weights. It is kept for the starts and the
// ends of both, so that the greatest worth with a given unit in place of
// the old one is one addition.
type alignment struct {
	w     window
	units []*unit
	ahead [][]float64 // of w.units[:i] and units[:j]
	back  [][]float64 // of w.units[i:] and units[j:]
}

func align(w window, units []*unit) *alignment {
	a := &alignment{w: w, units: units}
	m, n := len(w.units), len(units)
	a.ahead, a.back = grid(m+1, n+1), grid(m+1, n+1)
	for i := 1; i <= w.at; i++ {
		for j := 1; j <= n; j++ {
			a.ahead[i][j] = max(a.ahead[i-1][j], a.ahead[i][j-1], a.ahead[i-1][j-1]+a.pair(i-1, j-1))
		}
	}
	for i := m - 1; i > w.at; i-- {
		for j := n - 1; j >= 0; j-- {
			a.back[i][j] = max(a.back[i+1][j], a.back[i][j+1], a.back[i+1][j+1]+a.pair(i, j))
		}
	}
	return a
}

func grid(m, n int) [][]float64 {
	g := make([][]float64, m)
	for i := range g {
		g[i] = make([]float64, n)
	}
	return g
}

func (a *alignment) pair(i, j int) float64 {
	switch o, u := a.w.units[i], a.units[j]; {
	case o.exact == u.exact:
		return sameText
	case o.alf == u.alf:
		return sameShape
	}
	return 0
}

// around is the worth of what stands around, if the j-th unit is the place.
func (a *alignment) around(j int) float64 {
	return a.ahead[a.w.at][j] + a.back[a.w.at+1][j+1]
}

// without is the worth if no unit is the place.
func (a *alignment) without() float64 {
	best := 0.0
	for j := range len(a.units) + 1 {
		best = max(best, a.ahead[a.w.at][j]+a.back[a.w.at+1][j])
	}
	return best
}

// near counts how many of the nearest old units, up to two on each side, are
// there if the j-th unit is the place, and how many there were.
func (a *alignment) near(j int) (there, were int) {
	for d, i := 0, a.w.at-1; d < 2 && i >= 0; d, i = d+1, i-1 {
		were++
		if a.keptAhead(i, j) {
			there++
		}
	}
	for d, i := 0, a.w.at+1; d < 2 && i < len(a.w.units); d, i = d+1, i+1 {
		were++
		if a.keptBack(i, j+1) {
			there++
		}
	}
	return there, were
}

// keptAhead reports whether the best alignment before units[j] has a partner for old unit i,
// within a few units of j.
func (a *alignment) keptAhead(i, j int) bool {
	for k := j - 1; k >= 0 && k >= j-4; k-- {
		if w := a.pair(i, k); w > 0 && a.ahead[i][k]+w >= a.ahead[i+1][j]-1e-9 {
			return true
		}
	}
	return false
}

func (a *alignment) keptBack(i, j int) bool {
	for k := j; k < len(a.units) && k < j+4; k++ {
		if w := a.pair(i, k); w > 0 && a.back[i+1][k+1]+w >= a.back[i][j]-1e-9 {
			return true
		}
	}
	return false
}
