package main

import (
	"testing"
)

// TestRows: every program is there, with the marks that its row names.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.program] = true
		src, err := unpack(r.program, t.TempDir())
		if err != nil {
			t.Error(err)
			continue
		}
		for _, mark := range r.sides {
			if _, err := marked(src, mark); err != nil {
				t.Errorf("%s %s: %v", r.program, r.bug, err)
			}
		}
	}
	dirs, err := programs.ReadDir("programs")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dirs {
		if !seen[d.Name()] {
			t.Errorf("%s has no row", d.Name())
		}
	}
}

func TestMarked(t *testing.T) {
	if n, err := marked("a\nb // l1\nc // l12\n", "l1"); err != nil || n != 2 {
		t.Errorf("line %d, %v; want 2", n, err)
	}
	for _, src := range []string{"a\n", "a // l1\nb // l1\n"} {
		if _, err := marked(src, "l1"); err == nil {
			t.Errorf("%q: no error", src)
		}
	}
}
