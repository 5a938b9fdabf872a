package native

// item is a thread that may go on with an event.
type item struct {
	rank          int64
	thread, event int32
}

func (a item) before(b item) bool {
	if a.rank != b.rank {
		return a.rank < b.rank
	}
	return a.event < b.event
}

// queue is a binary heap, lowest rank first.
type queue []item

func (q *queue) push(x item) {
	*q = append(*q, x)
	h := *q
	i := len(h) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !x.before(h[p]) {
			break
		}
		h[i] = h[p]
		i = p
	}
	h[i] = x
}

func (q *queue) pop() (item, bool) {
	h := *q
	if len(h) == 0 {
		return item{}, false
	}
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	for i := 0; len(h) > 0; {
		c := 2*i + 1
		if c >= len(h) {
			h[i] = x
			break
		}
		if c+1 < len(h) && h[c+1].before(h[c]) {
			c++
		}
		if !h[c].before(x) {
			h[i] = x
			break
		}
		h[i] = h[c]
		i = c
	}
	return top, true
}
