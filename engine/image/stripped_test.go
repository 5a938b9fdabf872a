package image

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A stripped program has the functions and calls of the same one that is not.
func TestStripped(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	open := func(name string, flags ...string) *Image {
		t.Helper()
		path := filepath.Join(dir, name)
		cmd := exec.Command("go", append([]string{"build", "-o", path}, flags...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
		output(t, cmd)
		m, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, text := range map[string]string{"go.mod": "module m\n", "main.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole, stripped := open("whole"), open("stripped", "-ldflags=-s -w")
	for _, fn := range []string{"main.main", "fmt.Fprintln"} {
		f, g := whole.Funcs(fn), stripped.Funcs(fn)
		if len(f) != 1 || len(g) != 1 || f[0].Addr != g[0].Addr {
			t.Errorf("%s is %v, stripped %v", fn, f, g)
			continue
		}
		if c, d := whole.Calls(f[0]), stripped.Calls(g[0]); len(c) == 0 || !slices.Equal(c, d) {
			t.Errorf("%s calls %v, stripped %v", fn, c, d)
		}
	}
}
