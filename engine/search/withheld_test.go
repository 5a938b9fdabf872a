package search

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/trace"
)

// TestWordsOfRace: what is not known of a race's places is said.
func TestWordsOfRace(t *testing.T) {
	known := trace.Frame{Func: "p.f", File: "/m/a.go", Line: 3}
	for _, test := range []struct {
		name string
		pair run.RacePair
		want string
	}{
		{"both", run.RacePair{First: known, Second: trace.Frame{Func: "p.g", File: "/m/b.go", Line: 4}}, "p.f (a.go:3); p.g (b.go:4)"},
		{"one", run.RacePair{First: known}, "p.f (a.go:3); a place that is not known"},
		{"none", run.RacePair{}, "two places that are not known"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := Finding{Signature: run.RaceSignature(test.pair)}
			if got := f.Words(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
