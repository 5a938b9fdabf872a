package process

// Tail is a writer that keeps the first and the last half of a long output. Its
// zero value is ready; it is for one goroutine at a time.
type Tail struct {
	head, end []byte
	cut       bool
}

// tailSize is how many bytes of an output are kept, at least.
const tailSize = 1 << 20

func (t *Tail) Write(b []byte) (int, error) {
	n := len(b)
	if room := tailSize/2 - len(t.head); room > 0 {
		k := min(room, len(b))
		t.head, b = append(t.head, b[:k]...), b[k:]
	}
	t.end = append(t.end, b...)
	if over := len(t.end) - tailSize/2; over > tailSize/4 {
		t.end, t.cut = append([]byte(nil), t.end[over:]...), true
	}
	return n, nil
}

// String is the output, with a line "[...]" for what was left out.
func (t *Tail) String() string {
	if t.cut {
		return string(t.head) + "\n[...]\n" + string(t.end)
	}
	return string(t.head) + string(t.end)
}
