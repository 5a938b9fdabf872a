package dump

import (
	"slices"
	"strings"
	"testing"
)

// Lines that a //line comment gives the name of another file are places like others.
func TestPlacesOfDirectives(t *testing.T) {
	text := `panic: lost update

goroutine 5 [running]:
example.com/goy.(*counter).check(...)
	gen.y:42
example.com/goy.run(0x1)
	/ci/goy/gen.rl:7 +0x5f
example.com/goy.TestCount(0x1)
	/ci/goy/gen_test.go:14 +0x5f
`
	states, err := Read(strings.NewReader(text), "p.txt")
	if err != nil || len(states) != 1 || len(states[0].Goroutines) != 1 {
		t.Fatalf("%v, %v", states, err)
	}
	want := []Frame{
		{"example.com/goy.(*counter).check", "gen.y", 42},
		{"example.com/goy.run", "/ci/goy/gen.rl", 7},
		{"example.com/goy.TestCount", "/ci/goy/gen_test.go", 14},
	}
	if got := states[0].Goroutines[0].Frames; !slices.Equal(got, want) {
		t.Errorf("frames %v, want %v", got, want)
	}
}
