package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Frame puts a header before a body.
func Frame(body string) []byte {
	return []byte(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// Raw sends bytes as they are. Writing to a server that has ended is not an error.
func (c *Client) Raw(b []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.in.Write(b) //nolint:errcheck // seen by what does not come back
}

func (c *Client) send(m any) {
	b, err := json.Marshal(m)
	if err != nil {
		c.t.Errorf("test sends what is not JSON: %v", err)
		return
	}
	c.update(func() { c.note("→ ", b) })
	c.Raw(Frame(string(b)))
}

// CloseInput ends the server's input.
func (c *Client) CloseInput() { c.in.Close() }

func (c *Client) note(way string, b []byte) {
	if len(c.log) >= 40 {
		c.log = c.log[1:]
	}
	c.log = append(c.log, way+string(b[:min(len(b), 400)]))
}

func (c *Client) read() {
	r := bufio.NewReader(c.out)
	for {
		body, err := readFrame(r)
		if err != nil {
			if err != io.EOF {
				c.update(func() { c.problems = append(c.problems, "the server's stream: "+err.Error()) })
				io.Copy(io.Discard, r) //nolint:errcheck // so that the server does not hang
			}
			return
		}
		c.receive(body)
	}
}

// readFrame is strict: exactly one header line, as this server writes it.
func readFrame(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadString('\n')
	if err == io.EOF && line == "" {
		return nil, io.EOF
	}
	if err != nil {
		return nil, fmt.Errorf("a header cut short: %q: %v", line, err)
	}
	number, ok := strings.CutPrefix(line, "Content-Length: ")
	n, err := strconv.Atoi(strings.TrimSuffix(number, "\r\n"))
	if !ok || err != nil || !strings.HasSuffix(line, "\r\n") {
		return nil, fmt.Errorf("no header: %q", line)
	}
	if empty, err := r.ReadString('\n'); err != nil || empty != "\r\n" {
		return nil, fmt.Errorf("%q after the header", empty)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, fmt.Errorf("a message cut short: %v", err)
	}
	return body, nil
}

func (c *Client) receive(body []byte) {
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		c.update(func() { c.problems = append(c.problems, fmt.Sprintf("no message: %.200q: %v", body, err)) })
		return
	}
	var handler func(json.RawMessage) (any, error)
	c.update(func() {
		c.note("← ", body)
		switch {
		case m.Method != "" && m.ID != nil:
			handler = c.handlers[m.Method]
		case m.Method != "":
			c.notes = append(c.notes, m)
		case string(m.ID) == "null" || m.ID == nil: // to what was no request
			c.notes = append(c.notes, Message{Method: "error", Params: body, Error: m.Error})
		case !c.waiting[string(m.ID)]:
			c.unasked = append(c.unasked, string(body))
			c.problems = append(c.problems, fmt.Sprintf("an answer to nothing, or a second one: %.200s", body))
		default:
			delete(c.waiting, string(m.ID))
			c.answers[string(m.ID)] = m
		}
	})
	if m.Method != "" && m.ID != nil {
		if answer := respond(m, handler); answer != nil {
			go c.send(answer) // not here: the server may be writing, and not reading
		}
	}
}

// ErrSilent, returned by what was given to Handle, leaves the server without
// an answer.
var ErrSilent = errors.New("no answer")

func respond(m Message, handler func(json.RawMessage) (any, error)) Object {
	answer := Object{"jsonrpc": "2.0", "id": m.ID}
	switch {
	case handler != nil:
		result, err := handler(m.Params)
		if errors.Is(err, ErrSilent) {
			return nil
		}
		if err != nil {
			answer["error"] = Error{Code: -32603, Message: err.Error()}
		} else {
			answer["result"] = result
		}
	case m.Method == "workspace/configuration":
		var p struct{ Items []any }
		json.Unmarshal(m.Params, &p) //nolint:errcheck // no items then
		answer["result"] = make([]any, len(p.Items))
	default:
		answer["result"] = nil
	}
	return answer
}
