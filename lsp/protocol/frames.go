package protocol

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// MaxMessage is the length in bytes of the longest message that is read. Longer
// ones are refused with an error and skipped.
const MaxMessage = 64 << 20

const (
	maxLine = 8 << 10 // of a header; a longer line is not a header
	overlap = 128     // bytes that a header has at most
)

// lengthField finds the header that every message starts with. The same text
// can't stand inside a well-formed JSON message: there a line break never
// follows the number directly. So it is also what reading resumes at when a
// message was longer or shorter than it said.
var lengthField = regexp.MustCompile(`(?i)content-length:[ \t]*([0-9]{1,18})[ \t]*\r?\n$`)

// findHeader finds the first header in b: it begins at start and ends before
// end. start is -1 if there is none. Time goes by the number of line breaks,
// which JSON has few of, not by the length.
func findHeader(b []byte) (start, end, length int) {
	for from := 0; ; from = end {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1, 0, 0
		}
		end = from + i + 1
		if head := bytes.TrimRight(b[from:end], " \t\r\n"); len(head) == 0 || head[len(head)-1] < '0' || head[len(head)-1] > '9' {
			continue
		}
		from = max(from, end-overlap)
		if m := lengthField.FindSubmatchIndex(b[from:end]); m != nil {
			length, _ = strconv.Atoi(string(b[from+m[2] : from+m[3]]))
			return from + m[0], end, length
		}
	}
}

// otherField is any further header field, ignored.
var otherField = regexp.MustCompile(`^[A-Za-z0-9-]+:[^\r\n]*\r?\n$`)

// frames reads the base protocol: header fields, an empty line, a body of
// Content-Length bytes (LSP specification, "Base Protocol").
type frames struct {
	src  io.Reader
	buf  []byte // read from src and not used yet
	lost bool   // the bytes being read belong to no message; was reported once
	// onLost is called when the framing is lost, once until a header is found.
	onLost func(why string)
}

// next returns the body of the next message. Whatever is not a message is skipped
// and reported. The error is that of the stream; io.EOF also ends a message that
// was cut short.
func (f *frames) next() ([]byte, error) {
	length, fields := -1, false
	for {
		line, err := f.line()
		if err != nil {
			return nil, err
		}
		switch start, _, n := findHeader(line); {
		case start >= 0:
			if start > 0 {
				f.lose("%d bytes before a header: %.40q", start, line)
			}
			length, f.lost = n, false
		case len(bytes.TrimRight(line, "\r\n")) > 0:
			if fields = true; !f.lost && !otherField.Match(line) {
				f.lose("invalid header: %.40q", line)
				length = -1
			} else if !f.lost && bytes.EqualFold(line[:min(len(line), len("content-length"))], []byte("content-length")) {
				f.lose("invalid header: %.40q", line)
				length = -1
			}
		case length > MaxMessage:
			f.lose("a message of %d bytes was refused: the limit is %d", length, MaxMessage)
			length = -1
		case length >= 0:
			return f.body(length)
		case fields:
			f.lose("a header without Content-Length")
			fields = false
		}
	}
}

func (f *frames) lose(format string, args ...any) {
	if !f.lost {
		f.lost = true
		f.onLost(fmt.Sprintf(format, args...))
	}
}

// refuse is called with a body that turned out to be no JSON and was answered.
// If it swallowed the start of another message, reading goes on there; if it
// was cut short, its rest is skipped without another answer.
func (f *frames) refuse(body []byte) {
	f.lost = true
	from := max(0, len(body)-overlap) // it may have swallowed a part of a header
	if start, _, _ := findHeader(body); start >= 0 {
		from = start
	}
	rest := make([]byte, 0, len(body)-from+len(f.buf))
	f.buf = append(append(rest, body[from:]...), f.buf...)
}

// line returns the next line with its end, or a part of a line that is too long
// to be of interest. It is valid until the next call.
func (f *frames) line() ([]byte, error) {
	for from := 0; ; {
		if i := bytes.IndexByte(f.buf[from:], '\n'); i >= 0 {
			return f.take(from + i + 1), nil
		}
		if len(f.buf) >= maxLine {
			return f.take(len(f.buf) - overlap), nil
		}
		from = len(f.buf)
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
}

func (f *frames) take(n int) []byte {
	b := f.buf[:n:n]
	f.buf = f.buf[n:]
	return b
}

// fill reads more, at least one byte.
func (f *frames) fill() error {
	if cap(f.buf)-len(f.buf) < 512 {
		f.buf = append(make([]byte, 0, len(f.buf)+8*maxLine), f.buf...)
	}
	n, err := f.read(f.buf[len(f.buf):cap(f.buf)])
	f.buf = f.buf[:len(f.buf)+n]
	return err
}

// read returns at least one byte, or an error.
func (f *frames) read(b []byte) (int, error) {
	for range 100 {
		n, err := f.src.Read(b)
		if n > 0 {
			return n, nil // an error comes again
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// body returns n bytes of its own. Memory grows with what arrives, not with
// what the header promised.
func (f *frames) body(n int) ([]byte, error) {
	b := make([]byte, 0, min(n, 1<<20))
	b = append(b, f.take(min(n, len(f.buf)))...)
	for len(b) < n {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(n, 2*cap(b))), b...)
		}
		m, err := f.read(b[len(b):min(n, cap(b))])
		if err != nil {
			return nil, err
		}
		b = b[:len(b)+m]
	}
	return b, nil
}
