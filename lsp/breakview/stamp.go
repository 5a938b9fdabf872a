package breakview

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
)

// Stamp is the state of the files about breakpoints and their last runs, by name.
type Stamp map[string]fs.FileInfo

// StampOf is the state of a module's files now.
func StampOf(root string) Stamp {
	entries, err := os.ReadDir(filepath.Join(root, breakfile.Folder))
	if err != nil {
		return nil
	}
	out := Stamp{}
	for _, e := range entries {
		if !strings.Contains(e.Name(), "break") || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil {
			out[e.Name()] = info
		}
	}
	return out
}

// Same compares the files' identity, size and time stamp: a file replaced by
// renaming is another one, even within the grain of the time stamps.
func (a Stamp) Same(b Stamp) bool {
	return maps.EqualFunc(a, b, func(x, y fs.FileInfo) bool {
		return x.Size() == y.Size() && x.ModTime().Equal(y.ModTime()) && os.SameFile(x, y)
	})
}
