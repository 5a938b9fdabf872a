// Package store keeps findings in .hocket/ at the module root.
//
// Invariants:
//   - A finding is one JSON file, written last and by renaming, and the files
//     of traces and sources that it names: killed at any moment, the store
//     stays readable, and several processes may write at once.
//   - The last replay of a finding is a file of its own: the record is written
//     by finds only (replays.go).
//   - Reading writes nothing and runs nothing.
//   - Nothing in it is a path of this machine: a finding holds on any machine
//     that has the same sources.
//   - A file that can't be read costs that finding only, and is named.
//   - The same bug found again keeps its id (see identity.go).
//   - The store knows nothing of how a finding was made.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// Format of the finding files. Readers bring earlier ones up to date (upgrade)
// and refuse later ones by name.
const Format = 3

// Folder is the state folder's name at the module root.
const Folder = ".hocket"

// Record is a finding with all that it takes to run it again.
type Record struct {
	Format    int       `json:"format"`
	Found     time.Time `json:"found"`
	Hocket    string    `json:"hocket"` // version that wrote it
	GoVersion string    `json:"go"`

	Module  string       `json:"module"` // path of the main module
	Package string       `json:"package"`
	Entry   string       `json:"entry"`
	Main    bool         `json:"main"`
	TestRun string       `json:"test_run,omitempty"`
	Args    []string     `json:"args,omitempty"`
	Flags   target.Flags `json:"flags"`
	Sources Sums         `json:"sources"`
	// Path are further files of the main module that the failing run went through.
	Path Sums `json:"path,omitempty"`

	Finding  *report.Finding `json:"finding"`
	Schedule trace.Schedule  `json:"schedule"`
	// Signature tells a run that fails in the same way from others.
	Signature string `json:"signature"`
	// Projection is the explanation, in its own format.
	Projection json.RawMessage `json:"projection,omitempty"`
	Hash       uint64          `json:"hash,string"` // of the failing run
	// Core are pairs of events of the failing trace, by their indexes: the orders that
	// suffice. None if they are not known.
	Core [][2]int `json:"core,omitempty"`
	// Traces maps a role ("failing", "passing") to a file beside this one.
	Traces map[string]string `json:"traces,omitempty"`
	// Texts is the file beside this one with the sources (texts.go), "" if none.
	Texts string `json:"texts,omitempty"`
}

// Store is the findings of one module.
type Store struct {
	dir string // .hocket or its stand-in
	// Note says in one line that another folder than the module's is used.
	Note string
	// also is where findings may lie too: the stand-in of an earlier run.
	also string
}

// Open prepares the store of the module at root. Where the module can't be
// written, a folder of the user's cache stands in, and Note says so.
func Open(root string) (*Store, error) {
	own, other := filepath.Join(root, Folder), standIn(root)
	err := prepare(own)
	if err == nil {
		return &Store{dir: own, also: other}, nil
	}
	if other == "" {
		return nil, fmt.Errorf("make %s: %w", own, err)
	}
	if err2 := prepare(other); err2 != nil {
		return nil, fmt.Errorf("neither %s (%v) nor %s (%v) can be written", own, cause(err), other, cause(err2))
	}
	return &Store{dir: other, also: own, Note: fmt.Sprintf("%s can't be written (%v); findings go to %s", own, cause(err), other)}, nil
}

// OpenRead opens the store of the module at root without writing anything.
func OpenRead(root string) *Store {
	return &Store{dir: filepath.Join(root, Folder), also: standIn(root)}
}

// Dir is the state folder.
func (s *Store) Dir() string { return s.dir }

// Dirs are the folders that have state: Dir, and the other one of the module's own
// folder and the one that stands in for it.
func (s *Store) Dirs() []string {
	if s.also == "" {
		return []string{s.dir}
	}
	return []string{s.dir, s.also}
}

func standIn(root string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(cache, "hocket", "modules", filepath.Base(root)+"-"+hex.EncodeToString(sum[:4]))
}

