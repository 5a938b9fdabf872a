package projection

import (
	"testing"

	"github.com/hocket-dev/hocket/engine/trace"
)

func TestWithoutUndone(t *testing.T) {
	const failing, other = trace.GID(2), trace.GID(3)
	a := &analysis{fail: &run{events: []trace.Event{{G: failing}}, fail: 0}}
	did := func(g trace.GID) entry { return entry{g: g} }
	late := func(g trace.GID) entry { return entry{g: g, late: true} }
	for _, c := range []struct {
		name string
		list []entry
		want int
	}{
		{"what it did not come to", []entry{did(failing), did(other), did(failing), late(failing), late(failing)}, 3},
		{"what another did not come to", []entry{did(failing), did(other), did(failing), late(other)}, 4},
		{"too little would be left", []entry{did(other), did(failing), late(failing)}, 3},
		{"nothing undone", []entry{did(failing), did(other), did(failing), did(other)}, 4},
	} {
		if got := a.withoutUndone(c.list); len(got) != c.want {
			t.Errorf("%s: %d steps, want %d", c.name, len(got), c.want)
		}
	}
}
