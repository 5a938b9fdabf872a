package verify

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/textedit"
)

// TestEditsMakeTheNewText: applied to the old text, edits give the new one; lines that no
// hunk touches are carried over to equal lines.
func TestEditsMakeTheNewText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "}", ""}), 0, 12)
		text := func(l []string, end bool) []byte {
			s := strings.Join(l, "\n")
			if end && len(l) > 0 {
				s += "\n"
			}
			return []byte(s)
		}
		before, after := text(lines.Draw(t, "before"), rapid.Bool().Draw(t, "end")), text(lines.Draw(t, "after"), rapid.Bool().Draw(t, "newEnd"))
		var edits []textedit.Edit
		for _, e := range Edits("f", before, after) {
			edits = append(edits, textedit.Edit{From: offsetOf(before, e.Start), To: offsetOf(before, e.End), Text: e.Text})
		}
		got, err := textedit.Apply(before, edits)
		if err != nil || string(got) != string(after) {
			t.Fatalf("%q to %q: got %q, %v", before, after, got, err)
		}
		hs := hunks(before, after)
		old, new := strings.Split(string(before), "\n"), strings.Split(string(after), "\n")
		for i := range old {
			if touched(hs, i+1, i+1) {
				continue
			}
			if to := carried(hs, i+1); len(to) == 1 && to[0] <= len(new) && old[i] != new[to[0]-1] {
				t.Fatalf("%q to %q: line %d went to %d", before, after, i+1, to[0])
			}
		}
	})
}

func offsetOf(text []byte, p report.Pos) int {
	at := 0
	for range p.Line - 1 {
		at += slices.Index(text[at:], '\n') + 1
	}
	return at + p.Column - 1
}
