//go:build unix

package breakfile

import (
	"strings"
	"syscall"
	"testing"
)

// TestPipe: a pipe that nobody writes to is not waited for.
func TestPipe(t *testing.T) {
	root := folder(t)
	if err := syscall.Mkfifo(Path(root), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(root); err == nil || !strings.Contains(err.Error(), "is no file but a named pipe; move it away") {
		t.Error(err)
	}
	if err := Update(root, func(*File) error { return nil }); err == nil {
		t.Error("updated")
	}
}
