// Package temp makes temporary folders that name their owner, so that those of
// a process that was killed are removed by the next one.
//
// Invariants:
//   - A folder whose process lives is never removed, nor one of another process
//     id namespace (a container), whose processes can't be seen from here.
package temp

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// prefix of the names: "hocket-KIND-OWNER-RANDOM".
const prefix = "hocket-"

// Dir makes a folder in the system's folder for temporary files. The caller
// removes it.
func Dir(kind string) (string, error) { return DirIn("", kind) }

// DirIn makes a folder in base. kind is a word of letters.
func DirIn(base, kind string) (string, error) {
	if base == "" {
		base = os.TempDir()
	}
	sweepOnce(base)
	return os.MkdirTemp(base, prefix+kind+"-"+owner()+"-")
}

// owner is this process's number and, where there are several, the namespace
// in which the number counts.
func owner() string { return strconv.Itoa(os.Getpid()) + "." + namespace() }

// namespace is the number of "pid:[4026531836]".
var namespace = sync.OnceValue(func() string {
	link, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
})

var swept sync.Map // folders of this process

func sweepOnce(base string) {
	if _, again := swept.LoadOrStore(base, true); !again {
		Sweep(base)
	}
}

// Sweep removes what killed processes left in base. Best effort: another Hocket
// may do the same, and other users' folders stay.
func Sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() && abandoned(e.Name()) {
			os.RemoveAll(filepath.Join(base, e.Name()))
		}
	}
}

// abandoned reports whether a folder's owner is gone.
func abandoned(name string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	parts := strings.Split(rest, "-")
	if !ok || len(parts) != 3 {
		return false
	}
	number, space, ok := strings.Cut(parts[1], ".")
	pid, err := strconv.Atoi(number)
	return ok && err == nil && space == namespace() && pid > 0 && Gone(pid)
}

// Gone reports whether no process has this number, or one that has ended and that
// nobody has waited for.
func Gone(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		rest := stat[bytes.LastIndexByte(stat, ')')+1:] // the name may hold anything
		if bytes.HasPrefix(rest, []byte(" Z")) || bytes.HasPrefix(rest, []byte(" X")) {
			return true
		}
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return true
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH)
}
