package native

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/instrument"
)

// Each kind of program fails on the ordinary build, whatever its modules are,
// and however it ends. A file's comment holds its target, a key on each line.
func TestKindsOfPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	names, err := filepath.Glob("testdata/kinds/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	builder := instrument.NewBuilder(t.TempDir())
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			target, plain, least := unpack(t, name)
			fail := failingTrace(t, t.Context(), builder, target)
			rep, err := Confirm(t.Context(), Request{Target: target, Trace: fail, Runs: 20, Baseline: 4, PlainSuffices: plain})
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(rep.Output+rep.Sample, "hocket-native-") {
				t.Errorf("the output has temporary paths:\n%s", rep.Output)
			}
			if rep.Failed*20 < rep.Runs*least || rep.Runs == 0 || plain && !rep.Plain {
				t.Errorf("failed %d of %d, plainly %v, baseline %+v, played %d, stuck %d, unplayed %d, other %d\n%s%q %v\n%s\n%s\n%v", rep.Failed, rep.Runs,
					rep.Plain, rep.Baseline, rep.Played, rep.Stuck, rep.Unplayed, rep.Other, rep.Plan.Steps, rep.Plan.Dropped, rep.Plan.Places, rep.Why, rep.Sample, rep.Skipped)
			}
		})
	}
}

// unpack writes a program, and reports whether it fails by itself, and else in how
// many of 20 runs at least.
func unpack(t *testing.T, name string) (target instrument.Target, plain bool, least int) {
	t.Helper()
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	least = 19
	dependency := map[string][]byte{}
	for _, f := range ar.Files {
		if rest, ok := strings.CutPrefix(f.Name, "proxy/"); ok {
			dependency[rest] = f.Data
			continue
		}
		file := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, file, string(f.Data))
	}
	target = instrument.Target{Dir: root, ImportPath: "example.com/prog"}
	for line := range strings.Lines(string(ar.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "entry":
			target.Entry, target.Test = value, value != "main"
		case "dir":
			target.Dir = filepath.Join(root, value)
		case "flags":
			target.Flags = strings.Fields(value)
		case "args":
			target.Args = strings.Fields(value)
		case "plain":
			plain = true
		case "least": // a machine under load may be slow
			if least, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(dependency) > 0 {
		target.Env = moduleCache(t, root, dependency)
	}
	return target, plain, least
}

// moduleCache makes a module cache that the go command fills from a proxy in a
// folder, so that the test needs no network.
func moduleCache(t *testing.T, root string, files map[string][]byte) []string {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "proxy", "example.com", "dep", "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "list"), "v1.0.0\n")
	write(t, filepath.Join(dir, "v1.0.0.mod"), string(files["go.mod"]))
	write(t, filepath.Join(dir, "v1.0.0.info"), `{"Version":"v1.0.0"}`)
	f, err := os.Create(filepath.Join(dir, "v1.0.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create("example.com/dep@v1.0.0/" + name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return []string{"GOPROXY=file://" + filepath.Join(base, "proxy"), "GOMODCACHE=" + filepath.Join(base, "cache"),
		"GONOSUMDB=*", "GOFLAGS=-modcacherw -mod=mod"}
}
