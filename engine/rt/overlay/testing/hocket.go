//go:build hocket_overlay

package testing

import _ "unsafe"

//go:linkname hkTestFail runtime.hkTestFail
func hkTestFail()
