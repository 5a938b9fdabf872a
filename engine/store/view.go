package store

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// listing is the state of the files that findings are read from, by path.
type listing map[string]fs.FileInfo

// list looks at all of them. A folder that isn't there holds none.
func (s *Store) list() listing {
	l := listing{}
	for _, dir := range s.dirs() {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			switch filepath.Ext(e.Name()) {
			case ".json", replayExt, textsExt, fixesExt:
				if info, err := e.Info(); err == nil {
					l[filepath.Join(dir, e.Name())] = info
				}
			}
		}
	}
	return l
}

// records lists the records, folder by folder, in the order of their names.
func (l listing) records(dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		for _, path := range slices.Sorted(maps.Keys(l)) {
			if filepath.Dir(path) == dir && filepath.Ext(path) == ".json" {
				out = append(out, path)
			}
		}
	}
	return out
}

// about is the part of the listing that belongs to a record's finding, in
// whichever folder it lies.
func (l listing) about(record string) listing {
	id := strings.TrimSuffix(filepath.Base(record), ".json")
	part := listing{}
	for path, info := range l {
		rest, ok := strings.CutPrefix(filepath.Base(path), id)
		if path == record || ok && (rest == replayExt || rest == fixesExt || strings.HasPrefix(rest, "-")) {
			part[path] = info
		}
	}
	return part
}

// same compares the files' identity, size and time stamp: a file replaced by
// renaming is another one, even within the grain of the time stamps.
func (l listing) same(other listing) bool {
	return maps.EqualFunc(l, other, sameFile)
}

func sameFile(a, b fs.FileInfo) bool {
	return a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && os.SameFile(a, b)
}

const (
	// grain is the coarsest time stamp of a file system in use. A folder
	// changed less than this ago may change again without showing it.
	grain = 2 * time.Second
	// audit is how often files are looked at although no folder changed: an
	// editor, or a restored backup, may rewrite one in place.
	audit = 2 * time.Second
)

// View tells when a store may have changed since it was last asked. It is for
// one goroutine.
type View struct {
	store  *Store
	dirs   []fs.FileInfo // of store.dirs(), nil for one that isn't there
	sure   bool          // the folders' time stamps can be trusted
	files  listing
	looked time.Time
}

// View returns a view that has seen nothing: its first answer is true if there
// is a finding.
func (s *Store) View() *View { return &View{store: s} }

// Changed costs a stat for each folder, and one for each file only if a folder
// changed of late.
func (v *View) Changed() bool {
	now := time.Now()
	quiet := v.lookAtFolders(now)
	if quiet && now.Sub(v.looked) < audit {
		return false
	}
	files := v.store.list()
	changed := !v.files.same(files)
	v.files, v.looked = files, now
	return changed
}

// lookAtFolders reports whether they are as they were at the last look, and
// could not have changed since.
func (v *View) lookAtFolders(now time.Time) bool {
	var dirs []fs.FileInfo
	quiet, sure := v.sure && v.dirs != nil, true
	for i, dir := range v.store.dirs() {
		info, err := os.Stat(dir)
		if err != nil {
			info = nil
		}
		if v.dirs != nil {
			old := v.dirs[i]
			quiet = quiet && (old == nil) == (info == nil) && (old == nil || sameFile(old, info))
		}
		if info != nil {
			age := now.Sub(info.ModTime())
			sure = sure && (age > grain || age < -grain)
		}
		dirs = append(dirs, info)
	}
	v.dirs, v.sure = dirs, sure
	return quiet
}
