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
	uses := map[string][]int{} // by the name of what the object is in
	rw := readLocked(f.t)
	base := func(t *trace.Trace, e *trace.Event) string {
		name, _ := trace.SplitOffset(t.Object(e.Obj).Name)
		return name
	}
	for i := range min(f.end, len(f.t.Events)) {
		if e := &f.t.Events[i]; (Counts(e.Op) && !releases(e.Op) || waitsToWrite(e, rw)) && e.Obj != 0 {
			name := base(f.t, e)
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
		who, n, looked := f.Late.Goroutine(late.G).Path, 0, 0
		for _, x := range slices.Backward(uses[base(f.Late, late)]) {
			e := &f.t.Events[x]
			if looked++; n == most || looked > maxSearched {
				break
			}
			if f.t.Goroutine(e.G).Path != who && f.conflict(e, late) {
				add(Literal{Before: x, After: ev, Late: true})
				n++
			}
		}
	}
	return out
}

// conflict reports whether the order of an event of the failing run and of a late one of
// the same allocation can matter.
func (f *finder) conflict(e, late *trace.Event) bool {
	if e.Op.IsMemory() != late.Op.IsMemory() {
		return false
	}
	x, y := f.t.Object(e.Obj).Name, f.Late.Object(late.Obj).Name
	if e.Op.IsMemory() {
		_, from := trace.SplitOffset(x)
		_, to := trace.SplitOffset(y)
		return (e.Writes() || late.Writes()) && from < to+size(late) && to < from+size(e)
	}
	pool := func(op trace.Op) bool { return op == trace.OpPoolGet || op == trace.OpPoolPut }
	return x == y && !pool(e.Op) && !pool(late.Op) && !commuting(e.Op, late.Op) && (changes(e) || changes(late))
}

// size is how many bytes an access is about, one of an atomic one: their objects are
// words.
func size(e *trace.Event) int64 {
	if e.Op >= trace.OpRead && e.Op <= trace.OpWriteRange && e.Aux > 0 {
		return int64(e.Aux)
	}
	return 1
}

// maxLate bounds the events that a late event is compared with.
const maxLate = 24

// maxSearched bounds the events among which those are looked for: of an allocation with
// very many accesses few may matter.
const maxSearched = 64 * maxLate
