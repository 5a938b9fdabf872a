package session

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
)

// TestBetterKnownFindingsStay: a search that was cut short takes nothing back.
func TestBetterKnownFindingsStay(t *testing.T) {
	rec := func(level report.Level, projection string, failed int) *store.Record {
		return &store.Record{Hocket: "v1", GoVersion: "go1.26.8", Sources: store.Sums{"a.go": "1"}, Projection: []byte(projection),
			Finding: &report.Finding{ID: "x", Confirmed: level, Replay: report.Count{Runs: 100, Failed: failed}}}
	}
	full := rec(report.Native, "{}", 100)
	for _, c := range []struct {
		name  string
		again *store.Record
		stays bool
	}{
		{"the same again", rec(report.Native, "{}", 100), false},
		{"a lower level", rec(report.Pinned, "{}", 100), true},
		{"only controlled", rec(report.Controlled, "{}", 100), true},
		{"not explained", rec(report.Native, "null", 100), true},
		{"fewer replays", rec(report.Native, "{}", 20), true},
	} {
		if got := outranks(full, c.again); got != c.stays {
			t.Errorf("%s: the old one stays: %v", c.name, got)
		}
		if c.stays && outranks(c.again, full) {
			t.Errorf("%s stays though more is known", c.name)
		}
	}
	for name, change := range map[string]func(*store.Record){
		"sources": func(r *store.Record) { r.Sources = store.Sums{"a.go": "2"} },
		"version": func(r *store.Record) { r.GoVersion = "go1.27.3" },
		"flags":   func(r *store.Record) { r.Flags.Tags = "x" },
		"program": func(r *store.Record) { r.Args = []string{"-x"} },
	} {
		again := rec(report.Controlled, "null", 1)
		change(again)
		if outranks(full, again) {
			t.Errorf("the old one stays though it is of other %s", name)
		}
	}
}

// A search that was cut short knows too little of the root cause to give the
// same id: the failure tells that it is the same bug.
func TestUnexplainedFindingsGetNoSecondRecord(t *testing.T) {
	stored := func(id, entry, projection string) *store.Record {
		return &store.Record{Entry: entry, Signature: "panic: x at m.f (a.go:3)", Projection: []byte(projection),
			Finding: &report.Finding{ID: id, Entry: entry, Kind: "panic"}}
	}
	for _, c := range []struct {
		name      string
		known     []*store.Record
		signature string
		explained bool
		want      string
	}{
		{"explained now", []*store.Record{stored("old", "TestX", "null")}, "panic: x at m.f (a.go:5)", true, "old"},
		{"explained before", []*store.Record{stored("old", "TestX", "{}")}, "panic: x at m.f (a.go:5)", false, "old"},
		{"both explained: two causes of one failure", []*store.Record{stored("old", "TestX", "{}")}, "panic: x at m.f (a.go:3)", true, "new"},
		{"known by its cause", []*store.Record{stored("old", "TestX", "null"), stored("new", "TestX", "{}")}, "panic: x at m.f (a.go:3)", true, "new"},
		{"another failure", []*store.Record{stored("old", "TestX", "null")}, "panic: y at m.g (a.go:3)", true, "new"},
		{"another test", []*store.Record{stored("old", "TestY", "null")}, "panic: x at m.f (a.go:3)", true, "new"},
	} {
		f := &report.Finding{ID: "new", Entry: "TestX", Kind: "panic"}
		if got := unexplainedTwin(c.known, f, c.signature, c.explained); got != c.want {
			t.Errorf("%s: id %s, want %s", c.name, got, c.want)
		}
	}
}
