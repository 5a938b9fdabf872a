package draw

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/projection"
)

func anyWalk(r *rand.Rand) *projection.WalkView {
	v := &projection.WalkView{}
	for range 1 + r.IntN(5) {
		v.Lanes = append(v.Lanes, anyText(r))
	}
	steps := func(n int) (out []projection.WalkStep) {
		number := 1
		for range n {
			s := projection.WalkStep{Number: number, Lane: r.IntN(len(v.Lanes)), Goroutine: anyText(r), File: anyText(r), Line: r.IntN(2000), Code: anyText(r), Happens: anyText(r),
				Differs: r.IntN(3) == 0, From: r.IntN(number + 2), Role: []projection.Role{"", "", projection.Fails, projection.Waits}[r.IntN(4)]}
			switch r.IntN(4) {
			case 0:
				s.Row = 1 + r.IntN(9)
			case 1:
				s.Until = number + 1 + r.IntN(500)
			}
			if len(out) > 0 && r.IntN(2) == 0 {
				s.Switch = len(v.Switches) + 1
				v.Switches = append(v.Switches, projection.Switch{Number: s.Switch, From: anyText(r), To: anyText(r), Preempt: r.IntN(2) == 0, Runs: r.IntN(2) * 20, Words: anyText(r)})
			}
			number = max(s.Number, s.Until) + 1
			out = append(out, s)
		}
		return out
	}
	v.Failing, v.Passing = steps(r.IntN(12)), steps(r.IntN(12))
	v.Steps.Failing, v.Steps.Passing = len(v.Failing), len(v.Passing)
	v.Orders = []projection.WalkOrder{{Number: 1, Before: 1, After: 3}, {Number: 2, Before: 999, After: 1}}
	return v
}

// TestWalkIsWellFormed: whatever the user's names and texts are, a walk is XML without
// scripts and styles, each step is in it once, and no two labels overlap.
func TestWalkIsWellFormed(t *testing.T) {
	for seed := range uint64(300) {
		v := anyWalk(rand.New(rand.NewPCG(seed, 1)))
		text := Walk(v)
		dec, depth := xml.NewDecoder(strings.NewReader(text)), 0
		for {
			tok, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if e, ok := tok.(xml.StartElement); ok {
				depth++
				if e.Name.Local == "script" || e.Name.Local == "style" {
					t.Errorf("seed %d: <%s>", seed, e.Name.Local)
				}
				for _, a := range e.Attr {
					if a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on") {
						t.Errorf("seed %d: attribute %s", seed, a.Name.Local)
					}
				}
			}
		}
		for run, steps := range map[string][]projection.WalkStep{"failing": v.Failing, "passing": v.Passing} {
			for _, s := range steps {
				if n := strings.Count(text, fmt.Sprintf(`id="%s-%d"`, run, s.Number)); n != 1 {
					t.Errorf("seed %d: step %d of the %s run is there %d times", seed, s.Number, run, n)
				}
			}
		}
		overlap(t, seed, walkLayout(v))
	}
}

// TestWalkNamesOtherFiles: a bare line is one of the file that most steps are in.
func TestWalkNamesOtherFiles(t *testing.T) {
	v := &projection.WalkView{Lanes: []string{"a"}}
	for i, file := range []string{"m/pool.go", "m/pool.go", "m/pool_test.go"} {
		v.Failing = append(v.Failing, projection.WalkStep{Number: i + 1, Goroutine: "a", File: file, Line: 10 + i, Code: "f()"})
	}
	text := Walk(v)
	for _, want := range []string{">10</text>", ">11</text>", "pool_test.go:12, f()"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// overlap fails if two labels of a picture meet.
func overlap(t *testing.T, seed uint64, pic *picture) {
	t.Helper()
	var all []label
	for _, pn := range pic.panels {
		all = append(all, pn.heads...)
		for _, n := range pn.nodes {
			all = append(all, n.notes...)
		}
	}
	for i, a := range all {
		for _, b := range all[:i] {
			al, bl := a.x, b.x
			if a.centred {
				al -= a.w / 2
			}
			if b.centred {
				bl -= b.w / 2
			}
			if al < bl+b.w && bl < al+a.w && a.y-12 < b.y && b.y-12 < a.y {
				t.Errorf("seed %d: %q at %.0f,%.0f meets %q at %.0f,%.0f", seed, a.text, a.x, a.y, b.text, b.x, b.y)
			}
		}
	}
}
