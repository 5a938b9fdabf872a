package difftest_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
)

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// Nothing is proved of programs that fail by what no operation tells, and nothing
// is found in those beside them that are right.
func TestOddPrograms(t *testing.T) {
	const dir = "testdata/odd"
	abs, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	target := instrument.Target{Dir: abs, ImportPath: "odd", Test: true, Entry: "TestX"}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(context.Background(), target)
	if err != nil {
		t.Fatal(err)
	}
	if len(bin.Blind) > 0 {
		t.Errorf("nothing is proved of programs that call %v: they say nothing about proofs", bin.Blind)
	}
	for _, name := range testsOf(t, filepath.Join(dir, "fails_test.go")) {
		t.Run(name, func(t *testing.T) {
			if known, proved, why := exploreTest(t, bin, name); proved && known.clean() {
				t.Errorf("clean: %s", why)
			}
		})
	}
	for _, name := range testsOf(t, filepath.Join(dir, "passes_test.go")) {
		t.Run(name, func(t *testing.T) {
			known, proved, why := exploreTest(t, bin, name)
			if !known.clean() {
				t.Errorf("failed: %q", known.names())
			}
			if !proved {
				t.Errorf("not proved: %s", why)
			}
		})
	}
}

// testsOf lists the tests of a file.
func testsOf(t *testing.T, file string) (out []string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range testFunc.FindAllSubmatch(src, -1) {
		out = append(out, string(m[1]))
	}
	if len(out) < 5 {
		t.Fatalf("%s has the tests %s only", file, strings.Join(out, ", "))
	}
	return out
}

// exploreTest explores one test of a binary.
func exploreTest(t *testing.T, bin *instrument.Binary, name string) (known ends, proved bool, why string) {
	t.Helper()
	one := *bin
	one.Target.Entry = name
	p, err := process.New(&one, site.NewIndex(one.Path))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	known = ends{}
	proved, why, _ = exploreReal(ctx, t, p, run.Spec{}, known, 40)
	return known, proved, why
}
