// Package coretest makes core files of small programs for tests.
package coretest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Build builds a program of one file and returns its executable.
func Build(t testing.TB, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": source, "go.mod": "module example.com/prog\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "prog")
	cmd := exec.Command("go", append(append([]string{"build"}, flags...), "-o", bin, ".")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// Crash runs an executable that is to crash, and returns its core and what it printed.
// The test is skipped where the kernel does not leave cores in the working directory.
func Crash(t testing.TB, bin string, args ...string) (core, output string) {
	t.Helper()
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if p := strings.TrimSpace(string(pattern)); err != nil || strings.HasPrefix(p, "|") || strings.ContainsAny(p, "/") {
		t.Skipf("cores go elsewhere: %s", p)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute) // a busy machine takes long to write a core
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", `ulimit -c unlimited && exec "$0" "$@"`, bin}, args...)...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOTRACEBACK=crash")
	out, _ := cmd.CombinedOutput()
	cores, err := filepath.Glob(filepath.Join(cmd.Dir, "core*"))
	if err != nil || len(cores) != 1 {
		t.Fatalf("no core of %s: %v, output:\n%s", bin, cores, out)
	}
	return cores[0], string(out)
}
