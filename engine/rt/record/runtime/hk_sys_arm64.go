//go:build hocket_overlay

package runtime

const (
	hkSysFtruncate = 46
	hkSysGetpid    = 172
)
