package cause

import "github.com/hocket-dev/hocket/engine/trace"

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

// late is the literals of pairs, each once, with those that what others did with a late
// event's object came before it: which of these matters is not known.
func (f *finder) late(pairs []Literal) (out []Literal) {
	uses := map[trace.ObjID][]int{}
	for i := range min(f.end, len(f.t.Events)) {
		if e := &f.t.Events[i]; Counts(e.Op) && hasGoroutine(f.t, i) {
			uses[e.Obj] = append(uses[e.Obj], i)
		}
	}
	seen := map[Literal]bool{}
	add := func(l Literal) {
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	most := min(maxLate, maxLiterals/max(len(pairs), 1))
	for _, p := range pairs {
		add(p)
		x, late := &f.t.Events[p.Before], &f.Late.Events[p.After]
		who, changes := f.Late.Goroutine(late.G).Path, !isMemory(x.Op) || writes(late)
		of := uses[x.Obj]
		for k, n := len(of)-1, 0; k >= max(0, len(of)-maxLooked) && n < most; k-- {
			o := &f.t.Events[of[k]]
			if of[k] != p.Before && (changes || writes(o)) && f.t.Goroutine(o.G).Path != who {
				add(Literal{Before: of[k], After: p.After, Late: true})
				n++
			}
		}
	}
	return out
}

// maxLate bounds the events that a late event is compared with.
const maxLate = 24
