// Network prints what calls on connections within a process return. It prints
// the same under control, where they are in memory.
package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

func main() {
	dir, err := os.MkdirTemp("", "network")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	temporary = dir
	for _, n := range []network{
		{"tcp", "127.0.0.1:0"}, {"tcp", "[::1]:0"}, {"tcp", ":0"}, {"unix", filepath.Join(dir, "s")}, {"unix", "@" + filepath.Base(dir)},
		{"unixpacket", filepath.Join(dir, "p")},
	} {
		fmt.Println("---", n.name, report(n.addr))
		for _, s := range streams {
			a, b := n.pair()
			say(s.name)
			s.do(a, b)
			a.Close()
			b.Close()
		}
		n.listeners()
	}
	datagrams(dir)
	options()
}

type network struct{ name, addr string }

var temporary string

var numbers = regexp.MustCompile(`:\d{4,5}\b`)

// report is a text without what differs from run to run.
func report(x any) string {
	s := numbers.ReplaceAllString(fmt.Sprint(x), ":PORT")
	return regexp.MustCompile(regexp.QuoteMeta(temporary)+`|@network\d+`).ReplaceAllString(s, "TMP")
}

func say(args ...any) {
	for i := range args {
		if b, ok := args[i].([]byte); ok {
			args[i] = fmt.Sprintf("%q", b)
		}
	}
	fmt.Println(report(fmt.Sprintln(args...)))
}

func (n network) listen() net.Listener {
	l, err := net.Listen(n.name, n.addr)
	if err != nil {
		panic(err)
	}
	return l
}

// pair is both ends of a connection, the one that dialed first.
func (n network) pair() (a, b net.Conn) {
	l := n.listen()
	defer l.Close()
	a, err := net.Dial(n.name, l.Addr().String())
	if err != nil {
		panic(err)
	}
	if b, err = l.Accept(); err != nil {
		panic(err)
	}
	return a, b
}

func get(c net.Conn) {
	b := make([]byte, 10)
	n, err := c.Read(b)
	say("read", n, b[:max(n, 0)], err, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed), err == io.EOF)
	var ne net.Error
	if errors.As(err, &ne) {
		say("net.Error", ne.Timeout())
	}
}

func put(c net.Conn, s string) {
	n, err := c.Write([]byte(s))
	say("write", n, err, errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, net.ErrClosed))
}

type half interface {
	CloseWrite() error
	CloseRead() error
}

