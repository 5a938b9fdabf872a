package protocol

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Trace writes down the messages of a connection, a line each:
//
//	15:04:05.000 <- request 3 textDocument/hover {"textDocument":…}
//	15:04:05.002 -> response 3 {"jsonrpc":"2.0","id":3,"result":null}
//
// "<-" came from the client. It may be used by several goroutines at once, and
// a nil Trace writes nothing.
type Trace struct {
	mu     sync.Mutex
	w      io.Writer                     // every message, whole; may be nil
	client func(message, verbose string) // what $/setTrace asked for; may be nil
}

// NewTrace writes to w, which may be nil.
func NewTrace(w io.Writer) *Trace { return &Trace{w: w} }

// ToClient passes every further message to f too: in short, and with
// its text. Nil ends it. f must not send anything that is traced.
func (t *Trace) ToClient(f func(message, verbose string)) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.client = f
}

func (t *Trace) received(m message, body []byte) { t.write("<-", m.kind, m.id, m.method, body) }

func (t *Trace) sent(k kind, id, method string, frame []byte) {
	if t == nil {
		return
	}
	_, body, _ := bytes.Cut(frame, []byte("\r\n\r\n"))
	t.write("->", k, id, method, body)
}

func (t *Trace) write(way string, k kind, id, method string, body []byte) {
	if t == nil {
		return
	}
	t.mu.Lock()
	w, client := t.w, t.client
	t.mu.Unlock()
	if w == nil && client == nil {
		return
	}
	short := fmt.Sprintf("%s %s", way, k)
	for _, s := range []string{id, method} {
		if s != "" {
			short += " " + s
		}
	}
	if client != nil {
		client(short, string(body))
	}
	if w != nil {
		line := fmt.Appendf(nil, "%s %s %s\n", time.Now().Format("15:04:05.000"), short, bytes.ReplaceAll(body, []byte("\n"), []byte(" ")))
		t.mu.Lock()
		defer t.mu.Unlock()
		w.Write(line) //nolint:errcheck // a trace that can't be written is lost
	}
}
