package store

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// Sums are the sources that a finding belongs to: machine-independent file
// names and a hash of each file's content.
type Sums map[string]string

// Unknown stands for the hash of a file whose content at the time in question
// isn't known. It is no file's hash: such a file counts as changed.
const Unknown = "unknown"

// Sum hashes go.mod, go.sum, the Go files of the package's folder and the
// named files, as they are on disk now.
func Sum(roots site.Roots, dir string, files []string) Sums {
	return SumOf(roots, dir, files, func(path string) (string, bool) {
		data, err := os.ReadFile(path)
		return string(data), err == nil
	})
}

// SumOf is Sum over other texts than those on disk. A file that exists, but
// of which text isn't sure, is Unknown.
func SumOf(roots site.Roots, dir string, files []string, text func(path string) (string, bool)) Sums {
	sums := Sums{}
	add := func(path string) {
		if t, ok := text(path); ok {
			sums[roots.Name(path)] = SumText(t)
		} else if _, err := os.Stat(path); err == nil {
			sums[roots.Name(path)] = Unknown
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

// SumText is a text's sum.
func SumText(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:8])
}

// SameAs reports whether both are of the very same files. Unknown ones, and
// those of a file whose content wasn't known, equal nothing.
func (s Sums) SameAs(other Sums) bool {
	for _, sum := range s {
		if sum == Unknown {
			return false
		}
	}
	return len(s) > 0 && maps.Equal(s, other)
}

// Hold reports whether the texts are still those of the sums.
func (s Sums) Hold(text func(name string) (string, bool)) bool {
	for name, want := range s {
		if t, ok := text(name); !ok || SumText(t) != want {
			return false
		}
	}
	return true
}

// Differ names the files of which only one has a sum, or whose sums differ,
// sorted.
func (s Sums) Differ(other Sums) []string {
	var out []string
	for name, sum := range s {
		if other[name] != sum || sum == Unknown {
			out = append(out, name)
		}
	}
	for name := range other {
		if _, ok := s[name]; !ok {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// Changed names the files that are not as they were, sorted.
func (s Sums) Changed(roots site.Roots) []string {
	var out []string
	for name, want := range s {
		data, err := os.ReadFile(roots.Abs(name))
		if err == nil && SumText(string(data)) == want {
			continue
		}
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

// Outdated says in one line what changed since the record was made, or "".
func (r *Record) Outdated(roots site.Roots, goVersion string) string {
	return Reasons(r.Sources.Changed(roots), r.otherGo(goVersion))
}

// Reasons says in one line that files changed, and what else did.
func Reasons(files []string, more ...string) string {
	if len(files) > 0 {
		more = append([]string{strings.Join(files, ", ") + " changed"}, more...)
	}
	return strings.Join(slices.DeleteFunc(more, func(s string) bool { return s == "" }), "; ")
}

func (r *Record) otherGo(version string) string {
	if version == "" || version == r.GoVersion {
		return ""
	}
	return "found with " + r.GoVersion + ", this is " + version
}
