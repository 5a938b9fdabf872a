//go:build hocket_overlay

package poll

func DupCloseOnExec(fd int) (int, string, error) { return hkOrigDupCloseOnExec(fd) }
