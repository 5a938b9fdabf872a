package build

import (
	"errors"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/target"
)

// What the go command suggests is part of an error.
func TestExplainInFull(t *testing.T) {
	d := &Driver{env: &target.Env{Module: "/m"}}
	for output, want := range map[string]string{
		"# m\na_test.go:6:2: no required module provides package x.y/z; to add it:\n\tgo get x.y/z\nb.go:1:1: more\n": "does not compile: a_test.go:6:2: no required module provides package x.y/z; to add it: go get x.y/z",
		"# m\n./a.go:3:4: cannot use c as S:\n\t\thave F()\n\t\twant F(int)\n./b.go:1:1: more\n":                      "does not compile: a.go:3:4: cannot use c as S: have F() want F(int)",
		"go: updates to go.mod needed; to update it:\n\tgo mod tidy\n":                                                "does not compile: go: updates to go.mod needed; to update it: go mod tidy",
		"# m\na.go:3:4: undefined: x\nb.go:1:1: more\n":                                                               "does not compile: a.go:3:4: undefined: x",
	} {
		got := d.explain(&instrument.BuildError{Output: output}, "/m")
		if got.Error() != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if err := errors.New("other"); d.explain(err, "/m") != err {
		t.Error("another error was changed")
	}
}
