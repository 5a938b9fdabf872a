package program

import (
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

func TestProblems(t *testing.T) {
	list := packages.Error{Pos: "-", Msg: "# example.com/a\n./a.go:2:1: broken", Kind: packages.ListError}
	for _, c := range []struct {
		errs []packages.Error
		want string
	}{
		{nil, ""},
		{[]packages.Error{list}, "./a.go:2:1: broken"},
		{[]packages.Error{list, {Pos: "/m/a.go:2:1", Msg: "undefined: x", Kind: packages.TypeError}}, "/m/a.go:2:1: undefined: x"},
		{[]packages.Error{{Pos: "/m/a.go:1:1", Msg: "p", Kind: packages.ParseError}, {Pos: "/m/a.go:2:2", Msg: "q", Kind: packages.ParseError},
			{Pos: "/m/b.go:1:1", Msg: "r", Kind: packages.ParseError}, {Pos: "/m/b.go:3:1", Msg: "t", Kind: packages.TypeError}}, "/m/a.go:1:1: p|/m/b.go:1:1: r"},
		{[]packages.Error{{Msg: "no Go files in /m", Kind: packages.ListError}}, "-: no Go files in /m"},
	} {
		if got, _ := problems(c.errs); strings.Join(got, "|") != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
