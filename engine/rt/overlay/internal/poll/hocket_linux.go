//go:build hocket_overlay

package poll

import (
	"syscall"
	_ "unsafe"
)

//go:linkname hkDuplicated syscall.hkDuplicated
func hkDuplicated(old, fd int)

//go:linkname hkWritev syscall.hkWritev
func hkWritev(fd int, iovecs []syscall.Iovec) (n int, err error, ok bool)

func DupCloseOnExec(fd int) (int, string, error) {
	n, call, err := hkOrigDupCloseOnExec(fd)
	if err == nil {
		hkDuplicated(fd, n)
	}
	return n, call, err
}

func writev(fd int, iovecs []syscall.Iovec) (uintptr, error) {
	if n, err, ok := hkWritev(fd, iovecs); ok {
		return uintptr(max(n, 0)), err
	}
	return hkOrigwritev(fd, iovecs)
}
