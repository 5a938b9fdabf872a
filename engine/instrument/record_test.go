package instrument

import (
	"path/filepath"
	"strings"
	"testing"
)

// Every Go distribution at hand takes the edits of a recording build.
func TestRecordOverlayFitsDistributions(t *testing.T) {
	for _, root := range distributions(t) {
		t.Run(filepath.Base(root), func(t *testing.T) {
			files, err := recordOverlay(root)
			if err != nil {
				t.Fatal(err)
			}
			if len(files) < 25 {
				t.Fatalf("only %d files", len(files))
			}
		})
	}
}

func TestRedirectAtomics(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"call", `import "sync/atomic"; func f() { atomic.AddInt64(&x, 1) }`, `import "sync/atomic"; func f() { atomic.HkAddInt64(&x, 1) }`},
		{"value", `import "sync/atomic"; var f = atomic.LoadPointer`, `import "sync/atomic"; var f = atomic.HkLoadPointer`},
		{"renamed", `import a "sync/atomic"; var f = a.OrUint32`, `import a "sync/atomic"; var f = a.HkOrUint32`},
		{"dot", `import . "sync/atomic"; func f() { StoreUintptr(&x, 1) }`, `import . "sync/atomic"; func f() { HkStoreUintptr(&x, 1) }`},
		{"types", `import "sync/atomic"; var x atomic.Int64; func f() { x.Add(1) }`, ""},
		{"shadowed", `import "sync/atomic"; var x atomic.Int64; type s struct{ AddInt64 int }; func f(atomic s) int { return atomic.AddInt64 }`, ""},
		{"another", `import "other/atomic"; func f() { atomic.AddInt64(&x, 1) }`, ""},
		{"broken", `import "sync/atomic"; func f( { atomic.AddInt64(&x, 1) }`, ""},
	} {
		got, changed := redirectAtomics("x.go", []byte("package p; "+c.src))
		if changed != (c.want != "") || changed && strings.TrimPrefix(string(got), "package p; ") != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}
