package programs

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestSingle(t *testing.T) {
	const head = "package main\n\nfunc init() { register(\"K\", K) }\n\n"
	for _, c := range []struct{ name, in, want string }{
		{"below", "func K() {\n\tfor i := 0; i < 1000; i++ {\n\t\tgo f()\n\t}\n}\n", "func K() {\n\tfor i := 0; i < 1; i++ {\n\t\tgo f()\n\t}\n}\n"},
		{"up to", "func K() {\n\tfor i := 0; i <= 100; i++ {\n\t\tgo f()\n\t}\n}\n", "func K() {\n\tfor i := 0; i <= 0; i++ {\n\t\tgo f()\n\t}\n}\n"},
		{"the bug's own loop", "func K() {\n\tfor i := 0; i < 2; i++ {\n\t\tgo f()\n\t}\n}\n", ""},
		{"no goroutine", "func K() {\n\tfor i := 0; i < 100; i++ {\n\t\tf()\n\t}\n}\n", ""},
		{"yields of the deferred function", "func K() {\n\tdefer func() {\n\t\tfor i := 0; i < 100; i++ {\n\t\t\tgo f()\n\t\t}\n\t}()\n}\n", ""},
		{"another function", "func L() {\n\tfor i := 0; i < 1000; i++ {\n\t\tgo f()\n\t}\n}\n", ""},
	} {
		want := c.want
		if want == "" {
			want = c.in
		}
		got, err := single([]byte(head + c.in))
		if err != nil || string(got) != head+want {
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
	}
}

// Most kernels of the toolchain at hand are repeated. All compile when they start
// once, and another time changes nothing.
func TestSingleOfTheDistribution(t *testing.T) {
	dir := t.TempDir()
	if _, err := Kernels(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	read := func() map[string]string {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all[f] = string(src)
		}
		return all
	}
	before := read()
	if err := Single(dir); err != nil {
		t.Fatal(err)
	}
	once := read()
	if err := Single(dir); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(once, read()) {
		t.Error("what starts once was changed again")
	}
	changed := 0
	for f, src := range once {
		if src != before[f] {
			changed++
		}
	}
	if changed < 35 || changed > len(once)-10 {
		t.Errorf("%d of %d files were changed", changed, len(once))
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", os.DevNull, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
