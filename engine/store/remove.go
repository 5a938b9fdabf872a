package store

import (
	"os"
	"path/filepath"
)

// Remove deletes a finding with all that belongs to it, as far as it lies in the
// folder that findings are written to.
func (s *Store) Remove(id string) {
	dir := filepath.Join(s.dir, "findings")
	os.Remove(filepath.Join(dir, id+".json")) // first: a record names its files
	os.Remove(filepath.Join(dir, id+replayExt))
	left, _ := filepath.Glob(filepath.Join(dir, id+"-*"))
	for _, path := range left {
		os.Remove(path)
	}
}
