package breakpoints

import (
	"path/filepath"
	"slices"
	"testing"
)

// A few visits are all reported, those refused are told apart, and what is a
// lower bound says so.
func TestReachedIsExactOrSaysAtLeast(t *testing.T) {
	for _, visits := range []int{1, 3, 13, reportedVisits - 1, 3000} {
		name := filepath.Join(t.TempDir(), "report")
		b := newBreakpoint(Definition{ID: 5, Name: "b", Sides: 2}, &gateRow{})
		b.journal = &journal{rep: openReport(name), key: "k"}
		defer b.journal.rep.f.Close()
		b.arm(true)
		for range visits {
			b.here(1, func() (bool, []any) { return false, nil })
		}
		rep, err := ReadReport(name)
		if err != nil {
			t.Fatal(err)
		}
		s := rep.Breaks[5]
		if s == nil || len(s.AtLeast) != 2 || s.Refused[0] != s.Reached[0] || s.Reached[1] != 0 || s.AtLeast[1] {
			t.Fatalf("%d visits: %+v", visits, s)
		}
		if !raceBuild && !s.AtLeast[0] && s.Reached[0] != visits || s.Reached[0] > visits || s.AtLeast[0] != (visits >= reportedVisits || raceBuild && visits > 1) {
			t.Errorf("%d visits: %+v", visits, s)
		}
	}
}

// Counts of processes add up, and a bound in one is a bound in the sum.
func TestSumOfBounds(t *testing.T) {
	all := readStats("stat a 1 hit 1 reached 3,4+ postponed 1,1 timedout 0,0 released 0,0 refused 2,0\n" +
		"stat b 1 hit 0 reached 1,1 postponed 0,0 timedout 0,0 released 0,0 refused 0,1\n")
	s := all[1]
	if s == nil || !slices.Equal(s.Reached, []int{4, 5}) || !slices.Equal(s.AtLeast, []bool{false, true}) || !slices.Equal(s.Refused, []int{2, 1}) {
		t.Errorf("%+v", s)
	}
}
