package process_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/run"
)

const nils = `package odd

import (
	"container/list"
	"testing"
)

type conn struct{ id, uses int }

func (c *conn) name() int { return c.id } // TestInlined

type pool struct {
	all  map[string]*conn
	last *conn
	l    *list.List
	n    int
}

func (p *pool) afterAccess() int {
	p.n++
	c := p.last
	return c.uses // TestAfterAccess
}

func TestAfterAccess(t *testing.T) { println((&pool{}).afterAccess()) }

func TestAfterInlined(t *testing.T) {
	p := &pool{l: list.New()}
	p.n++
	p.n -= p.l.Front().Value.(int) // TestAfterInlined
}

func TestInlined(t *testing.T) { println((&pool{}).all["a"].name()) }
`

// The use of a nil pointer is told at its own line, not at that of the instruction
// before it, and in the function that it was inlined from.
func TestNilPlaces(t *testing.T) {
	lines := strings.Split(nils, "\n")
	for entry, p := range programEntries(t, nils, "TestAfterAccess", "TestAfterInlined", "TestInlined") {
		r, err := p.Run(t.Context(), run.Spec{Strategy: run.Replay, Record: run.Full})
		if err != nil {
			t.Fatal(err)
		}
		want := 1 + slices.IndexFunc(lines, func(s string) bool { return strings.HasSuffix(s, "// "+entry) })
		at, ok := r.Trace.UserFrame(r.Outcome.Stack)
		if !ok || at.Line != want {
			t.Errorf("%s: failed at line %d in %s, want %d", entry, at.Line, at.Func, want)
		}
	}
}
