// Package buffers encodes records with buffers that are used again.
package buffers

import (
	"errors"
	"sync"
	"sync/atomic"
)

type buffer struct {
	inUse atomic.Bool
	data  []byte
}

var pool = sync.Pool{New: func() any { return new(buffer) }}

func free(b *buffer) {
	b.inUse.Store(false)
	pool.Put(b)
}

// Encode returns a sum of a record's bytes.
func Encode(record []byte) (sum uint32, err error) {
	b := pool.Get().(*buffer)
	if !b.inUse.CompareAndSwap(false, true) {
		panic("a buffer is used twice")
	}
	defer free(b)
	if len(record) == 0 {
		free(b) // the deferred call does so, too
		return 0, errors.New("an empty record")
	}
	b.data = append(b.data[:0], record...)
	for range 300 {
		for _, c := range b.data {
			sum = (sum ^ uint32(c)) * 16777619
		}
	}
	return sum, nil
}
