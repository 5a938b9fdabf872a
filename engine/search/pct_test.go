package search

import "testing"

// A depth that was asked for holds in every run but the plain first; otherwise
// depths differ.
func TestDepthOfPCT(t *testing.T) {
	for _, depth := range []int{0, 1, 3} {
		s := NewPCT(7, depth)
		points := map[int]bool{}
		for n := 1; n < 60; n++ {
			spec, _ := s.Next(t.Context(), n)
			points[spec.Depth] = true
		}
		if depth > 0 && (len(points) != 1 || !points[depth-1]) || depth == 0 && len(points) != maxDepth {
			t.Errorf("depth %d: change points %v", depth, points)
		}
	}
}
