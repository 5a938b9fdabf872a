package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

func datagrams(dir string) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", ":0"} {
		fmt.Println("--- udp", addr)
		server, err := net.ListenPacket("udp", addr)
		if err != nil {
			panic(err)
		}
		c, err := net.Dial("udp", server.LocalAddr().String())
		if err != nil {
			panic(err)
		}
		put(c, "one")
		put(c, "")
		put(c, "a longer message")
		var from net.Addr
		for range 3 {
			from = take(server)
		}
		say("answers to", from.String() == c.LocalAddr().String())
		n, err := server.WriteTo([]byte("answer"), from)
		say(n, err)
		get(c)
		other, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		other.WriteTo([]byte("not for you"), c.LocalAddr())
		c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		get(c)
		c.SetReadDeadline(time.Time{})
		_, err = c.Write(make([]byte, 70000))
		say(err)
		_, err = c.(*net.UDPConn).WriteTo([]byte("x"), from)
		say(err)
		say(server.Close())
		put(c, "to nobody")
		get(c)
		say(c.Close(), other.Close())
		take(server)
	}
	fmt.Println("--- unixgram")
	path := filepath.Join(dir, "g")
	server, err := net.ListenPacket("unixgram", path)
	if err != nil {
		panic(err)
	}
	c, err := net.Dial("unixgram", path)
	if err != nil {
		panic(err)
	}
	put(c, "one")
	put(c, "two")
	take(server)
	take(server)
	c.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	for err == nil {
		_, err = c.Write([]byte("more"))
	}
	say(err)
	say(server.Close())
	put(c, "to nobody")
	rights(dir)
}

func take(p net.PacketConn) net.Addr {
	b := make([]byte, 5)
	n, from, err := p.ReadFrom(b)
	say("from", n, b[:max(n, 0)], from, err)
	return from
}

// rights passes a descriptor through a connection.
func rights(dir string) {
	a, b := network{"unix", filepath.Join(dir, "r")}.pair()
	f, err := os.Create(filepath.Join(dir, "file"))
	if err != nil {
		panic(err)
	}
	n, oobn, err := a.(*net.UnixConn).WriteMsgUnix([]byte("take it"), syscall.UnixRights(int(f.Fd())), nil)
	say(n, oobn, err, f.Close())
	put(a, " and more")
	data, control := make([]byte, 20), make([]byte, 100)
	n, oobn, _, _, err = b.(*net.UnixConn).ReadMsgUnix(data, control)
	say(data[:n], err)
	msgs, err := syscall.ParseSocketControlMessage(control[:oobn])
	if err != nil || len(msgs) != 1 {
		panic(fmt.Sprint(msgs, err))
	}
	fds, err := syscall.ParseUnixRights(&msgs[0])
	if err != nil {
		panic(err)
	}
	g := os.NewFile(uintptr(fds[0]), "passed")
	m, err := g.WriteString("through it")
	say(m, err, g.Close())
	text, err := os.ReadFile(filepath.Join(dir, "file"))
	say(text, err)
	get(b)
	raw, err := b.(*net.UnixConn).SyscallConn()
	if err != nil {
		panic(err)
	}
	say(raw.Control(func(fd uintptr) {
		who, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		say(who.Pid == int32(os.Getpid()), who.Uid, who.Gid, err)
	}))
	a.Close()
	b.Close()
}
