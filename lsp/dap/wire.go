package dap

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/google/go-dap"
)

// message is any message of the protocol. What is inside of arguments and
// bodies passes through untouched.
type message struct {
	Seq        int             `json:"seq"`
	Type       string          `json:"type"` // "request", "response" or "event"
	Command    string          `json:"command,omitempty"`
	Event      string          `json:"event,omitempty"`
	RequestSeq int             `json:"request_seq,omitempty"`
	Success    *bool           `json:"success,omitempty"`
	Message    string          `json:"message,omitempty"`
	Arguments  json.RawMessage `json:"arguments,omitempty"`
	Body       json.RawMessage `json:"body,omitempty"`
}

// peer is the writing half of a connection; it numbers messages.
type peer struct {
	w   *bufio.Writer
	seq int
}

func newPeer(w io.Writer) *peer { return &peer{w: bufio.NewWriter(w)} }

// send writes m under a new number, which it returns. A peer that is gone is
// noticed by its reader.
func (p *peer) send(m message) int {
	p.seq++
	m.Seq = p.seq
	if data, err := json.Marshal(m); err == nil {
		_ = dap.WriteBaseMessage(p.w, data)
		_ = p.w.Flush()
	}
	return m.Seq
}

// read sends the messages that arrive to out until r ends or done is closed.
func read(r io.Reader, out chan<- *message, done <-chan struct{}) {
	defer close(out)
	in := bufio.NewReader(r)
	for {
		data, err := dap.ReadBaseMessage(in)
		if err != nil {
			return
		}
		m := &message{}
		if err := json.Unmarshal(data, m); err != nil {
			continue // an object of another shape: nobody could answer it
		}
		select {
		case out <- m:
		case <-done:
			return
		}
	}
}

func raw(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("dap: encode %T: %v", v, err)) // plain structs of ours
	}
	return data
}

// fields are those of a JSON object, empty if it is none.
func fields(data json.RawMessage) map[string]json.RawMessage {
	f := map[string]json.RawMessage{}
	_ = json.Unmarshal(data, &f)
	if f == nil {
		f = map[string]json.RawMessage{}
	}
	return f
}
