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
