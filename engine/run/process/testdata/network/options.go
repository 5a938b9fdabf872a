package main

import (
	"context"
	"fmt"
	"net"
	"syscall"
)

// options sets options before and after connecting, and reads and writes the
// descriptors themselves.
func options() {
	fmt.Println("--- options")
	control := func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			say(syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, 15, 1)) // SO_REUSEPORT
		})
	}
	config := net.ListenConfig{Control: control}
	l, err := config.Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	second, err := config.Listen(context.Background(), "tcp", l.Addr().String())
	say(err, second.Close())
	d := net.Dialer{Control: control, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}
	a, err := d.Dial("tcp", l.Addr().String())
	if err != nil {
		panic(err)
	}
	b, err := l.Accept()
	say(err, a.LocalAddr().String() == b.RemoteAddr().String())
	raw, err := a.(*net.TCPConn).SyscallConn()
	if err != nil {
		panic(err)
	}
	say(raw.Control(func(fd uintptr) {
		v, err := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TYPE)
		say(v, err)
		peer, err := syscall.Getpeername(int(fd))
		say(peer.(*syscall.SockaddrInet4).Addr, err)
	}))
	say(raw.Write(func(fd uintptr) bool {
		n, err := syscall.Write(int(fd), []byte("raw"))
		say(n, err)
		return true
	}))
	get(b)
	go b.Write([]byte("answer"))
	say(raw.Read(func(fd uintptr) bool {
		data := make([]byte, 10)
		n, err := syscall.Read(int(fd), data)
		if err == syscall.EAGAIN {
			return false
		}
		say(data[:n], err)
		return true
	}))
	_, err = d.Dial("tcp", "127.0.0.1:1")
	say(err)
	_, err = net.Dial("unix", "/nowhere/at/all")
	say(err)
}
