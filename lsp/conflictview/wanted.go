package conflictview

import (
	"sync"
	"time"
)

const (
	// Pause is how long saves must have paused before conflicts are renewed.
	Pause = time.Second
	// Look is when to look again while other jobs run.
	Look = 250 * time.Millisecond
)

// Wanted are the packages whose conflicts are to be found again, since they were
// saved. Safe for concurrent use.
type Wanted struct {
	mu   sync.Mutex
	last map[string]time.Time // by folder: the newest save
}

// Add records a save.
func (w *Wanted) Add(dir string, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.last = map[string]time.Time{}
	}
	w.last[dir] = now
}

// Take takes a folder whose saves have paused, unless other jobs run: dir is ""
// if there is none. wait is then when to look again, 0 if nothing is wanted.
func (w *Wanted) Take(now time.Time, busy bool) (dir string, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for d, saved := range w.last {
		left := Pause - now.Sub(saved)
		if left <= 0 && !busy {
			delete(w.last, d)
			return d, 0
		}
		if left <= 0 {
			left = Look
		}
		if wait == 0 || left < wait {
			wait = left
		}
	}
	return "", wait
}
