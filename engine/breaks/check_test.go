package breaks

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/breakpoints/breakfile"
	"github.com/hocket-dev/hocket/engine/instrument/points"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestBreakKindsInDocs: docs/breakpoints.md has the kinds that help and checks
// have.
func TestBreakKindsInDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/breakpoints.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Kinds\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, rows, _ := strings.Cut(section, "|---|---|\n")
	want := ""
	for _, k := range KindDocs() {
		want += fmt.Sprintf("| `%s` | %s |\n", k.Kind, k.Places)
	}
	if rows != want {
		t.Errorf("the Kinds of docs/breakpoints.md are\n%s\nwant\n%s", rows, want)
	}
}

// TestMostPlaces: the file allows as many sides as a run can have.
func TestMostPlaces(t *testing.T) {
	if breakfile.MaxPlaces != breakpoints.MaxSides {
		t.Errorf("%d places, %d sides", breakfile.MaxPlaces, breakpoints.MaxSides)
	}
}

// TestWrongCostsNoOthers: an editor gets all breakpoints, whatever is wrong with
// one of them.
func TestWrongCostsNoOthers(t *testing.T) {
	const places = `"places": [{"file": "m.go", "line": 4, "func": "F", "text": "n++"}, {"file": "m.go", "line": 4, "func": "F", "text": "n++"}]`
	for _, bad := range []string{
		`"id": "b2", "timeout": "abc", ` + places,
		`"id": "b1", ` + places,
		`"id": "b2", "kind": "zzz"`,
		`"id": "", ` + places,
		`"id": "b2", "places": [{"line": -1}, {}]`,
		`"id": "b2", "order": [7, 7, -1], ` + places,
		`"id": "b2", "kind": "schedule", ` + places,
		`"id": "b2", "kind": "schedule", "schedule": {"plan": "?"}, ` + places,
		`"id": "b2", "if": "t1.x ==", ` + places,
	} {
		dir := t.TempDir()
		extract(t, dir, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- m.go --\npackage m\n\nfunc F(n int) {\n\tn++\n}\n")
		testmodule.Write(t, filepath.Join(dir, ".hocket", "breakpoints.json"), `{"version": 1, "breakpoints": [{"id": "b1", `+places+`}, {`+bad+`}, {"id": "b3", `+places+`}]}`)
		list, err := List(t.Context(), dir, nil)
		if err != nil || len(list.Breaks) != 3 {
			t.Errorf("%s: %v, %v", bad, list, err)
			continue
		}
		for i, b := range list.Breaks {
			wrong := i == 1 || i == 0 && strings.HasPrefix(bad, `"id": "b1"`)
			if (b.Wrong != "") != wrong || strings.Contains(b.Wrong, "\n") {
				t.Errorf("%s: breakpoint %d is wrong: %q", bad, i, b.Wrong)
			}
			if i == 2 && (len(b.Sides) != 2 || b.Sides[0].Lost != "" || b.Sides[0].Location.Line != 4) {
				t.Errorf("%s: b3 is at %+v", bad, b.Sides)
			}
		}
		data, err := json.Marshal(list)
		var back Breaks
		if err != nil || json.Unmarshal(data, &back) != nil || back.Breaks[1].Wrong != list.Breaks[1].Wrong {
			t.Errorf("%s: %s, %v", bad, data, err)
		}
	}
}

// TestMarks: sides of a schedule that mark a goroutine's start say so.
func TestMarks(t *testing.T) {
	b := &Break{Breakpoint: &breakfile.Breakpoint{ID: "b1", Kind: breakfile.Scheduled}, Sides: []Side{
		{Place: breakfile.Place{File: "m.go", Line: 1, Point: &breakfile.Point{Kind: "lock"}}},
		{Place: breakfile.Place{File: "m.go", Line: 2, Point: &breakfile.Point{Kind: string(points.Spawn)}}, Lost: "gone"},
	}}
	data, err := json.Marshal(b)
	var back Break
	if err != nil || json.Unmarshal(data, &back) != nil || back.Sides[0].MarksStart() || !back.Sides[1].MarksStart() {
		t.Errorf("%s, %v", data, err)
	}
}
