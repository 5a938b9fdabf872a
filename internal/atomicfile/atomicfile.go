// Package atomicfile replaces files in one step: readers see the old content or
// the new one, never a part, whenever a process is killed and however many
// processes write at once.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tempMark starts the names of temporary files, so that patterns for the files
// themselves, such as "*.json" or "breakpoints.*", do not match them.
const tempMark = ".tmp-"

// Write replaces the file at path with data, with mode 0644. The data is on the
// disk before the file has its name.
func Write(path string, data []byte) error { return write(path, bytesOf(data), 0o644, true) }

// WriteWith is Write for what a function writes, which may be more than fits into
// memory. If that fails, the file stays as it was.
func WriteWith(path string, content func(io.Writer) error) error {
	return write(path, content, 0o644, true)
}

func bytesOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Update is Write for a file of somebody else's that is there: it keeps its mode, and
// where path is a link, what that leads to is replaced.
func Update(path string, data []byte) error {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return withPath(err, path)
	}
	st, err := os.Stat(real)
	if err != nil {
		return withPath(err, path)
	}
	return write(real, bytesOf(data), st.Mode().Perm(), true)
}

// WriteCache is Write for files of this user that can be made again: their mode
// is 0600, and it does not wait for the disk, so a power failure may leave an
// empty file.
func WriteCache(path string, data []byte) error { return write(path, bytesOf(data), 0o600, false) }

func write(path string, content func(io.Writer) error, mode fs.FileMode, kept bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempMark+filepath.Base(path)+"-")
	if err != nil {
		return withPath(err, path)
	}
	err = content(f)
	if err == nil && kept {
		err = errors.Join(f.Sync(), f.Chmod(mode))
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return withPath(err, path)
	}
	return nil
}

// Probe reports why files can't be written in dir, nil if they can.
func Probe(dir string) error {
	f, err := os.CreateTemp(dir, tempMark+"probe-")
	if err != nil {
		return withPath(err, dir)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// withPath names the file that was to be written: the name of the temporary file
// is of no use to people and differs from run to run.
func withPath(err error, path string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: "write", Path: path, Err: pe.Err}
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return &fs.PathError{Op: "write", Path: path, Err: le.Err}
	}
	return err
}

// RemoveStale removes the temporary files in dir that are older than age: their
// writers were killed.
func RemoveStale(dir string, age time.Duration) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.Contains(e.Name(), tempMark) && time.Since(info.ModTime()) > age {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
