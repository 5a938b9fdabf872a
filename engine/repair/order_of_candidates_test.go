package repair

import "testing"

// What is held at fewer lines comes before what is held at these and more; others stay.
func TestSubsetsFirst(t *testing.T) {
	a, b := Region{"s.go", 20, 25, "s.mu"}, Region{"s.go", 39, 39, "s.mu"}
	other := &Repair{Title: "other", Regions: []Region{{"s.go", 20, 25, "s.idxMu"}}}
	list := subsetsFirst([]*Repair{{Title: "both", Regions: []Region{a, b}}, other, {Title: "one", Regions: []Region{a}}})
	for i, want := range []string{"one", "both", "other"} {
		if list[i].Title != want {
			t.Errorf("place %d has %q, want %q", i, list[i].Title, want)
		}
	}
}
