package jobs

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/hocket-dev/hocket/engine"
)

const (
	tailLines = 20
	maxLine   = 64 << 10 // a longer line is cut
)

// journal reads a child's stderr: progress is passed on, the last of the other
// lines are kept. One goroutine writes.
type journal struct {
	progress func(engine.Update)
	tail     []string
	crash    string // the first line of a Go crash
	line     []byte // begun
	cut      bool   // the rest of the line is dropped
}

func newJournal(progress func(engine.Update)) *journal { return &journal{progress: progress} }

func (l *journal) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		part, rest, whole := bytes.Cut(b, []byte{'\n'})
		l.extend(part)
		if whole {
			l.flush()
		}
		b = rest
	}
	return n, nil
}

func (l *journal) extend(part []byte) {
	if room := maxLine - len(l.line); len(part) > room {
		part, l.cut = part[:room], true
	}
	l.line = append(l.line, part...)
}

// flush takes the line that has ended.
func (l *journal) flush() {
	line, cut := bytes.TrimSpace(l.line), l.cut
	l.line, l.cut = l.line[:0], false
	if len(line) == 0 {
		return
	}
	var u engine.Update
	if !cut && line[0] == '{' && json.Unmarshal(line, &u) == nil {
		if u.Message != "" {
			l.keep(u.Message)
		}
		l.progress(u)
		return
	}
	l.keep(clip(string(line), 1000))
}

func (l *journal) keep(line string) {
	if l.crash == "" && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIGSEGV: ")) {
		l.crash = clip(line, 200)
	}
	if len(l.tail) == tailLines {
		l.tail = append(l.tail[:0], l.tail[1:]...)
	}
	l.tail = append(l.tail, line)
}

// close takes a last line without an end.
func (l *journal) close() { l.flush() }

// clip cuts s to n bytes of whole characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "?")
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
