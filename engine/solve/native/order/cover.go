package order

// Cover searches backwards over permanent edges. From v it goes up to the first
// nodes that stop says, which are seen with covered false; all that leads to
// those is seen with covered true. What is seen both ways is reported as covered.
func (g *Graph) Cover(v int32, stop func(int32) bool, seen func(w int32, covered bool)) {
	g.near = g.near[:0]
	g.next = g.next[:0]
	g.search++
	g.stamp[v] = g.search
	g.permanentBefore(v)
	for i := 0; i < len(g.near); i++ {
		if w := g.near[i]; stop(w) {
			g.next = append(g.next, w)
		} else {
			g.permanentBefore(w)
		}
	}
	// The second search marks anew: what the first one passed may be covered.
	g.search++
	g.near = g.near[:0]
	for _, w := range g.next {
		g.permanentBefore(w)
	}
	for i := 0; i < len(g.near); i++ {
		seen(g.near[i], true)
		g.permanentBefore(g.near[i])
	}
	for _, w := range g.next {
		if g.stamp[w] != g.search {
			seen(w, false)
		}
	}
}

// permanentBefore adds to near what permanent edges lead from to v.
func (g *Graph) permanentBefore(v int32) {
	for e := g.in[v]; e >= 0; e = g.edges[e].nextIn {
		if u := g.edges[e].from; g.edges[e].label == Permanent && g.stamp[u] != g.search {
			g.stamp[u] = g.search
			g.near = append(g.near, u)
		}
	}
}
