// Command stringbuffer is java.lang.StringBuffer: append(other) asks for the
// other's length, then takes so many of its characters; each call locks, but
// another goroutine may cut the other short in between (DOSSIER: StringBuf).
package main

import (
	"fmt"
	"sync"
)

func main() {
	parts := make([]*buffer, 60)
	for i := range parts {
		parts[i] = &buffer{}
		for range 400 {
			parts[i].appendString("abcdefgh")
		}
	}
	all := &buffer{}
	var wg sync.WaitGroup
	wg.Go(func() {
		for _, p := range parts {
			all.appendBuffer(p)
		}
	})
	wg.Go(func() {
		for i := len(parts) - 1; i >= 0; i-- {
			parts[i].lineUp()
			parts[i].setLength(8)
		}
	})
	wg.Wait()
	fmt.Println("characters:", all.length() > 0)
}

// buffer is a string that grows; every method locks it.
type buffer struct {
	mu    sync.Mutex
	value []byte
}

func (b *buffer) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.value)
}

func (b *buffer) getChars(from, to int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if to > len(b.value) {
		panic(fmt.Sprintf("string index out of range: %d of %d", to, len(b.value)))
	}
	return append([]byte(nil), b.value[from:to]...)
}

func (b *buffer) setLength(n int) {
	b.mu.Lock() // l2
	defer b.mu.Unlock()
	b.value = b.value[:n]
}

func (b *buffer) appendString(s string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.value = append(b.value, s...)
}

// appendBuffer is not atomic towards other.
func (b *buffer) appendBuffer(other *buffer) {
	n := other.length()
	chars := other.getChars(0, n) // l1
	b.mu.Lock()
	defer b.mu.Unlock()
	b.value = append(b.value, chars...)
}

// lineUp sorts the characters, as work to be done.
func (b *buffer) lineUp() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var count [256]int
	for _, c := range b.value {
		count[c]++
	}
	out := b.value[:0]
	for c, n := range count {
		for range n {
			out = append(out, byte(c))
		}
	}
	b.value = out
}