// ignore leaves this file out as well, so that git shows nothing of the folder as long as
// there are no breakpoints: who clones the module gets one of their own.
const ignore = "# State of hocket: not for version control, but for breakpoints.\n*\n!breakpoints.*\n"

// prepare makes the folder, and fails where it can't be written. The .gitignore
// in it is the user's once it is there.
func prepare(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "findings"), 0o777); err != nil {
		return err
	}
	ignored := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignored); errors.Is(err, fs.ErrNotExist) {
		if err := atomicfile.Write(ignored, []byte(ignore)); err != nil {
			return err
		}
	}
	// MkdirAll of an existing folder on a read-only disk succeeds.
	if err := atomicfile.Probe(dir); err != nil {
		return err
	}
	atomicfile.RemoveStale(filepath.Join(dir, "findings"), time.Hour)
	return nil
}

// Put writes the record, whose Finding.ID must be set, its encoded traces and
// the sources that it names. An earlier record of the same id is replaced.
func (s *Store) Put(r *Record, traces map[string][]byte, texts Texts) error {
	r.Format = Format
	dir := filepath.Join(s.dir, "findings")
	if _, err := os.Stat(dir); err != nil {
		// Deleted since Open, perhaps to be rid of old findings: not of this one.
		if err := prepare(s.dir); err != nil {
			return fmt.Errorf("make %s again: %w", s.dir, cause(err))
		}
	}
	incomplete := writeBeside(dir, r, traces, texts) // a finding without them is worth keeping
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	path := filepath.Join(dir, r.Finding.ID+".json")
	if err := atomicfile.Write(path, append(data, '\n')); err != nil {
		return fmt.Errorf("store it: %w", cause(err))
	}
	if incomplete == nil && !r.complete(dir) {
		// Another process replaced the record meanwhile and dropped our files.
		incomplete = writeBeside(dir, r, traces, texts)
	}
	dropOld(dir, path)
	return incomplete
}

// writeBeside writes the files that the record is to name, and names them.
// Their names tell their content, so equal ones of several processes agree.
func writeBeside(dir string, r *Record, traces map[string][]byte, texts Texts) (incomplete error) {
	r.Traces, r.Texts = map[string]string{}, ""
	for role, data := range traces {
		name, err := writeNamed(dir, r.Finding.ID+"-"+role, ".trace", data)
		if err != nil {
			incomplete = fmt.Errorf("store the %s trace: %w", role, err)
			continue
		}
		r.Traces[role] = name
	}
	data, err := texts.encode()
	if err == nil && data != nil {
		r.Texts, err = writeNamed(dir, r.Finding.ID, textsExt, data)
	}
	if err != nil {
		incomplete = cmpErr(incomplete, fmt.Errorf("store its sources: %w", err))
	}
	return incomplete
}

func writeNamed(dir, start, ext string, data []byte) (name string, err error) {
	sum := sha256.Sum256(data)
	name = start + "-" + hex.EncodeToString(sum[:4]) + ext
	if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.Size() == int64(len(data)) {
		return name, nil // files are whole or not there
	}
	if err := atomicfile.Write(filepath.Join(dir, name), data); err != nil {
		return "", cause(err)
	}
	return name, nil
}

// beside lists the files that the record names.
func (r *Record) beside() []string {
	var names []string
	for _, name := range r.Traces {
		names = append(names, name)
	}
	if r.Texts != "" {
		names = append(names, r.Texts)
	}
	return names
}

func (r *Record) complete(dir string) bool {
	for _, name := range r.beside() {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// dropOld removes the files of earlier records of the same id: those that the
// record which is there now, be it ours or another process's, doesn't name.
func dropOld(dir, path string) {
	r, err := read(path)
	if err != nil {
		return
	}
	kept := r.beside()
	for _, ext := range []string{".trace", textsExt} {
		old, _ := filepath.Glob(filepath.Join(dir, r.Finding.ID+"-*"+ext))
		for _, path := range old {
			if !slices.Contains(kept, filepath.Base(path)) {
				os.Remove(path)
			}
		}
	}
}

// cause is an error without the file that it names, for errors that name it
// themselves.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
