package server

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// TestLensSignature: no two readings of a module's findings have the same, though
// the memory of earlier ones is used again, and though the module was forgotten
// and opened again in between.
func TestLensSignature(t *testing.T) {
	s := New(protocol.NewConn(nil, nil, nil, nil), Options{})
	s.ended = true // nothing watches the module: the test reads it
	root := t.TempDir()
	store := filepath.Join(root, ".hocket", "findings")
	if err := os.MkdirAll(store, 0o777); err != nil {
		t.Fatal(err)
	}
	broken := func(i int) string { return filepath.Join(store, fmt.Sprintf("%08d.json", i)) }
	if err := os.WriteFile(broken(0), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for i := range 200 {
		if i%10 == 9 {
			s.workspace.modules.keep(nil)
		}
		if err := os.Rename(broken(i), broken(i+1)); err != nil {
			t.Fatal(err)
		}
		m := s.workspace.modules.open(root)
		m.read()
		if n := len(m.known().Problems); n != 1 {
			t.Fatalf("%d findings are broken", n)
		}
		now := s.lensSignature(s.view())
		if before, ok := seen[now]; ok {
			t.Fatalf("reading %d has the signature of reading %d", i, before)
		}
		seen[now] = i
		runtime.GC()
	}
}
