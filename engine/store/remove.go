package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes a finding with all that belongs to it, as far as it lies in the
// folder that findings are written to.
func (s *Store) Remove(id string) {
	remove(filepath.Join(s.dir, "findings"), id) //nolint:errcheck // a finding that stays is found in the list
}

// Forget deletes a finding with all that belongs to it, wherever it is kept. The error
// names the file that could not be deleted; the finding is still there then.
func (s *Store) Forget(id string) error {
	var first error
	for _, dir := range s.dirs() {
		first = cmpErr(first, remove(dir, id))
	}
	return first
}

func remove(dir, id string) error {
	if id == "" || filepath.Base(id) != id {
		return fmt.Errorf("forget finding %q: that is not the id of a finding", id)
	}
	// The record goes first: it names its files.
	if err := os.Remove(filepath.Join(dir, id+".json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget finding %s: %w", id, err)
	}
	os.Remove(filepath.Join(dir, id+replayExt))
	os.Remove(filepath.Join(dir, id+fixesExt))
	left, _ := filepath.Glob(filepath.Join(dir, id+"-*"))
	for _, path := range left {
		os.Remove(path)
	}
	return nil
}
