//go:build race

package breakpoints

import "runtime"

// The detector must not take the points' own locks for synchronisation of the
// program: that would hide the races which the points provoke.
func raceOff() { runtime.RaceDisable() }
func raceOn()  { runtime.RaceEnable() }
