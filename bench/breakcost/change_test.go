package main

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The interval holds the median of what the numbers are drawn from, most times.
func TestMedianOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 6, 15, 40} {
		in := 0
		for range 2000 {
			var xs []float64
			for range n {
				xs = append(xs, r.NormFloat64())
			}
			c := medianOf(xs)
			if c.low > c.median || c.median > c.high {
				t.Fatalf("%+v", c)
			}
			if c.low <= 0 && 0 <= c.high {
				in++
			}
		}
		if want := 1880; n >= 6 && in < want {
			t.Errorf("n=%d: %d of 2000 intervals hold the median", n, in)
		}
	}
}

func TestMarked(t *testing.T) {
	if got := marked("a.go", "x\ny // hot\n\nz // never\n"); len(got) != 2 || got[0] != "a.go:2" || got[1] != "a.go:4" {
		t.Error(got)
	}
}

// Two runs of the same cost have no change, and one that costs 3 % more has, in
// whatever order the noise comes.
func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		more float64
		want string
	}{{0, "yes"}, {1, "yes"}, {1.9, "yes by the median, not surely"}, {2.1, "no by the median, not surely"}, {4, "NO"}} {
		var plain, set []cost
		for i := range 9 {
			base := time.Second + time.Duration(i*i)*time.Millisecond
			noise := time.Duration(i-4) * time.Millisecond
			plain = append(plain, cost{base, base})
			set = append(set, cost{base * 2, time.Duration(float64(base)*(1+tc.more/100)) + noise})
		}
		if _, cpu := changes(plain, set); cpu.verdict(2) != tc.want {
			t.Errorf("%v %%: %s, %+v", tc.more, cpu.verdict(2), cpu)
		}
	}
}
