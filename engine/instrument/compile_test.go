package instrument

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/internal/testmodule"
)

// Compile puts flags beside the user's, and tells a program that
// does not compile from a go command that can't be started.
func TestCompile(t *testing.T) {
	dir := testmodule.New(t, `-- go.mod --
module m

go 1.26
-- main.go --
package main

var set = "no"

func main() { println(set + tagged) }
-- tagged.go --
//go:build mine

package main

const tagged = "!"
-- m_test.go --
package main

import "testing"

func TestM(*testing.T) {}
-- none/none.go --
package none
`)
	main := Target{Dir: dir, ImportPath: "m", Flags: []string{"-tags=mine"}}
	out := filepath.Join(t.TempDir(), "m")
	if err := main.Compile(t.Context(), "go", out, []string{"-ldflags=-X=main.set=yes"}, []string{"CGO_ENABLED=0"}); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(out).CombinedOutput(); err != nil || string(text) != "yes!\n" {
		t.Errorf("the program says %q, %v", text, err)
	}
	test := main
	test.Test = true
	if err := test.Compile(t.Context(), "go", out+".test", nil, nil); err != nil {
		t.Error(err)
	}
	if text, err := exec.Command(out+".test", "-test.list=.").Output(); err != nil || string(text) != "TestM\n" {
		t.Errorf("the tests are %q, %v", text, err)
	}

	bad := main
	bad.Flags = nil
	var be *BuildError
	if err := bad.Compile(t.Context(), "go", out+"1", nil, nil); !errors.As(err, &be) || !strings.Contains(be.Output, "undefined: tagged") {
		t.Errorf("got %v", err)
	}
	if err := main.Compile(t.Context(), filepath.Join(dir, "missing"), out+"2", nil, nil); !errors.Is(err, os.ErrNotExist) || errors.As(err, new(*BuildError)) {
		t.Errorf("got %v", err)
	}
	none := Target{Dir: filepath.Join(dir, "none"), ImportPath: "m/none", Test: true}
	if err := none.Compile(t.Context(), "go", out+"3", nil, nil); !errors.Is(err, ErrNoTests) {
		t.Errorf("got %v", err)
	}
}
