package cause

import (
	"math/rand/v2"
	"testing"
)

// TestLCS compares with the textbook recurrence.
func TestLCS(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		a, b := word(rng), word(rng)
		pairs := lcs(a, b)
		last := [2]int{-1, -1}
		for _, p := range pairs {
			if a[p[0]] != b[p[1]] || p[0] <= last[0] || p[1] <= last[1] {
				t.Fatalf("%v %v: bad pair %v in %v", a, b, p, pairs)
			}
			last = p
		}
		if want := lcsLen(a, b); len(pairs) != want {
			t.Fatalf("%v %v: %d pairs, want %d", a, b, len(pairs), want)
		}
	}
}

func word(rng *rand.Rand) []uint64 {
	w := make([]uint64, rng.IntN(14))
	for i := range w {
		w[i] = uint64(rng.IntN(4))
	}
	return w
}

func lcsLen(a, b []uint64) int {
	l := make([][]int, len(a)+1)
	for i := range l {
		l[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if a[i] == b[j] {
				l[i+1][j+1] = l[i][j] + 1
			} else {
				l[i+1][j+1] = max(l[i][j+1], l[i+1][j])
			}
		}
	}
	return l[len(a)][len(b)]
}
