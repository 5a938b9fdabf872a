//go:build hocket_overlay

package runtime

const (
	hkSysFstatfs   = 44
	hkSysFtruncate = 46
	hkSysGetpid    = 172
)
