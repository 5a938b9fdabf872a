package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// TestNoEdit: that nothing was there to try is said with -all and without it, but not when
// the time ended before it was looked for.
func TestNoEdit(t *testing.T) {
	const said = "No edit is known for this cause.\n"
	for _, test := range []struct {
		name   string
		reason string
		all    bool
		want   int
	}{
		{"short", "", false, 1},
		{"all", "", true, 1},
		{"cut", "the time ended", true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.SetOut(&out)
			if err := printFixes(cmd, &engine.FixAnswer{ID: "82359f87", Reason: test.reason}, 0, test.all, false); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), " for 82359f87.\n") { // nothing is known to say about it
				t.Errorf("empty words about the finding:\n%s", out.String())
			}
			if n := strings.Count(out.String(), said); n != test.want {
				t.Errorf("said %d times, want %d:\n%s", n, test.want, out.String())
			}
		})
	}
}
