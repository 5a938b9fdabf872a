//go:build hocket_overlay

package runtime

import "internal/runtime/atomic"

const (
	hkSysFstatfs   = 44
	hkSysFtruncate = 46
	hkSysGetpid    = 172
)

//go:nosplit
func hkPublish(p *uint32, v uint32) { atomic.StoreRel(p, v) }

//go:nosplit
func hkPublish64(p *uint64, v uint64) { atomic.StoreRel64(p, v) }
