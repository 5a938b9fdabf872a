package engine

import (
	"errors"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
)

// DelveInstall installs the version of Delve that replays are tested with.
const DelveInstall = "go install github.com/go-delve/delve/cmd/dlv@v1.27.2"

// Delve is the path of the debugger. It is looked for in PATH and where go
// install puts programs.
func Delve() (string, error) {
	if path, err := exec.LookPath("dlv"); err == nil {
		return filepath.Abs(path)
	}
	dirs := filepath.SplitList(build.Default.GOPATH)
	for i := range dirs {
		dirs[i] = filepath.Join(dirs[i], "bin")
	}
	for _, dir := range append([]string{os.Getenv("GOBIN")}, dirs...) {
		if dir == "" {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, "dlv")); err == nil {
			return path, nil
		}
	}
	return "", errors.New("the debugger Delve (dlv) was not found in PATH nor in GOPATH/bin; install it: " + DelveInstall)
}
