// Command lucene is an index with a writer and a reader, after Lucene: closing
// takes the writer's monitor and then that of the documents' writer; a flush of
// the documents takes them the other way round (DOSSIER: BTrigger lucene, which
// knows the kind only; the methods are ours).
package main

import (
	"fmt"
	"strings"
	"sync"
)

func main() {
	w := newIndexWriter()
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range 400 {
			w.docs.add(i, strings.Repeat(fmt.Sprintf("word%d ", i%17), 60))
		}
		w.docs.flush()
	})
	wg.Go(func() { w.commit() })
	wg.Wait()
	fmt.Println("terms:", w.terms())
}

// indexWriter owns the segments.
type indexWriter struct {
	mu       sync.Mutex
	segments []segment
	docs     *documentsWriter
}

type segment map[string][]int

// documentsWriter gathers documents in memory.
type documentsWriter struct {
	mu      sync.Mutex
	pending segment
	of      *indexWriter
}

func newIndexWriter() *indexWriter {
	w := &indexWriter{}
	w.docs = &documentsWriter{pending: segment{}, of: w}
	return w
}

func (d *documentsWriter) add(id int, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for word := range strings.FieldsSeq(text) {
		d.pending[word] = append(d.pending[word], id)
	}
}

// flush hands the documents over, under the lock of the documents.
func (d *documentsWriter) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of.addSegment(d.pending)
	d.pending = segment{}
}

func (w *indexWriter) addSegment(s segment) {
	w.mu.Lock() // l1
	defer w.mu.Unlock()
	w.segments = append(w.segments, s)
}

// commit makes sure, under the writer's lock, that no documents are half added.
func (w *indexWriter) commit() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.docs.count() == 0 && len(w.segments) > 1 {
		w.segments = w.segments[:1]
	}
}

func (d *documentsWriter) count() int {
	d.mu.Lock() // l2
	defer d.mu.Unlock()
	return len(d.pending)
}

func (w *indexWriter) terms() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, s := range w.segments {
		n += len(s)
	}
	return n
}
