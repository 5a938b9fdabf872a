package verify

import (
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/repair"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/site"
)

// TestUnseen: a line of the cause that no run comes to any more speaks against an edit. Runs
// name a select by its first line and a finding by the case, which they never came to.
func TestUnseen(t *testing.T) {
	k := edited("own")
	k.Roots, k.Code = site.Roots{Module: "/m"}, &repair.Code{}
	k.Finding = &report.Finding{RootCause: []report.Access{{File: "a.go", Line: 28, Op: "select"}}}
	at := func(lines ...int) *work {
		w := &work{lines: map[string]map[int]int{"a.go": {}}}
		for _, l := range lines {
			w.lines["a.go"][l] = 3
		}
		return w
	}
	// Line 28 is line 30 with the edit.
	for _, c := range []struct {
		name          string
		before, after *work
		want          string
	}{
		{"executed as before", at(28), at(30), ""},
		{"not any more", at(28), at(31), "line a.go:28 of the cause does nothing any more"},
		{"another line of the select", at(27), at(31), ""},
	} {
		k.worked = c.before
		if got := k.unseen(c.after); !strings.HasPrefix(got, c.want) || got != "" && c.want == "" {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
