package order

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCover: covered is what leads to a stop that leads to v, open are the stops
// from which a path without another one leads to v.
func TestCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "nodes")
		nodes := make([]int32, n)
		for i := range nodes {
			nodes[i] = int32(i)
		}
		g := New(nodes)
		var edges []edge
		for range rapid.IntRange(0, 25).Draw(t, "edges") {
			e := edge{from: rapid.Int32Range(0, int32(n-1)).Draw(t, "from"), to: rapid.Int32Range(0, int32(n-1)).Draw(t, "to"), label: Permanent}
			label := e.label
			if rapid.IntRange(0, 3).Draw(t, "passing") == 0 {
				label = 1
			}
			if g.Add(e.from, e.to, label) && label == Permanent {
				edges = append(edges, e)
			}
		}
		d := closure(n, edges)
		stops := make([]bool, n)
		for i := range stops {
			stops[i] = rapid.Bool().Draw(t, "stop")
		}
		v := int32(rapid.IntRange(0, n-1).Draw(t, "v"))
		got := map[int32]bool{}
		g.Cover(v, func(w int32) bool { return stops[w] }, func(w int32, covered bool) {
			if _, twice := got[w]; twice {
				t.Fatalf("node %d is seen twice", w)
			}
			got[w] = covered
		})
		for w := range n {
			covered := false
			for s := range n {
				covered = covered || stops[s] && d[s][v] >= 0 && d[w][s] >= 0
			}
			open := !covered && stops[w] && d[w][v] >= 0
			if c, seen := got[int32(w)]; seen != (covered || open) || seen && c != covered {
				t.Fatalf("node %d: seen %v covered %v, want covered %v, open %v", w, seen, c, covered, open)
			}
		}
	})
}
