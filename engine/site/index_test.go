package site

import (
	"path/filepath"
	"testing"
)

// TestNothingAsked: an index opens its binary for a question only. This one
// could not be opened.
func TestNothingAsked(t *testing.T) {
	x := NewIndex(filepath.Join(t.TempDir(), "missing"))
	if _, err := x.Sites(nil); err != nil {
		t.Error(err)
	}
	if _, err := x.PCs(nil); err != nil {
		t.Error(err)
	}
	if _, err := x.Frames(nil); err != nil {
		t.Error(err)
	}
	if _, err := x.Sites([]uint64{1}); err == nil {
		t.Error("a site of no binary")
	}
}

// TestKnown: what is known is answered without the binary.
func TestKnown(t *testing.T) {
	x := NewIndex(filepath.Join(t.TempDir(), "missing"))
	want := Site{"m.f", 1, 1, 1, 1, []Line{{"m.g", 2}}}
	x.keep(7, want)
	if got, err := x.Sites([]uint64{7}); err != nil || got[0] != want.String() {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := x.PCs([]string{want.String()}); err != nil || len(got) != 1 || got[0] != 7 {
		t.Errorf("got %v, %v", got, err)
	}
}
