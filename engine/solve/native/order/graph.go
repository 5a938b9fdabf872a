// Package order keeps a directed acyclic graph in topological order while
// edges come, and go in the reverse order (Pearce and Kelly, A dynamic
// topological sort algorithm for directed acyclic graphs, 2006).
//
// Invariants: positions are a permutation of the nodes, and of every edge the
// source stands before the target. Taking an edge away keeps that, so going
// back costs nothing. An edge that already points forward costs nothing either:
// a recorded order to start from makes most edges free.
package order

import "slices"

// Permanent is the label of an edge that needs no reason.
const Permanent int32 = -1

type edge struct {
	from, to        int32
	nextOut, nextIn int32 // older edges of the same node
	label           int32
}

// Graph over nodes 0 to n-1.
type Graph struct {
	edges  []edge
	out    []int32 // newest edge of each node; -1: none
	in     []int32
	pos    []int32
	at     []int32 // node by position
	stamp  []int32 // scratch: nodes seen by the search of that number
	search int32
	via    []int32 // scratch of Path: edge over which a node was reached

	forth, back, slots, near, next []int32 // scratch
}

// New makes a graph without edges whose nodes stand in the given order.
func New(nodes []int32) *Graph {
	n := len(nodes)
	g := &Graph{
		out: make([]int32, n), in: make([]int32, n), pos: make([]int32, n),
		at: slices.Clone(nodes), stamp: make([]int32, n), via: make([]int32, n),
	}
	for i, v := range nodes {
		g.out[i], g.in[i] = -1, -1
		g.pos[v] = int32(i)
	}
	return g
}

// Len is the number of nodes.
func (g *Graph) Len() int { return len(g.pos) }

// Edges is the number of edges: what Cut can go back to.
func (g *Graph) Edges() int { return len(g.edges) }

// Pos is where a node stands now.
func (g *Graph) Pos(v int32) int32 { return g.pos[v] }

// Add adds an edge. It fails and changes nothing if that makes a cycle.
func (g *Graph) Add(from, to, label int32) bool {
	if from == to {
		return false
	}
	if g.pos[from] > g.pos[to] && !g.reorder(from, to) {
		return false
	}
	e := int32(len(g.edges))
	g.edges = append(g.edges, edge{from, to, g.out[from], g.in[to], label})
	g.out[from], g.in[to] = e, e
	return true
}

// Cut takes away all but the first n edges.
func (g *Graph) Cut(n int) {
	for i := len(g.edges) - 1; i >= n; i-- {
		e := &g.edges[i]
		g.out[e.from], g.in[e.to] = e.nextOut, e.nextIn
	}
	g.edges = g.edges[:n]
}

// reorder brings from before to: what to leads to, up to from, goes behind
// what leads to from.
func (g *Graph) reorder(from, to int32) bool {
	low, high := g.pos[to], g.pos[from]
	g.search++
	g.forth = append(g.forth[:0], to)
	g.stamp[to] = g.search
	for i := 0; i < len(g.forth); i++ {
		for e := g.out[g.forth[i]]; e >= 0; e = g.edges[e].nextOut {
			v := g.edges[e].to
			if v == from {
				return false
			}
			if g.pos[v] < high && g.stamp[v] != g.search {
				g.stamp[v] = g.search
				g.forth = append(g.forth, v)
			}
		}
	}
	g.search++
	g.back = append(g.back[:0], from)
	g.stamp[from] = g.search
	for i := 0; i < len(g.back); i++ {
		for e := g.in[g.back[i]]; e >= 0; e = g.edges[e].nextIn {
			v := g.edges[e].from
			if g.pos[v] > low && g.stamp[v] != g.search {
				g.stamp[v] = g.search
				g.back = append(g.back, v)
			}
		}
	}
	g.refill(low, high)
	return true
}

// refill gives the positions of back and forth to back first, then to forth. The
// searches before it have stamped forth, then back.
func (g *Graph) refill(low, high int32) {
	g.slots = g.slots[:0]
	if few := len(g.back) + len(g.forth); few > int(high-low)/dense {
		g.scan(low, high)
	} else {
		g.sort(g.back)
		g.sort(g.forth)
		slices.Sort(g.slots)
	}
	for i, v := range g.back {
		g.place(v, g.slots[i])
	}
	for i, v := range g.forth {
		g.place(v, g.slots[len(g.back)+i])
	}
}

// dense is how many positions are scanned at most for one node to be moved;
// fewer nodes are sorted.
const dense = 16

// scan puts back and forth, which are among the nodes from low to high, in their
// order, and their positions into slots.
func (g *Graph) scan(low, high int32) {
	g.back, g.forth = g.back[:0], g.forth[:0]
	for p := low; p <= high; p++ {
		switch v := g.at[p]; g.stamp[v] {
		case g.search:
			g.back = append(g.back, v)
			g.slots = append(g.slots, p)
		case g.search - 1:
			g.forth = append(g.forth, v)
			g.slots = append(g.slots, p)
		}
	}
}

// sort sorts nodes by position and adds their positions to slots.
func (g *Graph) sort(nodes []int32) {
	start := len(g.slots)
	for _, v := range nodes {
		g.slots = append(g.slots, g.pos[v])
	}
	slices.Sort(g.slots[start:])
	for i, p := range g.slots[start:] {
		nodes[i] = g.at[p]
	}
}

func (g *Graph) place(v, p int32) {
	g.pos[v] = p
	g.at[p] = v
}

// Before calls f with the sources of the edges into v, newest first.
func (g *Graph) Before(v int32, f func(u int32)) {
	for e := g.in[v]; e >= 0; e = g.edges[e].nextIn {
		f(g.edges[e].from)
	}
}

// After calls f with the targets of the edges out of v, newest first.
func (g *Graph) After(v int32, f func(w int32)) {
	for e := g.out[v]; e >= 0; e = g.edges[e].nextOut {
		f(g.edges[e].to)
	}
}

// Node is what stands at a position.
func (g *Graph) Node(pos int) int32 { return g.at[pos] }
