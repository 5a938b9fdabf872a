//go:build unix

package breakfile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivilegedVariable makes the test binary a process that no folder of root is
// writable for, and that prints the error of Writable.
const unprivilegedVariable = "HOCKET_TEST_WRITABLE"

func init() {
	root := os.Getenv(unprivilegedVariable)
	if root == "" {
		return
	}
	if os.Getuid() == 0 {
		if err := syscall.Setuid(65534); err != nil {
			panic(err)
		}
	}
	os.Stdout.WriteString(Writable(root).Error())
	os.Exit(0)
}

// TestReadOnly: permissions don't bind root, so another user asks.
func TestReadOnly(t *testing.T) {
	for name, made := range map[string]bool{"module": false, "folder": true} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "m")
			dir := filepath.Join(root, Folder)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if made {
				if err := os.WriteFile(filepath.Join(dir, lockName), nil, 0o666); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(filepath.Join(dir, lockName), 0o666); err != nil { // whatever the umask
					t.Fatal(err)
				}
			} else if err := os.Remove(dir); err != nil {
				t.Fatal(err)
			}
			for path, mode := root, os.FileMode(0o555); path != os.TempDir(); path, mode = filepath.Dir(path), 0o755 {
				if err := os.Chmod(path, mode); err != nil {
					t.Fatal(err)
				}
			}
			if made {
				if err := os.Chmod(dir, 0o555); err != nil {
					t.Fatal(err)
				}
			}
			defer os.Chmod(root, 0o755)
			defer os.Chmod(dir, 0o755)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), unprivilegedVariable+"="+root)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			unwritable(t, errors.New(string(out)), root, "permission denied")
		})
	}
}

// TestPipe: a pipe that nobody writes to is not waited for.
func TestPipe(t *testing.T) {
	root := folder(t)
	if err := syscall.Mkfifo(Path(root), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(root); err == nil || !strings.Contains(err.Error(), "is not a file but a named pipe; move it away") {
		t.Error(err)
	}
	if err := Update(root, func(*File) error { return nil }); err == nil {
		t.Error("updated")
	}
}
