package protocol

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// message is one JSON-RPC message, sorted but for its parameters.
type message struct {
	kind   kind
	id     string // JSON text, as sent; "" if it has none
	method string
	params json.RawMessage // nil if absent or null
	result json.RawMessage
	err    *Error
}

type kind int

const (
	request kind = iota
	notification
	response
	noMessage // err says why; id may be known
)

func (k kind) String() string {
	return [...]string{"request", "notification", "response", "no message"}[k]
}

// parse sorts a body. notJSON reports that it is not JSON at all, so that its
// length can't be trusted either.
//
// It is liberal where clients differ: an id may be any number or string and is
// sent back as it came; a null id is none (JSON-RPC 1 marked notifications so);
// a message with an id and no method is a response, even without a result.
func parse(body []byte) (m message, notJSON bool) {
	if !json.Valid(body) {
		return message{kind: noMessage, err: NewError(ParseError, "the message is not JSON")}, true
	}
	if b := bytes.TrimLeft(body, " \t\r\n"); len(b) > 0 && b[0] == '[' {
		return message{kind: noMessage, err: NewError(InvalidRequest, "the Language Server Protocol has no batches")}, false
	}
	var e map[string]json.RawMessage // not a struct: names differ by case
	if err := json.Unmarshal(body, &e); err != nil || e == nil {
		return message{kind: noMessage, err: NewError(InvalidRequest, "the message is not an object")}, false
	}
	id, idOK := parseID(e["id"])
	m = message{id: id, params: unlessNull(e["params"])}
	switch {
	case !idOK:
		return message{kind: noMessage, err: NewError(InvalidRequest, "the id is neither a number nor a string")}, false
	case len(e["method"]) == 0 && id != "":
		m.kind, m.result = response, e["result"]
		if unlessNull(e["error"]) != nil {
			m.err = responseError(e["error"])
		}
	case len(e["method"]) == 0:
		m.kind, m.err = noMessage, NewError(InvalidRequest, "the message has no method")
	case json.Unmarshal(e["method"], &m.method) != nil || m.method == "":
		m.kind, m.err = noMessage, NewError(InvalidRequest, "the method is not a string")
	case string(e["jsonrpc"]) != `"2.0"`:
		m.kind, m.err = noMessage, NewError(InvalidRequest, `the field jsonrpc is not "2.0"`)
	case id != "":
		m.kind = request
	default:
		m.kind = notification
	}
	return m, false
}

func parseID(raw json.RawMessage) (id string, ok bool) {
	if unlessNull(raw) == nil {
		return "", true
	}
	if c := raw[0]; c == '"' || c == '-' || '0' <= c && c <= '9' {
		return string(raw), true
	}
	return "", false
}

// key makes ids comparable: a string may be escaped in several ways.
func key(id string) string {
	var s string
	if id != "" && id[0] == '"' && json.Unmarshal([]byte(id), &s) == nil {
		return "s" + s
	}
	return id
}

func unlessNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

func responseError(raw json.RawMessage) *Error {
	var e struct {
		Code    float64
		Message string
	}
	if json.Unmarshal(raw, &e) != nil {
		return NewError(InternalError, "an error that can't be read: "+string(raw[:min(len(raw), 100)]))
	}
	return NewError(Code(int32(e.Code)), e.Message)
}

// The writing side: a frame each, header included.

func requestFrame(id int64, method string, params []byte) []byte {
	return frame(`{"jsonrpc":"2.0","id":`, strconv.FormatInt(id, 10), `,"method":`, quote(method), field(`,"params":`, params), string(params), "}")
}

func notificationFrame(method string, params []byte) []byte {
	return frame(`{"jsonrpc":"2.0","method":`, quote(method), field(`,"params":`, params), string(params), "}")
}

func resultFrame(id string, result []byte) []byte {
	return frame(`{"jsonrpc":"2.0","id":`, orNull(id), `,"result":`, orNull(string(result)), "}")
}

func errorFrame(id string, e *Error) []byte {
	data := []byte(e.Data)
	return frame(`{"jsonrpc":"2.0","id":`, orNull(id), `,"error":{"code":`, strconv.Itoa(int(e.Code)),
		`,"message":`, quote(e.Message), field(`,"data":`, data), string(data), "}}")
}

func frame(parts ...string) []byte {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	b := make([]byte, 0, n+32)
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(b, "\r\n\r\n"...)
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func field(name string, value []byte) string {
	if len(value) == 0 {
		return ""
	}
	return name
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return s
}

// quote writes a JSON string; invalid UTF-8 becomes U+FFFD.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil { // no string fails to marshal
		return `""`
	}
	return string(b)
}
