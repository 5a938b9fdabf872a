// Package claimshard assigns the shards of an index to the nodes that serve them.
package claimshard

import (
	"errors"
	"fmt"
	"sync"
)

// ErrTaken is returned to a node that comes second.
var ErrTaken = errors.New("shard is taken")

// table is a map with a lock; the zero value is not usable, see newTable.
type table[K comparable, V any] struct {
	sync.RWMutex
	rows map[K]V
}

func newTable[K comparable, V any]() *table[K, V] {
	return &table[K, V]{rows: make(map[K]V)}
}

// get returns the row of key.
func (t *table[K, V]) get(key K) (V, bool) {
	t.RLock()
	defer t.RUnlock()
	row, ok := t.rows[key]
	return row, ok
}

// put replaces the row of key.
func (t *table[K, V]) put(key K, row V) {
	t.Lock()
	defer t.Unlock()
	t.rows[key] = row
}

// drop removes the row of key.
func (t *table[K, V]) drop(key K) {
	t.Lock()
	defer t.Unlock()
	delete(t.rows, key)
}

// Node serves shards.
type Node struct {
	Name string
}

// Assignment knows which node owns which shard.
type Assignment struct {
	shards int
	owners *table[int, Node]
}

// New returns an assignment of n shards, none of which has an owner.
func New(n int) *Assignment {
	return &Assignment{shards: n, owners: newTable[int, Node]()}
}

// Claim makes n the owner of the shard. A shard has one owner at most; to claim
// it again is no error.
func (a *Assignment) Claim(n Node, shard int) error {
	if shard < 0 || shard >= a.shards {
		return fmt.Errorf("shard %d of %d", shard, a.shards)
	}
	if owner, ok := a.owners.get(shard); ok {
		if owner == n {
			return nil
		}
		return fmt.Errorf("%w by %s", ErrTaken, owner.Name)
	}
	a.owners.put(shard, n)
	return nil
}

// Release gives a shard back.
func (a *Assignment) Release(shard int) {
	a.owners.drop(shard)
}

// Owner returns the name of the owner, empty if there is none.
func (a *Assignment) Owner(shard int) string {
	n, ok := a.owners.get(shard)
	if !ok {
		return ""
	}
	return n.Name
}
