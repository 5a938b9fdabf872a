// Package logtail streams the lines of a log to whoever watches it.
package logtail

import (
	"strings"
	"sync"
)

// Tail is one watcher of a log.
type Tail struct {
	mu      sync.Mutex
	lines   chan string
	stopped bool
	skipped int
	match   string
}

// NewTail returns a tail of the lines with match in them. It keeps up to backlog
// lines for a watcher that is slow, and skips more.
func NewTail(match string, backlog int) *Tail {
	return &Tail{match: match, lines: make(chan string, backlog)}
}

// Lines are the lines; closed by Stop.
func (t *Tail) Lines() <-chan string { return t.lines }

// Offer hands the tail a line, and reports whether the watcher will see it. It
// never blocks: the log must not wait for those who watch.
func (t *Tail) Offer(line string) bool {
	if !strings.Contains(line, t.match) {
		return false
	}
	t.mu.Lock()
	if t.stopped {
		t.mu.Unlock()
		return false
	}
	t.mu.Unlock()

	select {
	case t.lines <- line:
		return true
	default:
		t.skip()
		return false
	}
}

func (t *Tail) skip() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.skipped++
}

// Skipped is how many lines the watcher was too slow for.
func (t *Tail) Skipped() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.skipped
}

// Stop ends the tail. It may be called more than once.
func (t *Tail) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	t.stopped = true
	close(t.lines)
}
