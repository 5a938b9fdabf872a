//go:build hocket_overlay

package time

import _ "unsafe" // for linkname

// Readings of the clock, which are recorded: what a program does may depend on them.

//go:linkname hkNow runtime.hkNow
func hkNow() (sec int64, nsec int32, mono int64)

//go:linkname hkNano runtime.hkNano
func hkNano() int64

//go:linkname hkWhen runtime.hkWhen
func hkWhen(d int64) int64

//go:linkname hkLate runtime.hkLate
func hkLate(delta int64) int64
