package main

import (
	"go/format"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// The drivers run only by hand, so here is asserted what can be without a proxy.
func TestCasesAreWhole(t *testing.T) {
	all, err := load()
	if err != nil || len(all) < 12 {
		t.Fatal(len(all), err)
	}
	for _, b := range all {
		if b.kind == "" || b.why == "" {
			t.Errorf("%s: kind %q, why %q", b.name, b.kind, b.why)
		}
		for side, p := range map[string]pkg{"buggy": b.buggy, "fixed": b.fixed} {
			if p.path == "" && side == "fixed" {
				continue
			}
			if err := module.Check(p.path, p.version); err != nil {
				t.Errorf("%s: %v", b.name, err)
			}
			files := append(b.per[side], b.shared...)
			if len(files) == 0 {
				t.Errorf("%s: no driver for the %s version", b.name, side)
			}
			for _, f := range files {
				text, err := format.Source(f.Data)
				if err != nil || string(text) != string(f.Data) {
					t.Errorf("%s: %s is not formatted (%v)", b.name, f.Name, err)
				}
				if strings.HasSuffix(f.Name, ".go") && !strings.Contains(string(f.Data), `"`+p.path) {
					t.Errorf("%s: %s does not import %s", b.name, f.Name, p.path)
				}
			}
		}
	}
}
