//go:build hocket_overlay

package sync

import _ "unsafe" // for linkname

// hkLockSlow is for the runtime, which locks a Mutex that is free by itself.
//
//go:linkname hkLockSlow
func hkLockSlow(m *Mutex) { m.lockSlow() }
