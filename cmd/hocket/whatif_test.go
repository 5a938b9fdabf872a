package main

import (
	"testing"

	"github.com/hocket-dev/hocket/engine"
)

// An answer without a run says nothing, and its exit code is none that says something.
func TestWhatIfCode(t *testing.T) {
	for _, c := range []struct {
		a    engine.WhatIfAnswer
		cut  bool
		want int
	}{
		{engine.WhatIfAnswer{Runs: 20, Failed: 1}, true, exitFindings},
		{engine.WhatIfAnswer{Runs: 20}, false, exitNothing},
		{engine.WhatIfAnswer{Runs: 5}, true, exitCut},
		{engine.WhatIfAnswer{}, false, exitCut},
	} {
		if got := whatIfCode(&c.a, c.cut); got != c.want {
			t.Errorf("%+v, cut %v: exit code %d, want %d", c.a, c.cut, got, c.want)
		}
	}
}
