//go:build !race

package breakpoints

import "sync/atomic"

func raceOff() {}
func raceOn()  {}

type gate struct{ open uint32 }

func (g *gate) isOpen() bool { return atomic.LoadUint32(&g.open) != 0 }

func (g *gate) set(open bool) { atomic.StoreUint32(&g.open, word(open)) }

// counter counts visits.
type counter struct{ n atomic.Int64 }

func (c *counter) add() int { return int(c.n.Add(1)) }
func (c *counter) reset()   { c.n.Store(0) }
func (c *counter) get() int { return int(c.n.Load()) }

const raceBuild = false
