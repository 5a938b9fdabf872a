package breaks

import (
	"reflect"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/engine/native"
)

// Marks of a goroutine's start have numbers of their own, from 1 as those of
// points: they take no side's line or count.
func TestMarksAreNoSides(t *testing.T) {
	places := []breakfile.Place{
		{Point: &breakfile.Point{ID: 1, Kind: "at"}},
		{Point: &breakfile.Point{ID: 2, Kind: "at"}},
		{Point: &breakfile.Point{ID: 1, Kind: string(points.Spawn)}},
		{Point: &breakfile.Point{ID: 2, Kind: string(points.Spawn)}},
	}
	steps, err := breakpoints.Parse("step s1 / 1 1\nstep s2 / 2 1\nstep s3 / 2 2\n")
	if err != nil {
		t.Fatal(err)
	}
	p := &scheduled{b: &breakfile.Breakpoint{Places: places}, found: []string{"a.go:12", "b.go:14", "b.go:13", "b.go:9"}}
	got := p.sides(&native.Report{Plan: &native.Plan{Steps: steps}, Arrived: map[string]int{"s1": 3, "s2": 2, "s3": 1}})
	want := []SideStat{{Place: "a.go:12", Reached: 3}, {Place: "b.go:14", Reached: 3}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
