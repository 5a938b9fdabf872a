// Package standby has a primary and a standby that takes over.
package standby

import "sync/atomic"

const (
	nobody = iota
	primary
	backup
)

// cluster is what all sides know.
type cluster struct {
	missed  atomic.Int32 // beats of the primary that did not come
	leader  atomic.Int32
	elected atomic.Int32 // how often somebody became leader
}

func (c *cluster) become(who int32) {
	c.leader.Store(who)
	c.elected.Add(1)
}

// late reports whether too many beats did not come.
func (c *cluster) late() bool {
	return c.missed.Load() >= 2
}

// link loses two beats.
func (c *cluster) link() {
	for range 2 {
		c.missed.Add(1)
	}
}

// serve is the primary.
func (c *cluster) serve() {
	if c.late() {
		return // the standby will take over
	}
	c.become(primary)
}

// watch is the standby.
func (c *cluster) watch() {
	if !c.late() {
		return
	}
	if c.leader.Load() == nobody {
		c.become(backup)
	}
}
