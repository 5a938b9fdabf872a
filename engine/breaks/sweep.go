package breaks

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/internal/temp"
)

// What a killed Hocket left behind of runs with breakpoints, and old builds.
const (
	leftover      = 6 * time.Hour // age from which a partial build is removed, if its process is gone
	maxBreakBytes = 512 << 20     // of all builds; those used in the last hour stay in any case
)

// sweep removes what is old or left over; builds is a folder with a folder
// for each. Best effort: another Hocket may do the same.
func sweep(builds string, most int64) {
	for _, pattern := range []string{"*", filepath.Join("*", "*")} {
		for _, name := range glob(builds, filepath.Join(pattern, "*.bin~*")) {
			_, who, _ := strings.Cut(filepath.Base(name), "~")
			number, made, _ := strings.Cut(who, "-")
			if ns, err := strconv.ParseInt(made, 10, 64); err == nil && time.Since(time.Unix(0, ns)) > leftover && processGone(number) {
				os.Remove(name)
			}
		}
	}
	type kept struct {
		dir  string
		used time.Time
		size int64
	}
	var all []kept
	for _, dir := range glob(builds, "*") {
		b := kept{dir: dir}
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			if info.ModTime().After(b.used) {
				b.used = info.ModTime()
			}
			if !strings.Contains(d.Name(), ".bin~") { // those are links
				b.size += info.Size()
			}
			return nil
		})
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b kept) int { return b.used.Compare(a.used) })
	for _, b := range all {
		age := time.Since(b.used)
		if most -= b.size; age > build.Unused || most < 0 && age > time.Hour {
			os.RemoveAll(b.dir)
		}
	}
}

func glob(dir, pattern string) []string {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	first, rest, nested := strings.Cut(pattern, string(filepath.Separator))
	var found []string
	for _, e := range names {
		if ok, _ := filepath.Match(first, e.Name()); ok && nested && e.IsDir() {
			found = append(found, glob(filepath.Join(dir, e.Name()), rest)...)
		} else if ok && !nested {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}

// processGone reports whether no process has this number. A text that is not a
// process number (older folders have none) counts as gone.
func processGone(number string) bool {
	pid, err := strconv.Atoi(number)
	if err != nil || pid <= 0 || pid > 1<<30 {
		return true
	}
	return temp.Gone(pid)
}
