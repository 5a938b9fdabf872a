package store

import (
	"os"
	"testing"
)

// TestDeletedWhileOpen: who deletes the folder while a search runs wants to be
// rid of what was in it, not of what comes.
func TestDeletedWhileOpen(t *testing.T) {
	root := t.TempDir()
	s := open(t, root)
	if err := os.RemoveAll(s.Dir()); err != nil {
		t.Fatal(err)
	}
	want := record(finding())
	if err := s.Put(want, map[string][]byte{"failing": []byte("events")}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := OpenRead(root).Get(want.Finding.ID)
	if err != nil {
		t.Fatal(err)
	}
	if data, err := s.Trace(got, "failing"); err != nil || string(data) != "events" {
		t.Errorf("trace %q, %v", data, err)
	}
	if _, err := os.Stat(s.Dir() + "/.gitignore"); err != nil {
		t.Error("the new folder would be committed:", err)
	}
}
