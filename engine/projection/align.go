package projection

import (
	"hash/maphash"
	"sort"

	"github.com/hocket-dev/hocket/engine/trace"
)

func sortInts(s []int) { sort.Ints(s) }

// matching pairs the events of two runs. -1 means that the other run has no
// such event.
type matching struct {
	toPass []int // per event of the failing run
	toFail []int // per event of the passing run
	common int   // pairs
	fail   *run
	pass   *run // nil if there is no passing run
}

// align pairs the events of goroutines with the same path: the longest common
// subsequence by operation, call stack and object.
func align(fail, pass *run) *matching {
	m := &matching{toPass: filled(len(fail.events)), toFail: filled(len(pass.events)), fail: fail, pass: pass}
	seed := maphash.MakeSeed()
	byPath := map[string]trace.GID{}
	for _, g := range pass.Goroutines[1:] {
		byPath[g.Path] = g.ID
	}
	for _, g := range fail.Goroutines[1:] {
		pg, ok := byPath[g.Path]
		if !ok || int(g.ID) >= len(fail.byG) || int(pg) >= len(pass.byG) {
			continue
		}
		fi, fs := fail.signatures(g.ID, seed)
		pi, ps := pass.signatures(pg, seed)
		for _, pair := range lcs(fs, ps) {
			m.toPass[fi[pair[0]]] = pi[pair[1]]
			m.toFail[pi[pair[1]]] = fi[pair[0]]
			m.common++
		}
	}
	return m
}

func filled(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// signatures of a goroutine's events that count, with their indexes.
func (r *run) signatures(g trace.GID, seed maphash.Seed) (index []int, sigs []uint64) {
	for _, i := range r.byG[g] {
		e := &r.events[i]
		if isNoise(e.Op) {
			continue
		}
		var h maphash.Hash
		h.SetSeed(seed)
		h.WriteByte(byte(e.Op))
		for _, f := range r.stack(i) {
			h.WriteString(f.File)
			h.WriteByte(byte(f.Line))
			h.WriteByte(byte(f.Line >> 8))
		}
		if int(e.Obj) < len(r.Objects) {
			h.WriteString(r.Objects[e.Obj].Name)
		}
		index = append(index, i)
		sigs = append(sigs, h.Sum64())
	}
	return index, sigs
}

// maxEdits bounds the search for the longest common subsequence; runs further
// apart are matched greedily.
const maxEdits = 1200

// lcs returns index pairs of a longest common subsequence (Myers 1986).
func lcs(a, b []uint64) [][2]int {
	var out [][2]int
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		out = append(out, [2]int{n, n})
		n++
	}
	ta, tb := len(a), len(b)
	for ta > n && tb > n && a[ta-1] == b[tb-1] {
		ta--
		tb--
	}
	mid := myers(a[n:ta], b[n:tb])
	for _, p := range mid {
		out = append(out, [2]int{p[0] + n, p[1] + n})
	}
	for i := ta; i < len(a); i++ {
		out = append(out, [2]int{i, tb + i - ta})
	}
	return out
}

func myers(a, b []uint64) [][2]int {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	limit := min(len(a)+len(b), maxEdits)
	v := make([]int, 2*limit+2)
	var history [][]int
	for d := 0; d <= limit; d++ {
		history = append(history, append([]int(nil), v[limit-d:limit+d+1]...))
		for k := -d; k <= d; k += 2 {
			x := step(v, limit, d, k)
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[limit+k] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(history, a, b, d)
			}
		}
	}
	return greedy(a, b)
}

// step is the furthest start on diagonal k with d edits, from those of d-1.
func step(v []int, limit, d, k int) int {
	switch {
	case d == 0:
		return 0
	case k == -d || k != d && v[limit+k-1] < v[limit+k+1]:
		return v[limit+k+1]
	}
	return v[limit+k-1] + 1
}

func backtrack(history [][]int, a, b []uint64, d int) [][2]int {
	var out [][2]int
	x, y := len(a), len(b)
	for ; d > 0; d-- {
		v := history[d] // of d-1 edits, diagonals -d..d
		k := x - y
		at := func(k int) int { return v[k+d] }
		var pk int
		if k == -d || k != d && at(k-1) < at(k+1) {
			pk = k + 1
		} else {
			pk = k - 1
		}
		px := at(pk)
		py := px - pk
		for x > px && y > py && a[x-1] == b[y-1] {
			x--
			y--
			out = append(out, [2]int{x, y})
		}
		x, y = px, py
	}
	for x > 0 && y > 0 {
		x--
		y--
		out = append(out, [2]int{x, y})
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// greedy takes each event's next occurrence.
func greedy(a, b []uint64) [][2]int {
	where := map[uint64][]int{}
	for j, s := range b {
		where[s] = append(where[s], j)
	}
	var out [][2]int
	next := 0
	for i, s := range a {
		l := where[s]
		for len(l) > 0 && l[0] < next {
			l = l[1:]
		}
		where[s] = l
		if len(l) > 0 {
			out = append(out, [2]int{i, l[0]})
			next = l[0] + 1
		}
	}
	return out
}
