package lazy

import (
	"sync"
	"testing"
)

type table struct{ rows map[int]string }

type lazy struct {
	mu   sync.Mutex
	t    *table
	uses int
	log  []string
}

func (l *lazy) get() *table {
	if l.t == nil {
		l.mu.Lock()
		if l.t == nil {
			t := &table{rows: map[int]string{}}
			l.t = t
			t.rows[1] = "one"
			l.log = append(l.log, "made")
		}
		l.mu.Unlock()
	}
	return l.t
}

func (l *lazy) row() string {
	s := l.get().rows[1]
	if s == "" {
		l.uses--
	}
	return s
}

func (l *lazy) note() {
	l.mu.Lock()
	n := len(l.log)
	l.mu.Unlock()
	if n > 0 {
		l.uses++
	}
}

func TestLazy(t *testing.T) {
	l := &lazy{}
	var wg sync.WaitGroup
	wg.Go(func() { l.row() })
	wg.Go(func() { l.row() })
	wg.Go(l.note)
	wg.Go(l.note)
	wg.Wait()
}
