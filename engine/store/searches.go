package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// searchFormat of the files of searches. Those of others count as absent.
const searchFormat = 1

const (
	searchFolder = "searches"
	// unusedSearch is how old the file of a search must be to be removed: of a test
	// that has another name now, say.
	unusedSearch = 60 * 24 * time.Hour
	// Bounds of the schedules that a file holds.
	maxCaught     = 4
	maxCaughtSize = 256 << 10
)

// SearchOf is a target and the options with which it is searched.
type SearchOf struct {
	Package  string        `json:"package"`
	Entry    string        `json:"entry"`
	Main     bool          `json:"main,omitempty"`
	TestRun  string        `json:"test_run,omitempty"`
	Args     []string      `json:"args,omitempty"`
	Flags    target.Flags  `json:"flags"`
	Strategy string        `json:"strategy"`
	Depth    int           `json:"depth,omitempty"`
	Delay    time.Duration `json:"delay,omitempty"`
	Memory   string        `json:"memory,omitempty"`
}

// Search is what the searches of a target have tried, for the next one to go on
// from there. It is a file of its own; a lost or unreadable one costs a repetition
// only.
type Search struct {
	Format int `json:"format"`
	SearchOf
	When    time.Time `json:"when"`
	Hocket  string    `json:"hocket"`
	Program string    `json:"program"`           // identifies what was searched
	Sources Sums      `json:"sources,omitempty"` // of the package's folder
	// Searches began with this program. Tried are their schedules since a plan was
	// last completed, which Spent says it ever was.
	Searches int    `json:"searches"`
	Tried    int    `json:"tried"`
	Spent    bool   `json:"spent,omitempty"`
	Status   string `json:"status"`           // of the last search
	Proved   string `json:"proved,omitempty"` // how it is known that no schedule fails
	// Environ identifies the environment of the last search, which programs may read.
	Environ string `json:"environ"`
	// Caught are schedules that failed when the time ended, and were not replayed.
	Caught []trace.Schedule `json:"caught,omitempty"`
}

func (s *Store) searchFile(of SearchOf) string {
	key, _ := json.Marshal(of) // plain data: no error
	sum := sha256.Sum256(key)
	return filepath.Join(s.dir, searchFolder, hex.EncodeToString(sum[:8])+".json")
}

// Search returns what is kept of the searches of a target, nil if nothing is.
func (s *Store) Search(of SearchOf) *Search {
	data, err := os.ReadFile(s.searchFile(of))
	if err != nil {
		return nil
	}
	var r Search
	if json.Unmarshal(data, &r) != nil || r.Format != searchFormat {
		return nil
	}
	return &r
}

// PutSearch replaces what is kept of the searches of a target.
func (s *Store) PutSearch(r *Search) error {
	r.Format, r.Caught = searchFormat, bounded(r.Caught)
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode what was searched: %w", err)
	}
	path := s.searchFile(r.SearchOf)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return atomicfile.WriteCache(path, append(data, '\n'))
}

// bounded is the first of the schedules, as many as a file may hold.
func bounded(all []trace.Schedule) []trace.Schedule {
	size := 0
	for i, c := range all {
		data, err := json.Marshal(c)
		if size += len(data); err != nil || i == maxCaught || size > maxCaughtSize {
			return all[:i]
		}
	}
	return all
}

// PruneSearches removes what is kept of searches that were not repeated for long.
func (s *Store) PruneSearches() {
	dir := filepath.Join(s.dir, searchFolder)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is nothing yet
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unusedSearch {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
