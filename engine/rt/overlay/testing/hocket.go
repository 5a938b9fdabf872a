//go:build hocket_overlay

package testing

import _ "unsafe"

//go:linkname hkTestFail runtime.hkTestFail
func hkTestFail()

//go:linkname hkTestParallel runtime.hkTestParallel
func hkTestParallel()

//go:linkname hkAllocsCounted runtime.hkAllocsCounted
func hkAllocsCounted(d int32)
