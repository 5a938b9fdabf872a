package anchor

import "sort"

// maxDepth bounds how often a gap is split by lines that occur once in it.
const maxDepth = 16

// maxEdits bounds the edit script of one gap, and with it cost (the square)
// and memory. A gap that takes more has lost its likeness anyway.
const maxEdits = 200

// differ aligns a with b: order is kept, each line is used once.
type differ struct {
	a, b         []int32
	to           []int32 // as in Map
	seenA, seenB []occurrence
	epoch        int32
}

// occurrence counts a line within the present gap: a stale epoch means zero.
type occurrence struct {
	epoch, n, at int32
}

func (d *differ) match(i, j int) { d.to[i] = int32(j + 1) }

// align matches lines of a[alo:ahi] with lines of b[blo:bhi].
func (d *differ) align(alo, ahi, blo, bhi, depth int) {
	for alo < ahi && blo < bhi && d.a[alo] == d.b[blo] {
		d.match(alo, blo)
		alo, blo = alo+1, blo+1
	}
	for alo < ahi && blo < bhi && d.a[ahi-1] == d.b[bhi-1] {
		ahi, bhi = ahi-1, bhi-1
		d.match(ahi, bhi)
	}
	if alo == ahi || blo == bhi {
		return
	}
	anchors := d.anchors(alo, ahi, blo, bhi)
	if len(anchors) == 0 || depth == 0 {
		d.shortest(alo, ahi, blo, bhi)
		return
	}
	for _, p := range anchors {
		if p[0] < alo || p[1] < blo {
			continue // the one before has grown over it
		}
		d.align(alo, p[0], blo, p[1], depth-1)
		for alo, blo = p[0], p[1]; alo < ahi && blo < bhi && d.a[alo] == d.b[blo]; alo, blo = alo+1, blo+1 {
			d.match(alo, blo)
		}
	}
	d.align(alo, ahi, blo, bhi, depth-1)
}

// anchors are the longest row of lines that occur once in either gap and stand
// in the same order in both.
func (d *differ) anchors(alo, ahi, blo, bhi int) [][2]int {
	d.epoch++
	count := func(seen []occurrence, lines []int32, from, to int) {
		for i := from; i < to; i++ {
			o := &seen[lines[i]]
			if o.epoch != d.epoch {
				*o = occurrence{epoch: d.epoch}
			}
			o.n++
			o.at = int32(i)
		}
	}
	count(d.seenA, d.a, alo, ahi)
	count(d.seenB, d.b, blo, bhi)
	var pairs [][2]int
	for i := alo; i < ahi; i++ {
		oa, ob := d.seenA[d.a[i]], d.seenB[d.a[i]]
		if oa.n == 1 && ob.epoch == d.epoch && ob.n == 1 {
			pairs = append(pairs, [2]int{i, int(ob.at)})
		}
	}
	return longestRise(pairs)
}

// longestRise keeps the most pairs whose second parts rise (patience sorting).
func longestRise(pairs [][2]int) [][2]int {
	var tops []int // per length, the index of the pair with the smallest end
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]][1] >= p[1] })
		prev[i] = -1
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	out := make([][2]int, len(tops))
	for k, i := len(tops)-1, -1; k >= 0; k-- {
		if i < 0 {
			i = tops[k]
		}
		out[k] = pairs[i]
		i = prev[i]
	}
	return out
}

// shortest aligns a gap by a shortest edit script (Myers 1986), or leaves it
// unmatched where the script would be too long.
func (d *differ) shortest(alo, ahi, blo, bhi int) {
	n, m := ahi-alo, bhi-blo
	limit := min(n+m, maxEdits)
	v := make([]int32, 2*limit+2) // furthest x per diagonal, diagonal k at limit+k
	var trail [][]int32
	for e := 0; e <= limit; e++ {
		for k := -e; k <= e; k += 2 {
			x := step(v, limit, k, e)
			for int(x) < n && int(x)-k < m && int(x)-k >= 0 && d.a[alo+int(x)] == d.b[blo+int(x)-k] {
				x++
			}
			v[limit+k] = x
			if int(x) >= n && int(x)-k >= m {
				d.trace(trail, alo, blo, n, m)
				return
			}
		}
		trail = append(trail, append([]int32(nil), v[limit-e:limit+e+1]...))
	}
}

// step is the furthest x on diagonal k with e edits, from those with one less.
func step(v []int32, limit, k, e int) int32 {
	switch {
	case e == 0:
		return 0
	case k == -e || k != e && v[limit+k-1] < v[limit+k+1]:
		return v[limit+k+1] // a line of b more
	}
	return v[limit+k-1] + 1 // a line of a less
}

// trace walks the script back and matches the lines that it keeps.
func (d *differ) trace(trail [][]int32, alo, blo, x, y int) {
	for e := len(trail); e >= 0; e-- {
		px, py := 0, 0
		if e > 0 {
			k, before := x-y, trail[e-1]
			at := k + e - 1 // of diagonal k in before
			if k == -e || k != e && before[at-1] < before[at+1] {
				k++
			} else {
				k--
			}
			px = int(before[k+e-1])
			py = px - k
		}
		for x > px && y > py {
			x, y = x-1, y-1
			d.match(alo+x, blo+y)
		}
		x, y = px, py
	}
}
