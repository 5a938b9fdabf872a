package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// List returns all readable records, newest first, and one error for each
// file that can't be read.
func (s *Store) List() ([]*Record, []error) {
	var out []*Record
	var bad []error
	seen := map[string]bool{}
	for _, dir := range s.dirs() {
		paths, _ := filepath.Glob(filepath.Join(dir, "*.json"))
		for _, path := range paths {
			r, err := read(path)
			if err != nil {
				bad = append(bad, err)
			} else if !seen[r.Finding.ID] {
				seen[r.Finding.ID] = true
				out = append(out, r)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Found.After(out[j].Found) })
	return out, bad
}

func (s *Store) dirs() []string {
	var dirs []string
	for _, d := range []string{s.dir, s.also} {
		if d != "" {
			dirs = append(dirs, filepath.Join(d, "findings"))
		}
	}
	return dirs
}

// Get returns the record whose id is, or starts with, the given one.
func (s *Store) Get(id string) (*Record, error) {
	if id == "" || strings.ContainsAny(id, `/\*?[`) {
		return nil, fmt.Errorf("%q is not the id of a finding", id)
	}
	hits := map[string]string{} // paths by id; the first folder's
	for _, dir := range s.dirs() {
		exact := filepath.Join(dir, id+".json")
		if _, err := os.Stat(exact); err == nil {
			return read(exact)
		}
		more, _ := filepath.Glob(filepath.Join(dir, id+"*.json"))
		for _, path := range more {
			name := strings.TrimSuffix(filepath.Base(path), ".json")
			if hits[name] == "" {
				hits[name] = path
			}
		}
	}
	names := slices.Sorted(maps.Keys(hits))
	switch len(names) {
	case 0:
		return nil, s.unknown(id)
	case 1:
		return read(hits[names[0]])
	}
	return nil, fmt.Errorf("finding %s is ambiguous: %s", id, strings.Join(names, ", "))
}

func (s *Store) unknown(id string) error {
	all, _ := s.List()
	if len(all) == 0 {
		return fmt.Errorf("no finding %s: %s holds none; run hocket find first", id, s.dir)
	}
	var ids []string
	for _, r := range all {
		ids = append(ids, r.Finding.ID)
	}
	return fmt.Errorf("no finding %s in %s; there are %s", id, s.dir, strings.Join(ids, ", "))
}

// ErrNoTrace: a finding was kept without the trace asked for.
var ErrNoTrace = errors.New("no trace was kept")

// Trace returns the encoded trace of a role, or an error that names the file.
func (s *Store) Trace(r *Record, role string) ([]byte, error) {
	name := r.Traces[role]
	if name == "" || filepath.Base(name) != name {
		return nil, fmt.Errorf("finding %s: %w of its %s run", r.Finding.ID, ErrNoTrace, role)
	}
	var first error
	for _, dir := range s.dirs() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			return data, nil
		}
		first = cmpErr(first, err)
	}
	return nil, fmt.Errorf("the %s trace of finding %s: %w", role, r.Finding.ID, first)
}

func read(path string) (*Record, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var head struct{ Format int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("%s is corrupt (%v); delete it and run hocket find again", path, err)
	}
	if head.Format < 1 || head.Format > Format {
		return nil, fmt.Errorf("%s has format %d, this hocket reads up to %d; run hocket find again, or use the hocket that wrote it", path, head.Format, Format)
	}
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("%s is corrupt (%v); delete it and run hocket find again", path, err)
	}
	if r.Finding == nil || r.Finding.ID == "" || r.Package == "" || r.Entry == "" {
		return nil, fmt.Errorf("%s is corrupt (it names no finding); delete it and run hocket find again", path)
	}
	r.upgrade()
	return &r, nil
}

// upgrade brings a record of an earlier format to the present one.
//
// Format 1 called a schedule minimal if no switch could be left out: it is
// irreducible. That none has fewer preemptions was not looked at.
func (r *Record) upgrade() {
	if s := &r.Finding.Schedule; r.Format == 1 {
		s.Minimal, s.Irreducible = false, s.Minimal || s.Irreducible
	}
	r.Format = Format
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
