package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/engine/site"

	"github.com/hocket-dev/hocket/internal/atomicfile"
)

const replayExt = ".replay"

// replayFormat of the replay files. Those of others are not shown.
const replayFormat = 1

// Replay is the outcome of the newest replay of a finding. It is a file of its
// own beside the record, so that a replay never rewrites a finding that
// another process may be replacing; of two at once, the last one to end wins.
type Replay struct {
	Format  int       `json:"format"`
	When    time.Time `json:"when"` // its end
	Level   string    `json:"level"`
	Runs    int       `json:"runs"`
	Failed  int       `json:"failed"`
	Sources Sums      `json:"sources"`        // that it ran on
	Path    Sums      `json:"path,omitempty"` // of the record's Path, as they were now
	// Changed are the files that are not those of the finding, Build is how the
	// build differs: the schedule may lead elsewhere.
	Changed []string `json:"changed,omitempty"`
	Build   string   `json:"build,omitempty"`
	// Searched: a search of the target on these sources ended without the
	// failure, its plan spent or its proof complete.
	Searched bool `json:"searched,omitempty"`
}

// Files name all that a replay of the record depends on.
func (r *Record) Files() []string {
	return append(slices.Collect(maps.Keys(r.Sources)), slices.Collect(maps.Keys(r.Path))...)
}

// NewReplay is a replay of the record by a version of Go and of Hocket on sources
// of which now holds the sums of all Files.
func (r *Record) NewReplay(now Sums, goVersion, hocket string) *Replay {
	l := &Replay{When: time.Now().UTC(), Level: "controlled", Sources: maps.Clone(now), Path: Sums{}}
	for name := range r.Path {
		if sum, ok := now[name]; ok {
			l.Path[name] = sum
		}
		delete(l.Sources, name)
	}
	l.Changed = append(l.Changed, r.Path.Differ(l.Path)...)
	l.Changed = append(l.Changed, r.Sources.Differ(l.Sources)...)
	slices.Sort(l.Changed)
	l.Build = Reasons(nil, r.otherGo(goVersion), r.otherHocket(hocket))
	return l
}

func (r *Record) otherHocket(version string) string {
	switch {
	case r.Hocket != version:
		return "found by hocket " + r.Hocket + ", this is " + version
	case slices.ContainsFunc(r.Schedule.Hot, site.IsOfLine):
		return "found by an earlier version of hocket, whose schedules name places by line only"
	}
	return ""
}

// SameSources reports whether both ran on the very same sources.
func (l *Replay) SameSources(o *Replay) bool {
	return l.Sources.SameAs(o.Sources) && maps.Equal(l.Path, o.Path)
}

// Why says in one line why the schedule may have led elsewhere, or "".
func (l *Replay) Why() string { return Reasons(l.Changed, l.Build) }

// PutReplay replaces the last replay of the finding. It goes beside the
// record, or, where that folder can't be written, into the stand-in.
func (s *Store) PutReplay(id string, r *Replay) error {
	r.Format = replayFormat
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode it: %w", err)
	}
	data = append(data, '\n')
	home := s.home(id)
	err = atomicfile.Write(filepath.Join(home, id+replayExt), data)
	if err == nil {
		return nil
	}
	if s.also == "" || home == filepath.Join(s.also, "findings") {
		return cause(err)
	}
	if err2 := prepare(s.also); err2 != nil {
		return cause(err)
	}
	if err2 := atomicfile.Write(filepath.Join(s.also, "findings", id+replayExt), data); err2 != nil {
		return cause(err)
	}
	return nil
}

// home is the folder that holds the record of a finding.
func (s *Store) home(id string) string {
	dirs := s.dirs()
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, id+".json")); err == nil {
			return dir
		}
	}
	return dirs[0]
}

// LastReplay returns the newest replay of a record since it was made; nil if
// there is none.
func (s *Store) LastReplay(r *Record) (*Replay, error) {
	var newest *Replay
	for _, dir := range s.dirs() {
		l, err := readReplay(filepath.Join(dir, r.Finding.ID+replayExt))
		if err != nil {
			return nil, err
		}
		if l != nil && !l.When.Before(r.Found) && (newest == nil || l.When.After(newest.When)) {
			newest = l
		}
	}
	return newest, nil
}

// readReplay returns nil for a file that isn't there or is of another format:
// a replay is soon made again.
func readReplay(path string) (*Replay, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var l Replay
	if err := json.Unmarshal(data, &l); err != nil {
		return nil, fmt.Errorf("%s is corrupt (%v); delete it", path, err)
	}
	if l.Format != replayFormat || l.Runs <= 0 && !l.Searched || l.Failed < 0 || l.Failed > l.Runs {
		return nil, nil
	}
	return &l, nil
}
