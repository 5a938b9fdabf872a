//go:build race

package breakpoints

import "runtime"

// The detector must not take the points' own locks for synchronisation of the
// program: that would hide the races which the points provoke. Without those
// locks it would report the points' own state, so that this package's functions
// are marked norace, and shared state is kept out of what package runtime
// reports by itself (maps that change, slices that grow).
func raceOff() { runtime.RaceDisable() }
func raceOn()  { runtime.RaceEnable() }

// gate is read without atomics, which would synchronise the program.
type gate struct{ open uint32 }

//go:norace
func (g *gate) isOpen() bool { return g.open != 0 }

//go:norace
func (g *gate) set(open bool) { g.open = word(open) }

// counter may lose a count here and there, as it synchronises nobody.
type counter struct{ n int }

//go:norace
func (c *counter) add() int { c.n++; return c.n }

//go:norace
func (c *counter) reset() { c.n = 0 }

//go:norace
func (c *counter) get() int { return c.n }

const raceBuild = true
