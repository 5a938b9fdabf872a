// Blocks of a text are compressed by goroutines, with a small dictionary coder.
package main

import (
	"fmt"
	"sync"
)

type block struct {
	n   int
	in  []byte
	out []byte
}

func compress(in []byte) []byte {
	var table [1 << 12]int32
	out := make([]byte, 0, len(in))
	for i := range table {
		table[i] = -1
	}
	for i := 0; i < len(in); {
		if i+4 <= len(in) {
			h := (uint32(in[i]) | uint32(in[i+1])<<8 | uint32(in[i+2])<<16 | uint32(in[i+3])<<24) * 2654435761 >> 20
			at := int(table[h])
			table[h] = int32(i)
			if at >= 0 && i-at < 1<<15 {
				n := 0
				for i+n < len(in) && n < 255 && in[at+n] == in[i+n] {
					n++
				}
				if n >= 4 {
					out = append(out, 255, byte(n), byte(i-at), byte((i-at)>>8))
					i += n
					continue
				}
			}
		}
		out = append(out, in[i])
		i++
	}
	return out
}

func main() {
	text := make([]byte, 1<<16)
	x := uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = "the quick brown fox jumps over a lazy dog "[(x>>24)%40]
		if x>>30 == 0 && i > 100 {
			text[i] = text[i-100]
		}
	}
	work, done := make(chan *block), make(chan *block)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for b := range work {
				b.out = compress(b.in)
				done <- b
			}
		}()
	}
	go func() {
		for i := range 100 {
			work <- &block{n: i, in: text}
		}
		close(work)
		wg.Wait()
		close(done)
	}()
	size := 0
	for b := range done {
		size += len(b.out)
	}
	fmt.Println(size)
}
