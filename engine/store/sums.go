package store

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/hocket-dev/hocket/engine/place"
)

// Sums are the sources that a finding belongs to: machine-independent file
// names and a hash of each file's content.
type Sums map[string]string

// Sum hashes go.mod, go.sum, the Go files of the package's folder and the
// named files.
func Sum(roots place.Roots, dir string, files []string) Sums {
	sums := Sums{}
	add := func(path string) {
		if data, err := os.ReadFile(path); err == nil {
			h := sha256.Sum256(data)
			sums[roots.Name(path)] = hex.EncodeToString(h[:8])
		}
	}
	add(filepath.Join(roots.Module, "go.mod"))
	add(filepath.Join(roots.Module, "go.sum"))
	own, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, path := range own {
		add(path)
	}
	for _, name := range files {
		add(roots.Abs(name))
	}
	return sums
}

// Changed names the files that are not as they were, sorted.
func (s Sums) Changed(roots place.Roots) []string {
	var out []string
	for name, want := range s {
		data, err := os.ReadFile(roots.Abs(name))
		if err == nil {
			h := sha256.Sum256(data)
			if hex.EncodeToString(h[:8]) == want {
				continue
			}
		}
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// Outdated says in one line what changed since the record was made, or "".
func (r *Record) Outdated(roots place.Roots, goVersion string) string {
	var why []string
	if files := r.Sources.Changed(roots); len(files) > 0 {
		why = append(why, strings.Join(files, ", ")+" changed")
	}
	if goVersion != "" && goVersion != r.GoVersion {
		why = append(why, "found with "+r.GoVersion+", this is "+goVersion)
	}
	return strings.Join(why, "; ")
}
