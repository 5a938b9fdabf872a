package target

import "testing"

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"sub":                "sub",
		"^sub$":              "sub",
		`^a\+b$/^c$`:         "a+b/c",
		"^a.b$":              "^a.b$",
		"^a|b$":              "^a|b$",
		"^sub":               "^sub",
		`^\d$`:               `^\d$`,
		"^$":                 "",
		`^x\.y$/.*/^z\[0\]$`: `x.y/.*/z[0]`,
	} {
		if got := plain(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
