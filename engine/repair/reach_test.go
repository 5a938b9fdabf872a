package repair

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/internal/testmodule"
)

const reached = `-- go.mod --
module example.com/m

go 1.26
-- m.go --
package m

var queue = make(chan int)

var other = 1

var hook = func() { helper() }

type doer interface{ do() }

type s struct{}

func (s) do() { queue <- 1 }

func helper() int { return 2 }

func loop(d doer) { d.do() }

func alone() int { return other }
-- m_test.go --
package m

import "testing"

func TestQueue(t *testing.T) { <-queue }

func TestDo(t *testing.T) { loop(s{}) }

func TestHook(t *testing.T) { hook() }

func TestAlone(t *testing.T) { alone() }
`

// TestReaches: through calls, interfaces, functions in variables, and what variables start
// with.
func TestReaches(t *testing.T) {
	dir := testmodule.New(t, reached)
	c, err := Load(t.Context(), dir, []string{"."}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "m.go")
	for _, x := range []struct{ old, new, by string }{
		{"make(chan int)", "make(chan int, 1)", "TestQueue TestDo"},
		{"queue <- 1", "queue <- 3", "TestDo"},
		{"return 2", "return 3", "TestHook"},
		{"helper() }", "_ = helper() }", "TestHook"},
		{"other = 1", "other = 2", "TestAlone"},
		{"d.do() }", "go d.do() }", "TestDo"},
		{"func alone", "func init() {}\n\nfunc alone", ""},
	} {
		files := map[string][]byte{file: []byte(strings.Replace(string(c.Text(file)), x.old, x.new, 1))}
		var by []string
		for _, entry := range []string{"TestQueue", "TestDo", "TestHook", "TestAlone"} {
			if c.Reaches(entry, files) {
				by = append(by, entry)
			}
		}
		if got := strings.Join(by, " "); got != x.by {
			t.Errorf("%s: got %s, want %s", x.new, got, x.by)
		}
	}
}
