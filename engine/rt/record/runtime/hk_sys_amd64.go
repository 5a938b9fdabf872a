//go:build hocket_overlay

package runtime

const (
	hkSysFstatfs   = 138
	hkSysFtruncate = 77
	hkSysGetpid    = 39
)

// hkPublish stores what is seen after all that was stored before. Here any store is; those
// of internal/runtime/atomic are exchanges, which cost more than the rest of an operation.

//go:nosplit
func hkPublish(p *uint32, v uint32) { *p = v }

//go:nosplit
func hkPublish64(p *uint64, v uint64) { *p = v }
