package projection

import (
	"sort"

	"github.com/hocket-dev/hocket/engine/cause"
)

func sortInts(s []int) { sort.Ints(s) }

// matching pairs the events of two runs. -1 means that the other run has no
// such event.
type matching struct {
	toPass []int // per event of the failing run
	toFail []int // per event of the passing run
	fail   *run
	pass   *run // nil if there is no passing run
}

// align pairs the events of goroutines with the same path, a failure that was not
// recorded with nothing.
func align(fail, pass *run) *matching {
	m := cause.Match(fail.Trace, pass.Trace, cause.Counts)
	return &matching{toPass: padded(m.To, len(fail.events)), toFail: padded(m.From, len(pass.events)), fail: fail, pass: pass}
}

func padded(s []int, n int) []int {
	for len(s) < n {
		s = append(s, -1)
	}
	return s
}

func filled(n int) []int { return padded(nil, n) }
