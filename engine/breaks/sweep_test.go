package breaks

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
)

// What a dead process left goes when it is old; what is in use, new, or of
// somebody else stays.
func TestSweepBreaks(t *testing.T) {
	builds := t.TempDir()
	old, hour := time.Now().Add(-7*time.Hour), time.Now().Add(-2*time.Hour)
	self, dead := os.Getpid(), 1<<30+1 // no process has this number
	made := map[string]bool{}
	put := func(keep bool, when time.Time, size int, parts ...string) {
		name := filepath.Join(parts...)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, n := range []string{name, filepath.Dir(name), filepath.Dir(filepath.Dir(name))} {
			os.Chtimes(n, when, when)
		}
		made[name] = keep
	}
	link := func(pid int, when time.Time) string { return fmt.Sprintf("plain.bin~%d-%d", pid, when.UnixNano()) }
	put(false, time.Now(), 9, builds, "a", link(dead, old))
	put(false, time.Now(), 9, builds, "a", "d", link(dead, old))
	put(true, time.Now(), 9, builds, "a", link(self, old))
	put(true, time.Now(), 9, builds, "a", link(dead, time.Now()))
	put(true, time.Now(), 60, builds, "a", "plain.bin")
	put(true, hour, 30, builds, "b", "plain.bin")
	put(false, hour.Add(-time.Hour), 30, builds, "c", "plain.bin") // the oldest, above the bound
	put(false, time.Now().Add(-build.Unused-time.Hour), 1, builds, "e", "plain.bin")
	sweep(builds, 20_000)
	for name, keep := range made {
		if _, err := os.Stat(name); (err == nil) != keep && filepath.Base(filepath.Dir(name)) != "c" {
			t.Errorf("%s: kept is %v, want %v", name, err == nil, keep)
		}
	}
	sweep(builds, 1)
	for dir, keep := range map[string]bool{"a": true, "b": false, "c": false} {
		if _, err := os.Stat(filepath.Join(builds, dir)); (err == nil) != keep {
			t.Errorf("above the bound, %s: kept is %v, want %v", dir, err == nil, keep)
		}
	}
}
