package store

import (
	"slices"
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

// TestNewReplay: a replay on the same sources, by the same versions of Go and of
// Hocket, has no reason to lead elsewhere; any other one names what differs.
func TestNewReplay(t *testing.T) {
	found := Sums{"a.go": "1", "go.mod": "2"}
	for _, c := range []struct {
		name              string
		now               Sums
		goVersion, hocket string
		build, why        string
	}{
		{name: "the same", now: Sums{"a.go": "1", "go.mod": "2", "dep.go": "3"}, goVersion: "go1.26.8", hocket: "v1"},
		{name: "an unknown Go", now: Sums{"a.go": "1", "go.mod": "2", "dep.go": "3"}, hocket: "v1"},
		{name: "another patch release of Go", now: Sums{"a.go": "1", "go.mod": "2", "dep.go": "3"}, goVersion: "go1.26.9", hocket: "v1",
			build: "found with go1.26.8, this is go1.26.9", why: "found with go1.26.8, this is go1.26.9"},
		{name: "another hocket", now: Sums{"a.go": "1", "go.mod": "2", "dep.go": "3"}, goVersion: "go1.26.8", hocket: "v2",
			build: "found by hocket v1, this is v2", why: "found by hocket v1, this is v2"},
		{name: "both", now: Sums{"a.go": "1", "go.mod": "2", "dep.go": "3"}, goVersion: "go1.27.0", hocket: "v2",
			build: "found with go1.26.8, this is go1.27.0; found by hocket v1, this is v2",
			why:   "found with go1.26.8, this is go1.27.0; found by hocket v1, this is v2"},
		{name: "other sources", now: Sums{"a.go": "9", "go.mod": "2", "dep.go": "4"}, goVersion: "go1.26.9", hocket: "v1",
			build: "found with go1.26.8, this is go1.26.9", why: "a.go, dep.go changed; found with go1.26.8, this is go1.26.9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := record(finding())
			r.Hocket, r.Sources, r.Path, r.Schedule = "v1", found, Sums{"dep.go": "3"}, trace.Schedule{}
			l := r.NewReplay(c.now, c.goVersion, c.hocket)
			if l.Build != c.build || l.Why() != c.why {
				t.Errorf("build %q, why %q; want %q, %q", l.Build, l.Why(), c.build, c.why)
			}
			if !l.Sources.SameAs(Sums{"a.go": c.now["a.go"], "go.mod": "2"}) || l.Path["dep.go"] != c.now["dep.go"] || len(l.Path) != 1 {
				t.Errorf("sources %v, path %v", l.Sources, l.Path)
			}
			if !slices.IsSorted(l.Changed) {
				t.Errorf("changed %v", l.Changed)
			}
		})
	}
}
