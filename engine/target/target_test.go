package target

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// module writes a txtar archive as a module and returns its environment.
func module(t *testing.T, archive string) *Env {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env, err := LoadEnv(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

const sample = `
-- go.mod --
module example.com/m

go 1.26
-- main.go --
package main

func main() {}
-- main_test.go --
package main

import "testing"

func TestMain(m *testing.M) {}
func TestA(t *testing.T)    {}
func Testify(t *testing.T)  {}
func TestHelper(x int)      {}
func FuzzF(f *testing.F)    {}
func BenchmarkB(b *testing.B) {}
-- lib/lib.go --
package lib
-- lib/x_test.go --
package lib_test

import (
	"fmt"
	"testing"
)

func TestA(t *testing.T) {}
func TestBee(t *testing.T) {}

func Example_out() {
	fmt.Println("x")
	// Output: x
}

func Example_quiet() { fmt.Println("x") }
-- lib/tag_test.go --
//go:build special

package lib

import "testing"

func TestSpecial(t *testing.T) {}
-- broken/broken.go --
package broken

import "example.com/m/missing"
`

func entries(ts []Target) []string {
	var out []string
	for _, t := range ts {
		out = append(out, strings.TrimPrefix(t.Package, "example.com/")+" "+t.Entry+" "+t.TestRun)
	}
	return out
}

func TestDiscover(t *testing.T) {
	env := module(t, sample)
	for _, c := range []struct {
		name string
		q    Query
		want []string
	}{
		{"all", Query{Patterns: []string{"./..."}}, []string{
			"m main ", "m TestA ^TestA$", "m FuzzF ^FuzzF$",
			"m/lib TestA ^TestA$", "m/lib TestBee ^TestBee$", "m/lib Example_out ^Example_out$",
		}},
		{"tags", Query{Patterns: []string{"./lib"}, Flags: Flags{Tags: "special"}, Run: "Special"}, []string{"m/lib TestSpecial ^TestSpecial$"}},
		{"sub", Query{Patterns: []string{"./lib"}, Run: "TestA/x=1"}, []string{"m/lib TestA/x=1 ^TestA$/x=1"}},
		{"import path", Query{Patterns: []string{"example.com/m/lib"}, Run: "^TestBee$"}, []string{"m/lib TestBee ^TestBee$"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems, err := Discover(context.Background(), env, c.q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, entries(got)); diff != "" {
				t.Error(diff)
			}
			if c.name == "all" && (len(problems) != 1 || !strings.HasPrefix(problems[0].Pos, "broken/broken.go:3")) {
				t.Errorf("problems: %+v", problems)
			}
		})
	}
}

// A package that go list leaves out without cgo is told, beside others and alone.
func TestDiscoverCgo(t *testing.T) {
	env := module(t, `-- go.mod --
module example.com/m

go 1.26
-- c/c.go --
package main

import "C"

func main() {}
-- d/d.go --
package d

import "C"
-- e/e_test.go --
package e

import "testing"

func TestE(t *testing.T) {}
`)
	const want = "example.com/m/c: it needs cgo (c.go), and C code can't be controlled: it is not searched"
	got, problems, err := Discover(context.Background(), env, Query{Patterns: []string{"./..."}})
	if err != nil || len(got) != 1 || len(problems) != 1 || problems[0].String() != want {
		t.Errorf("got %v, %v, %v", got, problems, err)
	}
	if _, _, err := Discover(context.Background(), env, Query{Patterns: []string{"./c/..."}}); err == nil || err.Error() != want {
		t.Errorf("alone: %v", err)
	}
}

func TestDiscoverNothing(t *testing.T) {
	env := module(t, sample)
	for _, c := range []struct {
		q    Query
		want string
	}{
		{Query{Run: "TestNope"}, `no test of . matches -run "TestNope"; there are main, TestA, FuzzF`},
		{Query{Run: "("}, "missing closing )"},
		{Query{Patterns: []string{"./broken"}}, "broken/broken.go:3:8: "},
		{Query{Patterns: []string{"./nowhere"}}, "nowhere"},
		{Query{Patterns: []string{"main.go"}}, "name its package"},
		{Query{Patterns: []string{"strings"}}, "standard library"},
	} {
		_, _, err := Discover(context.Background(), env, c.q)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: got %v, want one line with %q", c.q, err, c.want)
		}
	}
}

func TestSelector(t *testing.T) {
	for _, c := range []struct{ run, name, rest string }{
		{"TestA|TestB", "TestB", ""},
		{"TestA/x|TestB/y", "TestB", "y"},
		{"Test[A/]/s", "TestA", "s"},
		{"(TestA|TestB)/s", "TestB", "s"},
	} {
		sel, err := parseSelector(c.run)
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := sel.match(c.name); !ok || rest != c.rest {
			t.Errorf("%q on %s: %q, %v", c.run, c.name, rest, ok)
		}
	}
}

func TestIsSupported(t *testing.T) {
	for v, want := range map[string]bool{"go1.26": true, "go1.26.8": true, "go1.27.3": true, "go1.27rc1": true, "go1.25.9": false, "go1.28": false, "go1.2": false, "go1.260": false} {
		if IsSupported(v) != want {
			t.Errorf("IsSupported(%s) = %v", v, !want)
		}
	}
}

func TestNoModule(t *testing.T) {
	_, err := LoadEnv(context.Background(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "not inside a Go module") {
		t.Errorf("got %v", err)
	}
}
