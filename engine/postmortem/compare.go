package postmortem

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/hocket-dev/hocket/engine/core"
	"github.com/hocket-dev/hocket/engine/rounds"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Difference is a variable that has another value in the core than at the aligned point.
type Difference struct {
	Path          string
	Core, Passing string
	Shared        bool // several goroutines of the passing run use it: a critical shared variable

	addr uint64 // in the passing run
	size uint64
}

// Comparison is what two states differ in.
type Comparison struct {
	Compared    int // variables with a path in both
	Shared      int // of those: several goroutines use them
	Differences []Difference
}

// Critical are the critical shared variables.
func (c *Comparison) Critical() (out []Difference) {
	for _, d := range c.Differences {
		if d.Shared {
			out = append(out, d)
		}
	}
	return out
}

// compare compares the variables of a core with those of a passing run, of which t is
// the trace. A variable that lies in another one's place is left to that.
func compare(failed, passed []core.Value, t *trace.Trace) Comparison {
	shared := sharedOf(t)
	then := make(map[string]*core.Value, len(failed))
	for i := range failed {
		then[failed[i].Path] = &failed[i]
	}
	var c Comparison
	for _, now := range passed {
		before := then[now.Path]
		if before == nil || isRounds(now.Path) {
			continue
		}
		c.Compared++
		size := uint64(max(now.Size, 1))
		both := now.Addr != 0 && shared.has(now.Addr, size)
		if both {
			c.Shared++
		}
		if before.Text != now.Text {
			c.Differences = append(c.Differences, Difference{now.Path, before.Text, now.Text, both, now.Addr, size})
		}
	}
	slices.SortStableFunc(c.Differences, func(a, b Difference) int {
		return cmp.Or(boolCompare(b.Shared, a.Shared), strings.Compare(a.Path, b.Path))
	})
	return c
}

// isRounds is true of counters that the program of the user has not.
func isRounds(path string) bool {
	_, name, _ := strings.Cut(path, ": ")
	return strings.HasPrefix(name, rounds.Variable)
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// addresses is a sorted set.
type addresses []uint64

// has reports whether some address lies in size bytes from one on.
func (a addresses) has(from, size uint64) bool {
	i := sort.Search(len(a), func(i int) bool { return a[i] >= from })
	return i < len(a) && a[i] < from+size
}

// sharedOf are the places that two goroutines of a run use.
func sharedOf(t *trace.Trace) addresses {
	first, several := map[uint64]trace.GID{}, map[uint64]bool{}
	for _, e := range t.Events {
		addr := t.Object(e.Obj).Addr
		if e.Obj == 0 || addr == 0 {
			continue
		}
		if g, ok := first[addr]; !ok {
			first[addr] = e.G
		} else if g != e.G {
			several[addr] = true
		}
	}
	out := make(addresses, 0, len(several))
	for a := range several {
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}
