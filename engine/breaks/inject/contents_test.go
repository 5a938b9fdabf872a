package inject

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
)

const manyPrograms = `
-- app/go.mod --
module example.com/m

go 1.26

require example.com/libm v0.0.0

replace example.com/libm => ../libm
-- app/vendor/modules.txt --
# example.com/libm v0.0.0 => ../libm
## explicit; go 1.26
example.com/libm
# example.com/libm => ../libm
-- app/vendor/libm/none.txt --
-- app/vendor/example.com/libm/l.go --
package libm

func L() {
	println() //@copied
}
-- libm/go.mod --
module example.com/libm

go 1.26
-- libm/l.go --
package libm

func L() {
	println() //@replaced
}
-- app/main.go --
package main

import "example.com/libm"

func main() {
	libm.L() //@main
}
-- app/t_foo.go --
//go:build foo

package main

func foo() {
	println() //@tagged
}
-- app/c.go --
package main

import "C"

func inC() {
	println() //@cgo
}
-- app/main_test.go --
package main

import "testing"

func TestX(t *testing.T) {
	main() //@test
}
-- app/x_test.go --
package main_test

import "testing"

func TestY(t *testing.T) {
	println() //@external
}
-- app/dep/main.go --
package main

func main() {
	println() //@other
}
`

// TestOutside: a breakpoint that the program is built without says so, and why.
func TestOutside(t *testing.T) {
	root := module(t, manyPrograms)
	sides := sidesOf(t, root)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(root, "app"), link); err != nil {
		t.Skip(err)
	}
	linked := sides["main"]
	linked.File = filepath.Join(link, "main.go")
	sides["linked"] = linked
	type want map[string]string // "" is that it is in the program
	for name, c := range map[string]struct {
		target instrument.Target
		want   want
	}{
		"main": {instrument.Target{Flags: []string{"-mod=vendor"}}, want{"main": "", "linked": "", "copied": "",
			"replaced": "l.go: the program is built from vendor/example.com/libm/l.go instead",
			"cgo":      "c.go: it imports \"C\", and cgo is off or a build constraint excludes it; set CGO_ENABLED=1 with a C compiler, or give -tags",
			"tagged":   "t_foo.go: its build constraint or its name excludes it; give -tags, or set GOOS",
			"test":     "main_test.go: it is a test, and the main function is run; select tests with -run",
			"other":    "main.go: its package is not part of it"}},
		"tags":     {instrument.Target{Flags: []string{"-mod=vendor", "-tags=foo"}}, want{"tagged": ""}},
		"replaced": {instrument.Target{Flags: []string{"-mod=mod"}}, want{"replaced": "", "copied": "l.go: its package is not part of it"}},
		"tests":    {instrument.Target{Flags: []string{"-mod=vendor"}, Test: true}, want{"test": "", "external": "", "main": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			c.target.Dir = filepath.Join(root, "app")
			sc := Scope{Dir: c.target.Dir, Flags: c.target.Flags, Env: []string{"GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0"}}
			has, err := sc.contentsOf(t.Context(), c.target)
			if err != nil {
				t.Fatal(err)
			}
			for mark, want := range c.want {
				if got := has.outside([]Side{sides["main"], sides[mark]}); got != want {
					t.Errorf("%s: %q, want %q", mark, got, want)
				}
			}
		})
	}
}

// TestDoesNotCompile: that is said rather than what it does to a condition, be
// the program built without breakpoints or not.
func TestDoesNotCompile(t *testing.T) {
	dir := module(t, "-- go.mod --\nmodule m\n\ngo 1.26\n-- main.go --\npackage main\n\nfunc main() {\n\tcc := 1\n\tprintln(c) //@a\n}\n")
	a := sidesOf(t, dir)["a"]
	b := []Breakpoint{{ID: "b1", If: "t1.c == t2.c", Sides: []Side{a, a}}}
	for _, plain := range []bool{true, false} {
		_, err := Build(t.Context(), instrument.Target{Dir: dir, ImportPath: "m"}, b, t.TempDir(), plain)
		var be *BuildError
		if !errors.As(err, &be) || !strings.Contains(err.Error(), "undefined: c") {
			t.Errorf("plain %v: %v", plain, err)
		}
	}
}

// TestNothingInside: a program without any of the breakpoints is not built.
func TestNothingInside(t *testing.T) {
	dir := module(t, "-- go.mod --\nmodule m\n\ngo 1.26\n-- main.go --\npackage main\n\nfunc main() {}\n-- x/x.go --\npackage x\n\nfunc X() {\n\tprintln() //@a\n}\n")
	a := sidesOf(t, dir)["a"]
	p, err := Build(t.Context(), instrument.Target{Dir: dir, ImportPath: "m"}, []Breakpoint{{ID: "b1", Sides: []Side{a, a}}}, t.TempDir(), false)
	if !errors.Is(err, ErrNothing) || p == nil || !slices.ContainsFunc(p.Breakpoints, func(n Numbered) bool { return n.Outside != "" && n.Lost != "" }) {
		t.Errorf("%v, %+v", err, p)
	}
}
