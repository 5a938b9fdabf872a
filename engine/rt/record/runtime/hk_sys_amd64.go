//go:build hocket_overlay

package runtime

const (
	hkSysFstatfs   = 138
	hkSysFtruncate = 77
	hkSysGetpid    = 39
)
