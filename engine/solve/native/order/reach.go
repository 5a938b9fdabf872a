package order

// Answer of a search that may give up.
type Answer int

const (
	Unknown Answer = iota
	No
	Yes
)

// Reaches says whether a path leads from one node to another. It gives up after
// a number of nodes.
func (g *Graph) Reaches(from, to int32, limit int) Answer { return g.reaches(from, to, limit, false) }

// ReachesForGood is Reaches over permanent edges.
func (g *Graph) ReachesForGood(from, to int32, limit int) Answer {
	return g.reaches(from, to, limit, true)
}

func (g *Graph) reaches(from, to int32, limit int, permanent bool) Answer {
	high := g.pos[to]
	if g.pos[from] >= high {
		return No
	}
	g.search++
	g.near = append(g.near[:0], from)
	g.stamp[from] = g.search
	for i := 0; i < len(g.near); i++ {
		if i == limit {
			return Unknown
		}
		for e := g.out[g.near[i]]; e >= 0; e = g.edges[e].nextOut {
			v := g.edges[e].to
			if permanent && g.edges[e].label != Permanent {
				continue
			}
			if v == to {
				return Yes
			}
			if g.pos[v] < high && g.stamp[v] != g.search {
				g.stamp[v] = g.search
				g.near = append(g.near, v)
			}
		}
	}
	return No
}

// Around appends to buf the nodes that v leads to, or that lead to v, itself
// among them: the nearest ones, up to a limit.
func (g *Graph) Around(v int32, forward bool, limit int, buf []int32) []int32 {
	g.search++
	g.stamp[v] = g.search
	start := len(buf)
	buf = append(buf, v)
	see := func(w int32) {
		if g.stamp[w] != g.search && len(buf)-start < limit {
			g.stamp[w] = g.search
			buf = append(buf, w)
		}
	}
	for i := start; i < len(buf) && len(buf)-start < limit; i++ {
		if forward {
			g.After(buf[i], see)
		} else {
			g.Before(buf[i], see)
		}
	}
	return buf
}

// Path appends to buf the labels of a path over the first n edges, the
// permanent left out: one with fewest labels. It says whether there is one.
func (g *Graph) Path(from, to int32, n int, buf []int32) ([]int32, bool) {
	high := g.pos[to]
	g.search++
	g.near = append(g.near[:0], from)
	g.stamp[from] = g.search
	g.via[from] = -1
	for len(g.near) > 0 {
		// near holds the nodes of one cost: first all that permanent edges add.
		for i := 0; i < len(g.near); i++ {
			if g.near[i] == to {
				return g.labels(from, to, buf), true
			}
			g.spread(g.near[i], high, n, true)
		}
		g.next = append(g.next[:0], g.near...)
		g.near = g.near[:0]
		for _, v := range g.next {
			g.spread(v, high, n, false)
		}
	}
	return buf, false
}

// spread reaches new nodes over the permanent edges, or the others, of v.
func (g *Graph) spread(v, high int32, n int, permanent bool) {
	for e := g.out[v]; e >= 0; e = g.edges[e].nextOut {
		w := g.edges[e].to
		if int(e) < n && (g.edges[e].label == Permanent) == permanent && g.pos[w] <= high && g.stamp[w] != g.search {
			g.stamp[w] = g.search
			g.via[w] = e
			g.near = append(g.near, w)
		}
	}
}

func (g *Graph) labels(from, to int32, buf []int32) []int32 {
	for v := to; v != from; v = g.edges[g.via[v]].from {
		if l := g.edges[g.via[v]].label; l != Permanent {
			buf = append(buf, l)
		}
	}
	return buf
}
