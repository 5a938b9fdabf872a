package native

import "testing"

func TestLastLine(t *testing.T) {
	for out, want := range map[string]string{
		"":                                "",
		"=== RUN   TestX\n":               "",
		"=== RUN   TestX\nlost: 3\n\n":    "lost: 3",
		"a\n=== RUN   TestX\n--- PASS: Y": "a",
		"a\nb":                            "b",
		"a\n=== 3 errors ===\n":           "=== 3 errors ===",
	} {
		if got := lastLine(out); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}
