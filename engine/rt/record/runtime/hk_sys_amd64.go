//go:build hocket_overlay

package runtime

const (
	hkSysFtruncate = 77
	hkSysGetpid    = 39
)
