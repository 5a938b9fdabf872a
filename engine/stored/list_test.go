package stored

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/internal/testmodule"
)

// TestListedToday: what a replay or a search said is of the texts on which it ran. When
// they change again, it says nothing any more; when the texts of the finding are back,
// it is not fixed.
func TestListedToday(t *testing.T) {
	sums := func(text string) store.Sums { return store.Sums{"a.go": store.SumText(text)} }
	found := &store.Record{Finding: &report.Finding{ID: "1"}, Sources: sums("found")}
	fixed := &store.Replay{Sources: sums("fixed"), Changed: []string{"a.go"}, Searched: true}
	fails := &store.Replay{Sources: sums("found"), Failed: 3}
	for _, c := range []struct {
		name  string
		last  *store.Replay
		today string
		want  Listed
	}{
		{"as found", nil, "found", Listed{}},
		{"edited", nil, "edited", Listed{Changed: []string{"a.go"}}},
		{"replayed", fails, "found", Listed{Outcome: Fails}},
		{"edited after a replay", fails, "edited", Listed{Changed: []string{"a.go"}}},
		{"fixed", fixed, "fixed", Listed{Outcome: Fixed}},
		{"edited after the fix", fixed, "edited", Listed{Changed: []string{"a.go"}}},
		{"the fix undone", fixed, "found", Listed{}},
	} {
		dir := t.TempDir()
		testmodule.Write(t, filepath.Join(dir, "a.go"), c.today)
		got := listed(found, c.last, site.Roots{Module: dir})
		got.Finding = nil
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
