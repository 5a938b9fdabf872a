package inject

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/internal/words"
)

func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	for _, c := range slices.Concat(programs, surroundings) {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath("gcc"); err != nil && (strings.HasPrefix(c.name, "cgo") || len(c.flags) > 0) {
				t.Skip("no C compiler")
			}
			files := c.files
			if !strings.Contains(files, "-- go.mod --") {
				files = "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n" + strings.TrimPrefix(files, "\n")
			}
			dir := module(t, files)
			sides := sidesOf(t, dir)
			b := Breakpoint{ID: "b1", If: c.cond, Order: c.order}
			for name := range strings.FieldsSeq(c.sides) {
				if sides[name].File == "" {
					t.Fatalf("no mark %s", name)
				}
				b.Sides = append(b.Sides, sides[name])
			}
			target := instrument.Target{Dir: dir, ImportPath: "example.com/m", Test: c.test, Flags: c.flags}
			p, err := Build(t.Context(), target, []Breakpoint{b}, t.TempDir(), true)
			if err != nil {
				lost := ""
				if p != nil {
					lost = p.Breakpoints[0].Lost
				}
				t.Fatal(err, lost)
			}
			defer p.Close()
			hits, failed := 0, 0
			for i := range 10 {
				r, err := p.Run(t.Context(), nil, Limits{Hard: time.Minute, Quiet: 4 * time.Second}, false, filepath.Join(t.TempDir(), "report"))
				if err != nil {
					t.Fatal(err)
				}
				s := r.Report.Breaks[1]
				if s == nil {
					t.Fatalf("no statistics; %s", r.Output)
				}
				if len(s.Faults) > 0 && c.name != "fault" {
					t.Errorf("condition: %v", s.Faults)
				}
				if s.Hit > 0 {
					hits++
				}
				if c.failure != "" && strings.Contains(r.Failure, c.failure) || c.failure == "" && r.Failure != "" {
					failed++
				} else if c.failure != "" || i == 0 {
					t.Logf("run %d: %v, %s, %+v\n%s", i, r.Took, r.Failure, *s, words.FirstLines(r.Output, 30))
				}
				if strings.HasPrefix(c.failure, "hangs") && i == 1 {
					hits, failed = hits*5, failed*5
					break
				}
			}
			if want := map[bool]int{true: 10}[c.hits]; hits != want {
				t.Errorf("hit in %d runs, want %d", hits, want)
			}
			if want := map[bool]int{true: 10}[c.failure != ""]; failed != want {
				t.Errorf("failed in %d runs, want %d", failed, want)
			}
			if r, err := p.Run(t.Context(), nil, Limits{Hard: 10 * time.Second}, true, ""); err != nil || c.name == "race" && r.Failure != "" {
				t.Errorf("plain: %v %+v", err, r)
			}
		})
	}
}
