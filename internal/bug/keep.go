package bug

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// maxReports are kept on the disk, and by each process; more of them replace
// the oldest on the disk.
const maxReports = 50

// reports of this process, and where those of all processes are.
type reports struct {
	sync.Mutex
	tolerated bool
	dir       string // of a test; "": in the user's cache
	here      map[string]Report
}

var kept = reports{here: map[string]Report{}}

// add keeps the first report of a site in memory and on the disk.
func (k *reports) add(r Report) {
	k.Lock()
	defer k.Unlock()
	name := fileName(r)
	if _, again := k.here[name]; again || len(k.here) == maxReports {
		return
	}
	k.here[name] = r
	k.write(name, r) // an error leaves the report in memory
}

// fileName is the same for all reports of one place in one version, so the file
// system knows whether there is one.
func fileName(r Report) string {
	sum := sha256.Sum256([]byte(r.Hocket + "\x00" + r.Go + "\x00" + r.Platform + "\x00" + r.Site))
	return hex.EncodeToString(sum[:8]) + ".json"
}

func (k *reports) write(name string, r Report) error {
	dir, err := k.folder()
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	makeRoom(dir)
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteCache(filepath.Join(dir, name), append(data, '\n'))
}

// makeRoom removes the oldest reports until one more is allowed. Of processes
// that do it at once, each may see the other's removals fail.
func makeRoom(dir string) {
	atomicfile.RemoveStale(dir, time.Hour)
	files := reportFiles(dir)
	when := map[string]time.Time{}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			when[path] = info.ModTime()
		}
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(when[a].Compare(when[b]), cmp.Compare(a, b)) })
	for len(files) >= maxReports {
		os.Remove(files[0])
		files = files[1:]
	}
}

func reportFiles(dir string) (paths []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}

func (k *reports) folder() (string, error) {
	if k.dir != "" {
		return k.dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "hocket", "bugs"), nil
}

// List returns the reports on the disk and those of this process, newest first.
// With an error, it returns those that can be read.
func List() ([]Report, error) {
	kept.Lock()
	defer kept.Unlock()
	found := map[string]Report{}
	for name, r := range kept.here {
		found[name] = r
	}
	dir, err := kept.folder()
	if err == nil {
		err = readAll(dir, found)
	}
	var out []Report
	for _, r := range found {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Report) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Site, b.Site)) })
	return out, err
}

// readAll adds the reports in dir, by the names of their files.
func readAll(dir string, found map[string]Report) error {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list the bug reports: %w", err)
	}
	var problems error
	for _, path := range reportFiles(dir) {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another process made room
		}
		var r Report
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			problems = errors.Join(problems, fmt.Errorf("read bug report %s: %w", path, err))
			continue
		}
		found[filepath.Base(path)] = r
	}
	return problems
}

// Clear removes all reports.
func Clear() error {
	kept.Lock()
	defer kept.Unlock()
	clear(kept.here)
	dir, err := kept.folder()
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// Tolerate lets a test see what follows a report: until its end, reports don't
// panic and are kept in a folder of the test. No other test may run meanwhile.
func Tolerate(t testing.TB) {
	dir := filepath.Join(t.TempDir(), "bugs")
	kept.Lock()
	defer kept.Unlock()
	tolerated, old, here := kept.tolerated, kept.dir, kept.here
	kept.tolerated, kept.dir, kept.here = true, dir, map[string]Report{}
	t.Cleanup(func() {
		kept.Lock()
		defer kept.Unlock()
		kept.tolerated, kept.dir, kept.here = tolerated, old, here
	})
}
