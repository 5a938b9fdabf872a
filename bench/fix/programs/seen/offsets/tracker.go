// Package offsets tracks how far the consumers of a partitioned log have come.
package offsets

import (
	"fmt"
	"sync/atomic"
)

// partition is the state of one partition.
type partition struct {
	committed atomic.Int64 // highest offset that was committed, -1 before the first
	commits   atomic.Int64
}

// Tracker has the committed offset of each partition. It may be used by many
// consumers at once.
type Tracker struct {
	topic string
	parts []partition
}

// NewTracker returns a tracker of n partitions at the start of the log.
func NewTracker(topic string, n int) *Tracker {
	t := &Tracker{topic: topic, parts: make([]partition, n)}
	for i := range t.parts {
		t.parts[i].committed.Store(-1)
	}
	return t
}

// Commit notes that all up to and with offset was handled. Batches are committed
// in any order: a smaller offset than the committed one changes nothing.
func (t *Tracker) Commit(part int, offset int64) error {
	if part < 0 || part >= len(t.parts) {
		return fmt.Errorf("commit to %s: partition %d of %d", t.topic, part, len(t.parts))
	}
	if offset < 0 {
		return fmt.Errorf("commit to %s/%d: offset %d", t.topic, part, offset)
	}
	p := &t.parts[part]
	p.commits.Add(1)
	if offset <= p.committed.Load() {
		return nil // a late batch
	}
	p.committed.Store(offset)
	return nil
}

// Committed is the highest offset committed to a partition, -1 before the first.
func (t *Tracker) Committed(part int) int64 {
	return t.parts[part].committed.Load()
}

// Lag is by how much the partitions are behind the ends of the log.
func (t *Tracker) Lag(ends []int64) (lag int64) {
	for i, end := range ends {
		if i >= len(t.parts) {
			break
		}
		if behind := end - 1 - t.Committed(i); behind > 0 {
			lag += behind
		}
	}
	return lag
}

// Commits is how many commits were made, late ones included.
func (t *Tracker) Commits() (n int64) {
	for i := range t.parts {
		n += t.parts[i].commits.Load()
	}
	return n
}
