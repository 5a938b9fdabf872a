//go:build hocket_overlay

package sysrand

import _ "unsafe"

// hkRandom makes randomness an input of the run.
//
//go:linkname hkRandom runtime.hkRandom
func hkRandom(b []byte) bool
