package ledger

import (
	"sync"
	"testing"
)

type book struct {
	journal, ledger, audit sync.Mutex
	rows                   int
}

func (b *book) post() {
	b.journal.Lock()
	defer b.journal.Unlock()
	b.ledger.Lock()
	b.rows++
	b.ledger.Unlock()
}

func (b *book) close() {
	b.ledger.Lock()
	defer b.ledger.Unlock()
	b.audit.Lock()
	b.rows++
	b.audit.Unlock()
}

func (b *book) check() {
	b.audit.Lock()
	defer b.audit.Unlock()
	b.journal.Lock()
	b.rows--
	b.journal.Unlock()
}

func (b *book) undo() {
	b.ledger.Lock()
	defer b.ledger.Unlock()
	b.journal.Lock()
	b.rows--
	b.journal.Unlock()
}

func TestPost(t *testing.T) {
	b := &book{}
	var wg sync.WaitGroup
	wg.Go(b.post)
	wg.Go(b.close)
	wg.Go(b.check)
	wg.Go(b.undo)
	wg.Wait()
	if b.rows != 0 {
		t.Errorf("rows %d", b.rows)
	}
}
