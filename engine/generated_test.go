package engine

import (
	"testing"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/breakpoints/reproduce/printed"
	"github.com/hocket-dev/hocket/engine/target"
)

// TestPrintedIsKnown: what hocket test prints is told from the user's tests.
func TestPrintedIsKnown(t *testing.T) {
	for _, standalone := range []bool{false, true} {
		f := reproduce.Finding{ID: "1a2b3c4d", Message: "x", Entry: "TestX", Judge: reproduce.Judge{Kind: "panic"}}
		text, err := printed.Test{Finding: f, Package: "m", Standalone: standalone}.File()
		if err != nil {
			t.Fatal(err)
		}
		if !target.Generated([]byte(text)) {
			t.Errorf("standalone %v: not known", standalone)
		}
	}
}
