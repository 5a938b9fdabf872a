package present

import "testing"

func TestValue(t *testing.T) {
	for cell, want := range map[string]string{
		"runs": "", "runs, 3": "3", "runs (from 46)": "from 46", "runs (from 20) → false": "from 20 → false",
		"runs → true": "true", "1 (from 34) → true": "1 (from 34) → true", "after 26": "after 26", "-": "-",
	} {
		if got := value(cell); got != want {
			t.Errorf("%q is %q, want %q", cell, got, want)
		}
	}
}

// Only what markdown would take for its own is escaped: clients that show the
// text as it is show the escapes too.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"index out of range [-1]": "index out of range [-1]",
		"see [a](b)":              `see \[a](b)`,
		"a_b of _x":               `a_b of \_x`,
		"2 * 3 < 4, <-ch":         `2 \* 3 < 4, <-ch`,
		"<b>":                     `\<b>`,
		"`q`":                     "'q'",
		`C:\x`:                    `C:\\x`,
	} {
		if got := (Style{}).escape(text); got != want {
			t.Errorf("%q is escaped as %q, want %q", text, got, want)
		}
	}
}
