package order

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// closure is reachability by Floyd and Warshall, with the fewest labels.
func closure(n int, edges []edge) [][]int {
	const far = 1 << 20
	d := make([][]int, n)
	for i := range d {
		d[i] = slices.Repeat([]int{far}, n)
	}
	for _, e := range edges {
		cost := 1
		if e.label == Permanent {
			cost = 0
		}
		d[e.from][e.to] = min(d[e.from][e.to], cost)
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	for i := range n {
		for j := range n {
			if d[i][j] >= far {
				d[i][j] = -1
			}
		}
	}
	return d
}

func TestAgainstClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		nodes := make([]int32, n)
		for i := range nodes {
			nodes[i] = int32(i)
		}
		g := New(rapid.Permutation(nodes).Draw(t, "order"))
		var edges []edge
		node := rapid.Int32Range(0, int32(n-1))
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
				k := rapid.IntRange(0, len(edges)).Draw(t, "to")
				g.Cut(k)
				edges = edges[:k]
			}
			d := closure(n, edges)
			e := edge{from: node.Draw(t, "from"), to: node.Draw(t, "to"), label: int32(len(edges))}
			if rapid.Bool().Draw(t, "permanent") {
				e.label = Permanent
			}
			ok := g.Add(e.from, e.to, e.label)
			if want := e.from != e.to && d[e.to][e.from] < 0; ok != want {
				t.Fatalf("Add(%d, %d) = %v, want %v", e.from, e.to, ok, want)
			}
			if ok {
				edges = append(edges, e)
			} else if e.from != e.to {
				checkPath(t, g, edges, e.to, e.from, len(edges))
			}
			checkGraph(t, g, edges)
		}
		k := rapid.IntRange(0, len(edges)).Draw(t, "first edges")
		for a := range int32(n) {
			for b := range int32(n) {
				if a != b {
					checkPath(t, g, edges, a, b, k)
				}
			}
		}
	})
}

func checkGraph(t *rapid.T, g *Graph, edges []edge) {
	for i, v := range g.at {
		if g.pos[v] != int32(i) {
			t.Fatal("positions are no permutation")
		}
	}
	for _, e := range edges {
		if g.Pos(e.from) >= g.Pos(e.to) {
			t.Fatalf("edge %d→%d points back", e.from, e.to)
		}
	}
	d := closure(g.Len(), edges)
	var permanent []edge
	for _, e := range edges {
		if e.label == Permanent {
			permanent = append(permanent, e)
		}
	}
	good := closure(g.Len(), permanent)
	for a := range int32(g.Len()) {
		for b := range int32(g.Len()) {
			want := No
			if d[a][b] >= 0 {
				want = Yes
			}
			if got := g.Reaches(a, b, 1000); got != want {
				t.Fatalf("Reaches(%d, %d) = %v", a, b, got)
			}
			if got := g.ReachesForGood(a, b, 1000); (got == Yes) != (good[a][b] >= 0) {
				t.Fatalf("ReachesForGood(%d, %d) = %v", a, b, got)
			}
			if got := g.Reaches(a, b, 1); got != want && got != Unknown {
				t.Fatalf("a short search gives Reaches(%d, %d) = %v", a, b, got)
			}
			if got := slices.Contains(g.Around(a, true, 1000, nil), b); got != (a == b || want == Yes) {
				t.Fatalf("Around(%d) has %d = %v", a, b, got)
			}
			if got := slices.Contains(g.Around(b, false, 1000, nil), a); got != (a == b || want == Yes) {
				t.Fatalf("Around(%d) backwards has %d = %v", b, a, got)
			}
		}
	}
	if got := len(g.Around(0, true, 2, nil)); got > 2 {
		t.Fatalf("%d nodes around, of at most 2", got)
	}
}

// checkPath compares the labels of a path over the first k edges.
func checkPath(t *rapid.T, g *Graph, edges []edge, a, b int32, k int) {
	d := closure(g.Len(), edges[:k])
	labels, ok := g.Path(a, b, k, nil)
	if ok != (d[a][b] >= 0) {
		t.Fatalf("Path(%d, %d) = %v", a, b, ok)
	}
	if !ok {
		return
	}
	if len(labels) != d[a][b] {
		t.Fatalf("Path(%d, %d) has labels %v, fewest are %d", a, b, labels, d[a][b])
	}
	// With the permanent edges they are a path.
	var used []edge
	for i, e := range edges[:k] {
		if e.label == Permanent || slices.Contains(labels, int32(i)) {
			used = append(used, e)
		}
	}
	if closure(g.Len(), used)[a][b] < 0 {
		t.Fatalf("labels %v are no path from %d to %d", labels, a, b)
	}
}

// TestFewMovesAmongMany: nodes that are far apart are moved without a scan of
// all that is between; nobody else moves.
func TestFewMovesAmongMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := int32(rapid.IntRange(20*dense, 40*dense).Draw(t, "nodes"))
		nodes := make([]int32, n)
		for i := range nodes {
			nodes[i] = int32(i)
		}
		g := New(nodes)
		node := rapid.Int32Range(0, n-1)
		var edges []edge
		for range rapid.IntRange(1, 40).Draw(t, "edges") {
			e := edge{from: node.Draw(t, "from"), to: node.Draw(t, "to")}
			before := slices.Clone(g.at)
			if !g.Add(e.from, e.to, 1) {
				continue
			}
			edges = append(edges, e)
			seen := make([]bool, n)
			for p, v := range g.at {
				if g.pos[v] != int32(p) || seen[v] {
					t.Fatal("positions are no permutation")
				}
				seen[v] = true
				if v != before[p] && !slices.Contains(g.back, v) && !slices.Contains(g.forth, v) {
					t.Fatalf("node %d has moved", v)
				}
			}
			for _, e := range edges {
				if g.Pos(e.from) >= g.Pos(e.to) {
					t.Fatalf("edge %d→%d points back", e.from, e.to)
				}
			}
		}
	})
}
