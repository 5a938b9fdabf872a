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
	"time"

	"github.com/hocket-dev/hocket/internal/atomicfile"
)

// Path of the breakpoints file of the module at root.
func Path(root string) string { return filepath.Join(root, Folder, Name) }

// lockName is the name of the lock's file, which version control ignores in the
// folder, unlike "breakpoints.*".
const lockName = "lock-breakpoints"

// Read reads the breakpoints of the module at root. No file is none of them.
// The error for a file that can't be understood is one line that names the file
// and the position, and says what to do.
func Read(root string) (*File, error) {
	path := Path(root)
	if err := checkKind(path); err != nil {
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

// checkKind refuses anything but a folder and a regular file where they belong:
// opening a pipe would wait for a writer forever.
func checkKind(path string) error {
	dir := filepath.Dir(path)
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder, and breakpoints are kept in a folder of that name; move it away", dir)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file but %s; move it away", path, kindOf(info.Mode()))
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
// file holds, and the result is written if change returns nil. Other processes
// wait meanwhile. A file that can't be read stays as it is.
func Update(root string, change func(*File) error) error {
	unlock, err := lockFile(root)
	if err != nil {
		return err
	}
	defer unlock()
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
	if err := atomicfile.Write(Path(root), data); err != nil {
		return errUnwritable(root, err)
	}
	return nil
}

// Writable returns nil if Update can change the breakpoints of the module at
// root, else the error that Update would return. Call it before expensive work
// whose result is to be kept there.
func Writable(root string) error {
	unlock, err := lockFile(root)
	if err != nil {
		return err
	}
	defer unlock()
	if err := atomicfile.Probe(filepath.Dir(Path(root))); err != nil {
		return errUnwritable(root, err)
	}
	_, err = Read(root)
	return err
}

// lockFile makes the folder if need be, and waits until no other process
// changes the breakpoints.
func lockFile(root string) (unlock func(), err error) {
	if err := checkKind(Path(root)); err != nil {
		return nil, err
	}
	dir := filepath.Dir(Path(root))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, errUnwritable(root, err)
	}
	unlock, err = lock(filepath.Join(dir, lockName))
	if err != nil {
		return nil, errUnwritable(root, err)
	}
	atomicfile.RemoveStale(dir, staleTemp)
	return unlock, nil
}

// staleTemp is the age of a temporary file whose writer must have been killed.
const staleTemp = time.Minute

func errUnwritable(root string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path is a temporary file's or the lock's
	}
	return fmt.Errorf("breakpoints can't be kept in %s (%w); they belong to the module: make its folder writable, or copy the module to one that is", Path(root), err)
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

// validID reports whether an id can be used: ours are a "b" and a number; people who
// merge may give others, such as
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
