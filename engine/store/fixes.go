package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/internal/atomicfile"
)

const fixesExt = ".fixes"

// fixesFormat of the files with fixes. Those of others count as absent.
const fixesFormat = 1

// Fixes are the repairs of a finding that were tried last, a file of its own beside the
// record, as a Replay is.
type Fixes struct {
	Format  int       `json:"format"`
	When    time.Time `json:"when"`
	Hocket  string    `json:"hocket"`  // the build that found them, as version.Build has it
	Sources Sums      `json:"sources"` // that they were computed for
	// All: every candidate was tried, or is outdone by a fix that holds; else the time ended, or enough were verified.
	All     bool         `json:"all"`
	Fixes   []report.Fix `json:"fixes"`
	Refused []Refused    `json:"refused,omitempty"`
}

// Refused is a repair that was not tried, and why.
type Refused struct {
	Title string `json:"title"`
	Why   string `json:"why"`
}

// PutFixes replaces the fixes of a finding.
func (s *Store) PutFixes(id string, f *Fixes) error {
	f.Format = fixesFormat
	data, err := json.MarshalIndent(f, "", "\t")
	if err != nil {
		return fmt.Errorf("encode the fixes: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(s.home(id), id+fixesExt), append(data, '\n')); err != nil {
		return cause(err)
	}
	return nil
}

// Fixes returns the fixes of a record that were made since it was; nil if there are none.
func (s *Store) Fixes(r *Record) *Fixes {
	for _, dir := range s.dirs() {
		data, err := os.ReadFile(filepath.Join(dir, r.Finding.ID+fixesExt))
		if err != nil {
			continue
		}
		var f Fixes
		if json.Unmarshal(data, &f) == nil && f.Format == fixesFormat && !f.When.Before(r.Found) {
			return &f
		}
	}
	return nil
}
