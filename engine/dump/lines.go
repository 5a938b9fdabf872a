package dump

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
)

// line is one line of what a program printed, without what a log put before it.
type line struct {
	text string
	n    int    // of the file, from 1
	pkg  string // that go test -json names
	test string
}

// lines takes the program's own lines out of a log: colours go, and time stamps and
// names of containers before them; records of go test -json become their output.
type lines struct {
	in      *bufio.Reader
	n       int
	read    int64
	most    int64
	cut     string            // why the rest is not read
	pending []line            // of a record with several lines
	part    map[string]string // output without its end yet, by package and test
	prefix  string            // before the lines of the block that is being read, digits as 0
}

const maxLine = 16 << 10 // bytes of a line that are looked at

func newLines(r io.Reader, most int64) *lines {
	return &lines{in: bufio.NewReaderSize(r, 64<<10), most: most, part: map[string]string{}}
}

// next is false at the end.
func (l *lines) next() (line, bool, error) {
	for {
		if len(l.pending) > 0 {
			out := l.pending[0]
			l.pending = l.pending[1:]
			return l.clean(out), true, nil
		}
		raw, ok, err := l.raw()
		if err != nil || !ok {
			return line{}, false, err
		}
		if rec, ok := record(raw); ok {
			l.take(rec)
			continue
		}
		return l.clean(line{text: raw, n: l.n}), true, nil
	}
}

// raw reads a line, of a long one the beginning.
func (l *lines) raw() (string, bool, error) {
	if l.read >= l.most {
		l.cut = "only the first part of the file was read, which is very large"
		return "", false, nil
	}
	var out []byte
	for {
		part, err := l.in.ReadSlice('\n')
		l.read += int64(len(part))
		if room := maxLine - len(out); room > 0 {
			out = append(out, part[:min(room, len(part))]...)
		}
		switch {
		case err == nil:
			l.n++
			return string(bytes.TrimRight(out, "\r\n")), true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			if l.read >= l.most {
				l.n++
				return string(out), true, nil
			}
		case errors.Is(err, io.EOF):
			l.n++
			return string(bytes.TrimRight(out, "\r\n")), len(out) > 0, nil
		default:
			return "", false, err
		}
	}
}

// event is a record of go test -json.
type event struct {
	Action, Package, Test, Output string
}

func record(raw string) (event, bool) {
	i := strings.IndexByte(raw, '{')
	if i < 0 || !strings.Contains(raw[i:], `"Action"`) {
		return event{}, false
	}
	var e event
	if err := json.Unmarshal([]byte(raw[i:]), &e); err != nil || e.Action == "" {
		return event{}, false
	}
	return e, true
}

// take splits the output of a record into lines; go test may split a line over
// several records.
func (l *lines) take(e event) {
	if e.Action != "output" && e.Action != "build-output" {
		return
	}
	key := e.Package + " " + e.Test
	if len(l.part) > 1000 {
		clear(l.part)
	}
	text := l.part[key] + e.Output
	delete(l.part, key)
	for text != "" {
		one, rest, whole := strings.Cut(text, "\n")
		if !whole && len(one) < maxLine {
			l.part[key] = one
			return
		}
		l.pending = append(l.pending, line{text: one, n: l.n, pkg: e.Package, test: e.Test})
		text = rest
	}
}

var (
	colours = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]`)
	// stamp is what logs put before a line: a time, with or without a date, or a name
	// with a bar.
	stamp = regexp.MustCompile(`^(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? ?|` +
		`\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]? |` +
		`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d \S+ \S+?\[\d+\]: |` +
		`[\w.-]+(?:\[\d+\])? +\| ?|` +
		`(?:stdout|stderr) [FP] )`)
)

func (l *lines) clean(in line) line {
	t := in.text
	if strings.IndexByte(t, 0x1b) >= 0 {
		t = colours.ReplaceAllString(t, "")
	}
	for range 3 {
		m := stamp.FindString(t)
		if m == "" {
			break
		}
		t = t[len(m):]
	}
	if n := len(l.prefix); n > 0 && len(t) >= n && shape(t[:n]) == l.prefix {
		t = t[n:]
	}
	in.text = strings.TrimRight(t, " ")
	return in
}

// within sets what comes before each line of the block that is being read.
func (l *lines) within(prefix string) { l.prefix = shape(prefix) }

// shape is a prefix whatever its numbers are.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, s)
}
