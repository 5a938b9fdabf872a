package cause

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
