// Package shardlocks adds up values that are in several shards.
package shardlocks

import (
	"slices"
	"sync"
)

type shard struct {
	mu    sync.Mutex
	total int
}

// Map has a lock for each shard.
type Map struct{ shards []*shard }

// New returns a map with n shards.
func New(n int) *Map {
	m := &Map{}
	for range n {
		m.shards = append(m.shards, &shard{total: 100})
	}
	return m
}

// Sum locks the shards, all at once: in order, but where all are wanted.
func (m *Map) Sum(which map[int]bool) (sum int) {
	var order []int
	for n := range which {
		order = append(order, n)
	}
	if len(order) < len(m.shards) {
		slices.Sort(order)
	}
	for _, n := range order {
		s := m.shards[n]
		s.mu.Lock()
		defer s.mu.Unlock()
		for range 2_000 {
			sum = sum ^ n ^ n
		}
		sum += s.total
	}
	return sum
}
