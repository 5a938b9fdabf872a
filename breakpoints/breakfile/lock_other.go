//go:build !unix || solaris || illumos || aix

package breakfile

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// staleLock is how old the lock of a process that was killed must be to be
// taken away; an update takes milliseconds.
const staleLock = 10 * time.Second

// lock makes a file that nobody else can make at the same time.
func lock(path string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			f.Close()
			return func() { os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		info, statErr := os.Stat(path)
		switch {
		case statErr == nil && time.Since(info.ModTime()) > staleLock:
			os.Remove(path)
		case statErr != nil && errors.Is(err, fs.ErrPermission):
			return nil, err
		}
		time.Sleep(5 * time.Millisecond)
	}
}
