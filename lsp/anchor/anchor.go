package anchor

// Map maps the lines of an old text are in a new one. Lines start at 1.
// It is immutable and safe for concurrent use.
type Map struct {
	old, now *Text
	to       []int32 // per line of old, the line of now, 0 if there is none
	moved    []bool  // per line of old: found elsewhere than between its neighbours
	same     bool
}

// Between compares two texts.
func Between(old, now *Text) *Map {
	m := &Map{old: old, now: now, to: make([]int32, len(old.keys)), moved: make([]bool, len(old.keys))}
	a, b, n := intern(old.keys, now.keys)
	d := &differ{a: a, b: b, to: m.to, seenA: make([]occurrence, n), seenB: make([]occurrence, n)}
	d.align(0, len(a), 0, len(b), maxDepth)
	m.same = len(a) == len(b) && identity(m.to)
	if !m.same {
		followMoves(a, b, n, m)
	}
	return m
}

// Same reports whether the texts are the same, but for white space.
func (m *Map) Same() bool { return m.same }

// At returns where the line is now; false if it was changed or deleted, or
// never was in the old text.
func (m *Map) At(line int) (int, bool) {
	if line < 1 || line > len(m.to) || m.to[line-1] == 0 {
		return 0, false
	}
	return int(m.to[line-1]), true
}

// Near returns the line that a changed line became, as far as that is
// known: the one in its place, or one much like it between what were its
// neighbours. It is false for a line that was deleted.
func (m *Map) Near(line int) (int, bool) {
	if at, ok := m.At(line); ok {
		return at, true
	}
	if line < 1 || line > len(m.to) {
		return 0, false
	}
	before, after := m.neighbours(line)
	from, to := m.place(before)+1, m.place(after)-1
	if from > to {
		return 0, false
	}
	if to-from == after-before-2 {
		return from + line - before - 1, true
	}
	return m.mostLike(line, from, to)
}

// neighbours are the nearest lines before and after that are in place; 0 and
// one more than there are lines stand for the ends.
func (m *Map) neighbours(line int) (before, after int) {
	inPlace := func(l int) bool { return m.to[l-1] != 0 && !m.moved[l-1] }
	for before = line - 1; before > 0 && !inPlace(before); before-- {
	}
	for after = line + 1; after <= len(m.to) && !inPlace(after); after++ {
	}
	return before, after
}

func (m *Map) place(old int) int {
	switch {
	case old == 0:
		return 0
	case old > len(m.to):
		return len(m.now.keys) + 1
	}
	return int(m.to[old-1])
}

// maxGap bounds the lines that are looked at for one that was changed.
const maxGap = 64

// mostLike is the line of now from..to that has most in common with the line.
func (m *Map) mostLike(line, from, to int) (int, bool) {
	key, best, at := m.old.keys[line-1], 0, 0
	for l := from; l <= to && l < from+maxGap; l++ {
		if n := common(key, m.now.keys[l-1]); n > best {
			best, at = n, l
		}
	}
	return at, at > 0 && 2*best >= len(key)
}

// common is the length of the common start and end.
func common(a, b string) int {
	n, limit := 0, min(len(a), len(b))
	for n < limit && a[n] == b[n] {
		n++
	}
	k := 0
	for n+k < limit && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	return n + k
}

func identity(to []int32) bool {
	for i, l := range to {
		if int(l) != i+1 {
			return false
		}
	}
	return true
}

// intern numbers the lines: equal numbers, equal keys.
func intern(old, now []string) (a, b []int32, n int) {
	ids := make(map[string]int32, len(old))
	number := func(keys []string) []int32 {
		out := make([]int32, len(keys))
		for i, k := range keys {
			id, ok := ids[k]
			if !ok {
				id = int32(len(ids))
				ids[k] = id
			}
			out[i] = id
		}
		return out
	}
	a, b = number(old), number(now)
	return a, b, len(ids)
}

// followMoves finds lines that occur once in either text, wherever they went,
// and the lines around them that went along.
func followMoves(a, b []int32, n int, m *Map) {
	countA, countB, where := make([]int32, n), make([]int32, n), make([]int32, n)
	for _, id := range a {
		countA[id]++
	}
	for j, id := range b {
		countB[id]++
		where[id] = int32(j)
	}
	taken := make([]bool, len(b))
	for _, l := range m.to {
		if l > 0 {
			taken[l-1] = true
		}
	}
	join := func(i, j int) bool {
		if i < 0 || j < 0 || i >= len(a) || j >= len(b) || m.to[i] != 0 || taken[j] || a[i] != b[j] {
			return false
		}
		m.to[i], m.moved[i], taken[j] = int32(j+1), true, true
		return true
	}
	for i, id := range a {
		if countA[id] != 1 || countB[id] != 1 || !join(i, int(where[id])) {
			continue
		}
		j := int(where[id])
		for k := 1; join(i-k, j-k); k++ {
		}
		for k := 1; join(i+k, j+k); k++ {
		}
	}
}
