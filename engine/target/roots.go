package target

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
)

// RootsOf tells the folders of a module's names as the go command would, from
// the environment and the go command's own files, without running it. Folders
// that can't be told are "".
func RootsOf(module string) site.Roots {
	env := GoEnv()
	return site.Roots{Module: module, Goroot: goroot(env), ModCache: modCache(env)}
}

// GoEnv looks settings up where the go command does: the environment, then the
// file that "go env -w" writes.
func GoEnv() func(key string) string {
	file := os.Getenv("GOENV")
	if file == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			file = filepath.Join(dir, "go", "env")
		}
	}
	saved := map[string]string{}
	if data, err := os.ReadFile(file); err == nil { // GOENV=off names no file
		for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
			if key, value, ok := strings.Cut(strings.TrimSpace(lines.Text()), "="); ok && !strings.HasPrefix(key, "#") {
				saved[key] = value
			}
		}
	}
	return func(key string) string {
		if v := os.Getenv(key); v != "" {
			return v
		}
		return saved[key]
	}
}

func modCache(env func(string) string) string {
	if dir := env("GOMODCACHE"); dir != "" {
		return dir
	}
	gopath := env("GOPATH")
	if gopath == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		gopath = filepath.Join(home, "go")
	}
	first := filepath.SplitList(gopath)
	if len(first) == 0 {
		return ""
	}
	return filepath.Join(first[0], "pkg", "mod")
}

// goroot is GOROOT, or the installation that the go command in PATH lies in.
func goroot(env func(string) string) string {
	if dir := env("GOROOT"); dir != "" {
		return dir
	}
	path, err := exec.LookPath("go") // looks only
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	dir := filepath.Dir(filepath.Dir(path))
	if _, err := os.Stat(filepath.Join(dir, "src", "runtime")); err != nil {
		return ""
	}
	return dir
}
