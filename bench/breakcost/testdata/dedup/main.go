// Command dedup finds equal blocks of a stream: a pipeline of goroutines that
// cut, hash, and look up under a lock.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
)

type store struct {
	mu   sync.Mutex
	seen map[[32]byte]int
	dups int64
}

func (s *store) add(sum [32]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	point(1, &s.dups)
	s.seen[sum]++ // hot
	if s.seen[sum] > 1 {
		s.dups++
	}
}

func (s *store) reset() {
	point(2, &s.dups)
	s.dups = 0 // never
}

func cut(blocks int, out chan<- []byte) {
	defer close(out)
	r := rand.New(rand.NewPCG(1, 2))
	for range blocks {
		b := make([]byte, 8<<10)
		seed := r.Uint64N(1 << 14)
		for i := 0; i < len(b); i += 8 {
			seed = seed*6364136223846793005 + 1442695040888963407
			binary.LittleEndian.PutUint64(b[i:], seed)
		}
		out <- b
	}
}

func main() {
	blocks, _ := strconv.Atoi(os.Args[1])
	in := make(chan []byte, 64)
	sums := make(chan [32]byte, 64)
	s := &store{seen: map[[32]byte]int{}}
	var hashers, adders sync.WaitGroup
	go cut(blocks, in)
	for range 4 {
		hashers.Go(func() {
			for b := range in {
				sums <- sha256.Sum256(b)
			}
		})
	}
	for range 2 {
		adders.Go(func() {
			for sum := range sums {
				s.add(sum)
			}
		})
	}
	hashers.Wait()
	close(sums)
	adders.Wait()
	if blocks < 0 {
		s.reset()
	}
	fmt.Println(len(s.seen) > 0, s.dups+int64(len(s.seen)) == int64(blocks))
}