var streams = []struct {
	name string
	do   func(a, b net.Conn)
}{
	{"addresses", func(a, b net.Conn) {
		say(a.LocalAddr().Network(), a.RemoteAddr(), b.LocalAddr(), b.RemoteAddr())
		say(a.LocalAddr().String() == b.RemoteAddr().String(), a.RemoteAddr().String() == b.LocalAddr().String())
	}},
	{"data", func(a, b net.Conn) {
		put(a, "one")
		put(a, "two")
		get(b)
		put(b, "answer that is longer")
		get(a)
		a.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		get(a)
	}},
	{"close", func(a, b net.Conn) {
		put(a, "last")
		say(a.Close())
		get(b)
		get(b)
		put(b, "x")
		put(b, "y")
		get(b)
		say(b.(half).CloseWrite())
		say(a.Close())
		get(a)
		put(a, "x")
		say(a.SetDeadline(time.Now()))
		say(a.(half).CloseWrite())
	}},
	{"close with data not read", func(a, b net.Conn) {
		put(a, "lost")
		put(b, "found")
		say(b.Close())
		get(a)
		get(a)
		get(a)
		put(a, "x")
		put(a, "y")
		say(a.(half).CloseWrite())
	}},
	{"close with data not read, write first", func(a, b net.Conn) {
		put(a, "lost")
		say(b.Close())
		put(a, "x")
		put(a, "y")
		get(a)
	}},
	{"half close", func(a, b net.Conn) {
		put(a, "request")
		say(a.(half).CloseWrite())
		put(a, "x")
		get(b)
		get(b)
		put(b, "response")
		say(b.Close())
		get(a)
		get(a)
	}},
	{"half close, then reset", func(a, b net.Conn) {
		say(b.(half).CloseWrite())
		get(a)
		put(a, "lost")
		say(b.Close())
		put(a, "x")
		put(a, "y")
		get(a)
	}},
	{"close read", func(a, b net.Conn) {
		say(a.(half).CloseRead())
		get(a)
		put(a, "still")
		get(b)
	}},
	{"deadlines", func(a, b net.Conn) {
		a.SetDeadline(time.Unix(1, 0))
		get(a)
		put(a, "x")
		a.SetDeadline(time.Time{})
		put(a, "y")
		get(b)
		go func() {
			time.Sleep(20 * time.Millisecond)
			a.SetReadDeadline(time.Now())
		}()
		get(a)
	}},
	{"close under a read", func(a, b net.Conn) {
		go func() {
			time.Sleep(20 * time.Millisecond)
			a.Close()
		}()
		get(a)
	}},
	{"full", func(a, b net.Conn) {
		a.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
		total := 0
		for {
			n, err := a.Write(make([]byte, 64<<10))
			total += max(n, 0)
			if err != nil {
				say(errors.Is(err, os.ErrDeadlineExceeded))
				break
			}
		}
		say("between 200 KB and 32 MB", total > 200<<10 && total < 32<<20)
		a.(half).CloseWrite()
		rest, err := io.Copy(io.Discard, b)
		say("all of it", int(rest) == total, err)
	}},
	{"empty", func(a, b net.Conn) {
		put(a, "")
		put(a, "z")
		n, err := b.Read(nil)
		say(n, err)
		get(b)
	}},
	{"vectors", func(a, b net.Conn) {
		v := net.Buffers{[]byte("ab"), []byte("cd")}
		n, err := v.WriteTo(a)
		say(n, err)
		get(b)
	}},
	{"copy", func(a, b net.Conn) {
		go func() {
			io.Copy(b, b)
			b.(half).CloseWrite()
		}()
		put(a, "there and back")
		a.(half).CloseWrite()
		all, err := io.ReadAll(a)
		say(all, err)
	}},
	{"file", func(a, b net.Conn) {
		f, err := os.CreateTemp(temporary, "")
		if err != nil {
			panic(err)
		}
		f.WriteString("contents")
		f.Seek(0, 0)
		n, err := io.Copy(a, f)
		say(n, err)
		get(b)
	}},
	{"copies of descriptors", func(a, b net.Conn) {
		f, err := a.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			panic(err)
		}
		c, err := net.FileConn(f)
		say(err, f.Close(), a.Close())
		say(c.LocalAddr().String() == b.RemoteAddr().String(), c.RemoteAddr().Network())
		put(c, "by a copy")
		get(b)
		put(b, "back")
		get(c)
		say(c.Close())
		get(b)
	}},
	{"linger", func(a, b net.Conn) {
		if t, ok := a.(*net.TCPConn); ok {
			say(t.SetLinger(0), t.SetNoDelay(false), t.SetKeepAlive(true), t.SetReadBuffer(9000), t.SetWriteBuffer(9000))
			say(a.Close())
			get(b)
		}
	}},
}

func (n network) listeners() {
	say("listeners")
	l := n.listen()
	d := l.(interface{ SetDeadline(time.Time) error })
	d.SetDeadline(time.Now().Add(10 * time.Millisecond))
	_, err := l.Accept()
	say(err, errors.Is(err, os.ErrDeadlineExceeded))
	d.SetDeadline(time.Time{})
	a, err := net.Dial(n.name, l.Addr().String())
	say(err)
	put(a, "to nobody")
	say(l.Close())
	get(a)
	_, err = l.Accept()
	say(err, errors.Is(err, net.ErrClosed))
	_, err = net.Dial(n.name, l.Addr().String())
	say(err)
	l = n.listen()
	_, err = net.Listen(n.name, l.Addr().String())
	say(err)
	go func() {
		time.Sleep(20 * time.Millisecond)
		l.Close()
	}()
	_, err = l.Accept()
	say(err)
	l = n.listen()
	f, err := l.(interface{ File() (*os.File, error) }).File()
	if err != nil {
		panic(err)
	}
	copied, err := net.FileListener(f)
	say(err, f.Close())
	b, err := net.Dial(n.name, l.Addr().String())
	say(err)
	c, err := copied.Accept()
	say(err)
	put(b, "hello")
	get(c)
	copied.Close()
	l.Close()
}
