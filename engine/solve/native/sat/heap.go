package sat

// heap orders variables by activity, highest first; equal ones by age.
type heap struct {
	activity []float64
	items    []Var
	index    []int32 // where in items; -1: not there
}

func (h *heap) grow(activity float64) {
	h.activity = append(h.activity, activity)
	h.index = append(h.index, -1)
}

func (h *heap) before(a, b Var) bool {
	if h.activity[a] != h.activity[b] {
		return h.activity[a] > h.activity[b]
	}
	return a < b
}

func (h *heap) insert(v Var) {
	if h.index[v] >= 0 {
		return
	}
	h.items = append(h.items, v)
	h.index[v] = int32(len(h.items) - 1)
	h.up(len(h.items) - 1)
}

func (h *heap) raise(v Var) {
	if i := h.index[v]; i >= 0 {
		h.up(int(i))
	}
}

func (h *heap) pop() (Var, bool) {
	if len(h.items) == 0 {
		return 0, false
	}
	top := h.items[0]
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	h.index[top] = -1
	if len(h.items) > 0 {
		h.items[0] = last
		h.index[last] = 0
		h.down(0)
	}
	return top, true
}

func (h *heap) up(i int) {
	v := h.items[i]
	for i > 0 {
		p := (i - 1) / 2
		if !h.before(v, h.items[p]) {
			break
		}
		h.items[i] = h.items[p]
		h.index[h.items[i]] = int32(i)
		i = p
	}
	h.items[i] = v
	h.index[v] = int32(i)
}

func (h *heap) down(i int) {
	v := h.items[i]
	for {
		c := 2*i + 1
		if c >= len(h.items) {
			break
		}
		if c+1 < len(h.items) && h.before(h.items[c+1], h.items[c]) {
			c++
		}
		if !h.before(h.items[c], v) {
			break
		}
		h.items[i] = h.items[c]
		h.index[h.items[i]] = int32(i)
		i = c
	}
	h.items[i] = v
	h.index[v] = int32(i)
}
