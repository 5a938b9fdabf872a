package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	for mode, write := range map[os.FileMode]func(string, []byte) error{0o644: Write, 0o600: WriteCache} {
		t.Run(mode.String(), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "breakpoints.json")
			for _, text := range []string{"first, and longer", "second"} {
				if err := write(path, []byte(text)); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != text {
					t.Errorf("read %q, %v, want %q", got, err, text)
				}
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != mode {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if left := files(t, filepath.Dir(path)); len(left) != 1 {
				t.Errorf("files left: %q", left)
			}
		})
	}
}

// TestUpdate: the mode stays, and a link stays one.
func TestWriteWith(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	for _, fails := range []bool{false, true} {
		err := WriteWith(path, func(w io.Writer) error {
			if _, err := io.WriteString(w, fmt.Sprint("fails ", fails)); err != nil || !fails {
				return err
			}
			return errors.New("no more")
		})
		if (err != nil) != fails {
			t.Errorf("fails %v: %v", fails, err)
		}
		if text, _ := os.ReadFile(path); string(text) != "fails false" {
			t.Errorf("fails %v: the file is %q", fails, text)
		}
		if n := len(files(t, dir)); n != 1 {
			t.Errorf("%d files are there", n)
		}
	}
}

func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a.go"), filepath.Join(dir, "link.go")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.go", link); err != nil {
		t.Skip(err)
	}
	if err := Update(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	info, err2 := os.Stat(path)
	if err != nil || err2 != nil || string(text) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q, %v, %v, %v", text, info.Mode(), err, err2)
	}
	if st, err := os.Lstat(link); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", st.Mode(), err)
	}
	if err := Update(filepath.Join(dir, "none.go"), nil); err == nil {
		t.Error("a file was made")
	}
}

// TestWriteAtOnce: several writers and readers; each read is of one writer.
func TestWriteAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := WriteCache(path, bytes.Repeat([]byte{'a'}, 100_000)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, c := range []byte("bcd") {
		wg.Go(func() {
			for range 20 {
				if err := WriteCache(path, bytes.Repeat([]byte{c}, 100_000)); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 20 {
				data, err := os.ReadFile(path)
				if err != nil || len(data) != 100_000 || bytes.Count(data, data[:1]) != len(data) {
					t.Errorf("read %d bytes, %v, of several writers or in part", len(data), err)
				}
			}
		})
	}
	wg.Wait()
}

// TestErrors: an error names the file that was asked for, and nothing is left.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none", "x")
	folder := filepath.Join(dir, "folder")
	if err := os.MkdirAll(filepath.Join(folder, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{missing, folder} {
		err := Write(path, []byte("text"))
		if err == nil || !strings.Contains(err.Error(), path+":") || strings.Contains(err.Error(), tempMark) {
			t.Errorf("write %s: error %v", path, err)
		}
	}
	if err := Probe(filepath.Dir(missing)); err == nil || !strings.Contains(err.Error(), filepath.Dir(missing)+":") || strings.Contains(err.Error(), tempMark) {
		t.Errorf("probe: error %v", err)
	}
	if err := Probe(dir); err != nil {
		t.Errorf("probe: error %v", err)
	}
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("files left: %q", left)
	}
}

func TestRemoveStale(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for name, when := range map[string]time.Time{".tmp-a-1": old, "a.json.tmp-2": old, "a.json": old, ".tmp-a-3": time.Now()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	RemoveStale(dir, time.Hour)
	if got := strings.Join(files(t, dir), " "); got != ".tmp-a-3 a.json" {
		t.Errorf("files left: %s", got)
	}
	RemoveStale(filepath.Join(dir, "none"), time.Hour)
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
