package z3

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain: where there is no libz3, that is said, and what is left to test is
// how its absence is borne.
func TestMain(m *testing.M) {
	flag.Parse()
	if _, err := Available(); err != nil && os.Getenv(inChild) == "" {
		fmt.Fprintf(os.Stderr, "engine/solve/z3: only the absence of Z3 is tested: %v\n", err)
		if err := flag.Set("test.run", "^TestAbsent$"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

const inChild = "HOCKET_TEST_WITHOUT_Z3"

// TestAbsent runs itself where the loader finds files that are no libraries
// before it finds libz3.
func TestAbsent(t *testing.T) {
	if os.Getenv(inChild) != "" {
		_, err := Available()
		_, err2 := New(Options{})
		for _, err := range []error{err, err2} {
			if !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), HowToInstall) {
				t.Errorf("error %v", err)
			}
		}
		return
	}
	dir := t.TempDir()
	for _, name := range []string{"libz3.so.4", "libz3.so", "libz3.dylib"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no library"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAbsent$", "-test.v")
	cmd.Env = append(os.Environ(), inChild+"=1", "LD_LIBRARY_PATH="+dir, "DYLD_LIBRARY_PATH="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestAbsent") {
		t.Errorf("%v\n%s", err, out)
	}
}
