package cause

import (
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// compare takes a passing run as the one whose further events the failing run did not
// come to, and adds the literals about those.
func (f *finder) compare(t *trace.Trace, m *Matching) {
	f.Late, f.later = t, newSigner(t, Counts)
	var pairs []Literal // with Before of the failing run
	for _, l := range candidates(t, len(t.Events)) {
		if l.Before == None {
			continue
		}
		switch a, b := m.From[l.Before], m.From[l.After]; {
		case a < 0 && b >= 0 && b < f.end:
			pairs = append(pairs, Literal{Before: b, After: l.Before, Late: true})
		case a >= 0 && a < f.end && b < 0:
			pairs = append(pairs, Literal{Before: a, After: l.After, Late: true})
		}
	}
	more := f.late(pairs)
	f.all, f.cost = append(f.all, more...), append(f.cost, f.costs(more)...)
}

// late is the literals of pairs, each once, with those that what the same goroutine did
// last with the same object came before the late event: in a loop it is not known which
// of them matters.
func (f *finder) late(pairs []Literal) (out []Literal) {
	type use struct {
		g   trace.GID
		obj trace.ObjID
	}
	of := func(ev int) use { return use{f.t.Events[ev].G, f.t.Events[ev].Obj} }
	last := map[use][]int{}
	for i := range min(f.end, len(f.t.Events)) {
		if Counts(f.t.Events[i].Op) {
			last[of(i)] = append(last[of(i)], i)
		}
	}
	seen := map[Literal]bool{}
	add := func(l Literal) {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	n := min(maxLate, maxLiterals/max(len(pairs), 1))
	for _, p := range pairs {
		add(p)
		uses := last[of(p.Before)]
		for _, x := range slices.Backward(uses[max(0, len(uses)-n):]) {
			add(Literal{Before: x, After: p.After, Late: true})
		}
	}
	return out
}

// maxLate bounds the events of one goroutine that a late event is compared with.
const maxLate = 16
