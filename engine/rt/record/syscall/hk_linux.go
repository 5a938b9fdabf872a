//go:build hocket_overlay

package syscall

import (
	"sync"
	"unsafe"
)

// hkConnects orders connections: a listener of the same program accepts them as they
// were made.
var hkConnects sync.Mutex

func connect(s int, addr unsafe.Pointer, addrlen _Socklen) (err error) {
	hkConnects.Lock()
	err = hkOrigconnect(s, addr, addrlen)
	hkConnects.Unlock()
	return err
}
