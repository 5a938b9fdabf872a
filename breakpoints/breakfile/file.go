package breakfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Path of the breakpoints file of the module at root.
func Path(root string) string { return filepath.Join(root, Folder, Name) }

// Names in the folder that version control ignores there, unlike
// "breakpoints.*".
const (
	lockName = "lock-breakpoints"
	tempName = "new-breakpoints-"
)

// Read reads the breakpoints of the module at root. No file is none of them.
// The error for a file that can't be understood is one line and names it, the
// position, and the way out.
func Read(root string) (*File, error) {
	path := Path(root)
	if err := plain(path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Version: Version}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the breakpoints: %w", err)
	}
	return decode(data, path)
}

// plain refuses what stands where the folder or the file belongs and is
// neither: to open a pipe would wait for a writer for ever.
func plain(path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is no folder, and breakpoints are kept in a folder of that name; move it away", dir)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file but %s; move it away", path, kindOf(info.Mode()))
	}
	return nil
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	}
	return "a device or socket"
}

// Update changes the breakpoints of the module at root: change gets what the
// file holds, and the result is written if change returns nil. The folder
// .hocket must be there. Other processes wait meanwhile. A file that can't be
// read stays as it is.
func Update(root string, change func(*File) error) error {
	unlock, err := lock(filepath.Join(root, Folder, lockName))
	if err != nil {
		return fmt.Errorf("lock the breakpoints: %w", err)
	}
	defer unlock()
	sweep(filepath.Join(root, Folder))
	f, err := Read(root)
	if err != nil {
		return err
	}
	if err := change(f); err != nil {
		return err
	}
	data, err := format(f)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(Path(root)); err == nil && string(old) == string(data) {
		return nil
	}
	if err := replace(Path(root), data); err != nil {
		return fmt.Errorf("write the breakpoints: %w", err)
	}
	return nil
}

// sweep removes what a process that was killed while writing left behind; the
// lock is held, so nobody is writing.
func sweep(dir string) {
	old, _ := filepath.Glob(filepath.Join(dir, tempName+"*"))
	for _, path := range old {
		os.Remove(path)
	}
}

// replace writes a file in one step: readers see the old or the new one.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempName)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// Add lists a breakpoint under a new id, the first that is greater than all
// those given before.
func (f *File) Add(b *Breakpoint) {
	b.ID = "b" + strconv.Itoa(max(f.highest(), f.Used)+1)
	f.Breakpoints = append(f.Breakpoints, b)
	f.Used = 0
}

func (f *File) highest() int {
	n := 0
	for _, b := range f.Breakpoints {
		n = max(n, number(b.ID))
	}
	return n
}

// Get returns the breakpoint with an id, nil if there is none.
func (f *File) Get(id string) *Breakpoint {
	for _, b := range f.Breakpoints {
		if b.ID == id {
			return b
		}
	}
	return nil
}

// Remove takes a breakpoint off the list, and reports whether it was there.
func (f *File) Remove(id string) bool {
	for i, b := range f.Breakpoints {
		if b.ID == id {
			f.Breakpoints = append(f.Breakpoints[:i:i], f.Breakpoints[i+1:]...)
			if n := number(id); n > f.highest() {
				f.Used = max(f.Used, n)
			}
			return true
		}
	}
	return false
}

// validID: a "b" and a number; people who merge may give others, such as
// "b3-mine".
func validID(id string) bool {
	return id != "" && !strings.ContainsAny(id, " \t\r\n,/\\\"'")
}

// number of an id, 0 if it is not made as ours.
func number(id string) int {
	digits, ok := strings.CutPrefix(id, "b")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 {
		return 0
	}
	return n
}

func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(number(a), number(b)), cmp.Compare(a, b))
}
