package main

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever the programs need, searches that use all they get never take more than
// the time given, and none gets more than its budget.
func TestClockKeepsTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		searches := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 60).Draw(t, "searches")
		o := options{
			total:  time.Duration(rapid.IntRange(1, 5000).Draw(t, "total")) * time.Second,
			budget: time.Duration(rapid.IntRange(1, 60).Draw(t, "budget")) * time.Second, strategies: []string{"s"},
		}
		c := newClock(nil, o)
		for _, n := range searches {
			c.left += n
		}
		now := c.start
		c.now = func() time.Time { return now }
		for _, n := range searches {
			b, ok := c.next(n, o.budget)
			if !ok {
				break
			}
			if b > o.budget {
				t.Fatalf("%s of %s", b, o.budget)
			}
			part := rapid.Float64Range(0, 1).Draw(t, "used")
			now = now.Add(time.Duration(part * float64(n) * float64(b)))
		}
		if took := now.Sub(c.start); took > o.total {
			t.Errorf("%s of %s", took, o.total)
		}
	})
}

// Where the time suffices for all, nobody gets less than asked for.
func TestClockGivesTheBudget(t *testing.T) {
	o := options{seeds: 2, budget: 8 * time.Second, total: 16 * time.Second * 6, strategies: []string{"a", "b", "c"}}
	c := newClock([]*group{{programs: make([]program, 2)}}, o)
	now := c.start
	c.now = func() time.Time { return now }
	for range 2 {
		b, ok := c.next(6, o.budget)
		if !ok || b != o.budget {
			t.Errorf("%s, %v", b, ok)
		}
		now = now.Add(6 * b)
	}
	if b, ok := c.next(6, o.budget); ok && b != o.budget {
		t.Errorf("%s after the end", b)
	}
}

func TestParse(t *testing.T) {
	o, err := parse(strings.Fields("-cases d -seeds 2 -only a,b -tables kernels,cases"))
	if err != nil || o.total != 50*time.Minute || len(o.only) != 2 || len(o.tables) != 2 {
		t.Errorf("%v %+v", err, o)
	}
	if _, err := parse([]string{"-tables", "nothing"}); err == nil {
		t.Error("an unknown table is taken")
	}
}

// The list names kernels of the toolchain at hand, each once.
func TestKernelsExist(t *testing.T) {
	g, err := fromKernels(t.Context(), t.TempDir(), options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.programs) != len(kernels) || len(kernels) < 30 {
		t.Errorf("%d of %d kernels", len(g.programs), len(kernels))
	}
}
