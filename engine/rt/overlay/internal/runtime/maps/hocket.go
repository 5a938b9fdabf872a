//go:build hocket_overlay

package maps

import _ "unsafe"

// hkMapOrder notes that an iterator took its order from the input of the run.
//
//go:linkname hkMapOrder runtime.hkMapOrder
func hkMapOrder()
