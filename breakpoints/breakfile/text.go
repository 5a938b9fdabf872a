package breakfile

import "sync"

// Text is the text of a file in which many places are looked for: it is parsed
// once. It may be used by several goroutines at once.
type Text struct {
	src []byte

	mu     sync.Mutex
	parsed bool
	source *source
	err    error
}

// NewText prepares a text, which must not be changed afterwards.
func NewText(src []byte) *Text { return &Text{src: src} }

// Locate is as the function of that name.
func (t *Text) Locate(p Place) (Location, error) {
	if len(scan([]byte(p.Text))) == 0 {
		return Location{}, &LostError{p, "the breakpoints file has no text for it; remove it and set it again"}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read()
	q := newSearch(p)
	if t.err != nil {
		return q.inBroken(t.src, t.err)
	}
	h, why := q.inFile(t.source)
	if h == nil {
		return Location{}, &LostError{p, why}
	}
	return q.located(t.source, h), nil
}

// Fingerprint is as the function of that name.
func (t *Text) Fingerprint(file string, line, col int) (Place, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read(); t.err != nil {
		return Place{}, errUnreadable(t.err)
	}
	return t.source.fingerprint(t.src, file, line, col)
}

// read parses the text; the mutex is held.
func (t *Text) read() {
	if !t.parsed {
		t.source, t.err = parse(t.src)
		t.parsed = true
	}
}
