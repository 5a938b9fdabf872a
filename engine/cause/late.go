package cause

import (
	"maps"
	"slices"

	"github.com/hocket-dev/hocket/engine/trace"
)

// compare takes a passing run as the one whose further events the failing run did not
// come to, and adds the literals about those.
func (f *finder) compare(t *trace.Trace, m *Matching) {
	f.Late, f.later = t, newSigner(t, Counts)
	// What a test does after it has failed came too late for the failure.
	came := func(ev int) bool { return ev >= 0 && ev < f.end }
	var pairs []Literal // with Before of the failing run
	for _, l := range candidates(t, len(t.Events)) {
		if l.Before == None {
			continue
		}
		switch a, b := m.From[l.Before], m.From[l.After]; {
		case !came(a) && came(b):
			pairs = append(pairs, Literal{Before: b, After: l.Before, Late: true})
		case came(a) && !came(b):
			pairs = append(pairs, Literal{Before: a, After: l.After, Late: true})
		}
	}
	more := f.late(pairs, came, m)
	f.all, f.cost = append(f.all, more...), append(f.cost, f.costs(more)...)
}

// late is the literals of pairs, each once, and those that what others did last with the
// same object came before what the failing run had not come to: which of these matters
// is not known, and in the passing run others may have come to other things.
func (f *finder) late(pairs []Literal, came func(int) bool, m *Matching) (out []Literal) {
	uses := map[string][]int{} // by the object's name
	rw := readLocked(f.t)
	for i := range min(f.end, len(f.t.Events)) {
		if e := &f.t.Events[i]; (Counts(e.Op) && !releases(e.Op) || waitsToWrite(e, rw)) && e.Obj != 0 {
			name := f.t.Object(e.Obj).Name
			uses[name] = append(uses[name], i)
		}
	}
	seen := map[Literal]bool{}
	add := func(l Literal) {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	events := map[int]bool{}
	for _, p := range pairs {
		add(p)
		events[p.After] = true
	}
	for i := range f.Late.Events {
		if e := &f.Late.Events[i]; Counts(e.Op) && !releases(e.Op) && e.Obj != 0 && hasGoroutine(f.Late, i) && !came(m.From[i]) {
			events[i] = true
		}
	}
	most := min(maxLate, maxLiterals/max(len(events), 1))
	for _, ev := range slices.Sorted(maps.Keys(events)) {
		late := &f.Late.Events[ev]
		who, n := f.Late.Goroutine(late.G).Path, 0
		for _, x := range slices.Backward(uses[f.Late.Object(late.Obj).Name]) {
			e := &f.t.Events[x]
			if n == most {
				break
			}
			if f.t.Goroutine(e.G).Path != who && (!e.Op.IsMemory() || e.Writes() || late.Writes()) {
				add(Literal{Before: x, After: ev, Late: true})
				n++
			}
		}
	}
	return out
}

// maxLate bounds the events that a late event is compared with.
const maxLate = 24
