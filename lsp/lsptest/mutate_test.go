package lsptest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// generator makes messages, most of them as a client makes them, the others
// mutated. Equal seeds make equal messages.
type generator struct {
	r    *rand.Rand
	dir  string // a module on disk
	ids  int
	vers int
}

// part is one piece of the stream to the server. Sound parts are frames whose
// length is right, whatever is in them. A server may make out the body of
// another one all the same.
type part struct {
	bytes []byte
	body  string
	sound bool
}

var goTexts = []string{
	"package a\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {\n\tgo f()\n}\n",
	"package a\r\nfunc Test\r\n😀é\r",
	"", "\xff\xfe", "package main\nfunc main() {\n", strings.Repeat("x\n", 200),
}

func pick[T any](g *generator, all ...T) T { return all[g.r.IntN(len(all))] }

func (g *generator) uri() string {
	return pick(g, "file://"+g.dir+"/a_test.go", "file://"+g.dir+"/./a_test.go", "file:///nowhere/b.go", "untitled:Untitled-1",
		"git:/a?b", "vscode-notebook-cell:/x#1", "file:///C%3A/x.go", "", "::", "file://"+g.dir)
}

func (g *generator) position() lsptest.Object {
	return lsptest.Object{"line": g.number(), "character": g.number()}
}

func (g *generator) number() any {
	return pick[any](g, g.r.IntN(8), g.r.IntN(8), g.r.IntN(8), g.r.IntN(300), 4294967295, 0)
}

func (g *generator) span() lsptest.Object {
	return lsptest.Object{"start": g.position(), "end": g.position()}
}

func (g *generator) doc() lsptest.Object { return lsptest.Object{"uri": g.uri()} }

// params of the messages that a client sends in a session, by weight.
func (g *generator) message() (method string, params any, isRequest bool) {
	switch n := g.r.IntN(100); {
	case n < 14:
		return "textDocument/didOpen", lsptest.Object{"textDocument": lsptest.Object{"uri": g.uri(), "languageId": "go", "version": g.r.IntN(5), "text": pick(g, goTexts...)}}, false
	case n < 38:
		g.vers++
		change := lsptest.Object{"text": pick(g, goTexts...)}
		if g.r.IntN(5) > 0 {
			change = lsptest.Object{"range": g.span(), "text": pick(g, "x", "", "\n", "\r", "😀")}
		}
		return "textDocument/didChange", lsptest.Object{"textDocument": lsptest.Object{"uri": g.uri(), "version": pick(g, g.vers, g.vers, g.vers, 1)},
			"contentChanges": pick(g, []any{change}, []any{change, change}, []any{})}, false
	case n < 42:
		return pick(g, "textDocument/didSave", "textDocument/didClose"), lsptest.Object{"textDocument": g.doc()}, false
	case n < 54:
		return "textDocument/hover", lsptest.Object{"textDocument": g.doc(), "position": g.position()}, true
	case n < 64:
		return "textDocument/codeLens", lsptest.Object{"textDocument": g.doc()}, true
	case n < 70:
		return "textDocument/codeAction", lsptest.Object{"textDocument": g.doc(), "range": g.span(), "context": lsptest.Object{"diagnostics": []any{}}}, true
	case n < 76:
		return g.command()
	case n < 82:
		return "$/cancelRequest", lsptest.Object{"id": pick[any](g, g.ids, g.ids-1, "x", nil)}, false
	case n < 84:
		return "window/workDoneProgress/cancel", lsptest.Object{"token": pick[any](g, "hocket-1", "t", 5)}, false
	case n < 86:
		return "workspace/didChangeConfiguration", lsptest.Object{"settings": pick[any](g, nil, lsptest.Object{"hocket": lsptest.Object{"replay": lsptest.Object{"runs": 3}}})}, false
	case n < 88:
		return "workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
			"added":   pick(g, []any{}, []any{lsptest.Object{"uri": "file://" + g.dir, "name": "a"}}),
			"removed": pick(g, []any{}, []any{lsptest.Object{"uri": "file://" + g.dir, "name": "a"}})}}, false
	case n < 90:
		return "workspace/didChangeWatchedFiles", lsptest.Object{"changes": []any{lsptest.Object{"uri": g.uri(), "type": 2}}}, false
	case n < 92:
		return "$/setTrace", lsptest.Object{"value": pick(g, "off", "messages", "verbose")}, false
	case n < 94:
		return pick(g, "initialized", "initialize"), lsptest.Object{"capabilities": lsptest.Object{}}, g.r.IntN(2) == 0
	case n < 95:
		return "hocket/breakpoints", pick[any](g, lsptest.Object{"uri": g.uri()}, lsptest.Object{}, []int{1}), true
	case n < 97:
		return pick(g, "textDocument/definition", "no/such", "$/such"), nil, true
	default:
		return "", nil, true // a response to nothing, or to a request of the server's
	}
}

func (g *generator) command() (string, any, bool) {
	arg := lsptest.Object{"uri": g.uri(), "entry": pick(g, "TestX", "", "main"), "position": g.position(), "budget": pick(g, "1s", "x"),
		"id": pick(g, "abc", "", "b1"), "show": g.r.IntN(2) == 0, "wait": g.r.IntN(2) == 0, "open": false}
	if g.r.IntN(2) == 0 {
		arg["with"], arg["if"], arg["order"] = pick[any](g, g.doc(), lsptest.Object{"uri": g.uri(), "position": g.position()}, 5), pick[any](g, "", "t1.x == t2.x", 5), pick[any](g, []int{2, 1}, []int{}, []int{0}, "1")
		arg["timeout"], arg["off"], arg["kind"], arg["runs"] = pick(g, "", "5ms", "x"), g.r.IntN(2) == 0, pick(g, "", "race", "x"), pick[any](g, 1, 0, "x")
	}
	return "workspace/executeCommand", lsptest.Object{"command": pick(g, "hocket.find", "hocket.replay", "hocket.explain", "hocket.cancel", "hocket.list", "hocket.none",
		"hocket.break.set", "hocket.break.pair", "hocket.break.edit", "hocket.break.remove", "hocket.break.run", "hocket.break.debug", "hocket.break.fromFinding", "hocket.conflicts"),
		"arguments": pick(g, []any{arg}, []any{}, []any{arg, arg}, []any{5}), "workDoneToken": pick[any](g, "t", 5)}, true
}

// body is one message, well-formed.
func (g *generator) body() string {
	method, params, isRequest := g.message()
	m := lsptest.Object{"jsonrpc": "2.0"}
	if method == "" {
		m["id"], m["result"] = g.r.IntN(20), pick[any](g, nil, []any{nil}, "x")
	} else {
		m["method"] = method
		if params != nil {
			m["params"] = params
		}
		if isRequest {
			g.ids++
			m["id"] = pick[any](g, g.ids, g.ids, g.ids, fmt.Sprint("s", g.ids))
		}
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// odd values that take the place of others.
var odd = []string{"null", "true", "0", "-1", "1e400", "99999999999999999999", "1.5", `""`, `"\u0000"`, `"\ud800"`, "\"\xff\"", "[]", "{}", `[[[[]]]]`, `{"a":{"a":{}}}`,
	`"file:///%zz"`, `"file://[::1"`, `"utf-8"`, "4294967296", "-2147483649"}

// mutated changes a body: its bytes, or the values in it.
func (g *generator) mutated(body string) string {
	for range 1 + g.r.IntN(3) {
		if body == "" {
			return body
		}
		i := g.r.IntN(len(body))
		switch g.r.IntN(8) {
		case 0:
			body = body[:i] // truncated
		case 1:
			body = body[:i] + string([]byte{byte(g.r.IntN(256))}) + body[i+1:]
		case 2:
			body = body[:i] + body[min(len(body), i+g.r.IntN(20)):]
		case 3:
			j := min(len(body), i+g.r.IntN(40))
			body = body[:j] + body[i:j] + body[j:] // a piece twice
		default:
			body = g.valueReplaced(body)
		}
	}
	return body
}

// valueReplaced puts an odd value, or another of the message's own, in the place
// of one value.
func (g *generator) valueReplaced(body string) string {
	var starts []int // just after a colon, comma or bracket
	for i := range len(body) - 1 {
		if strings.IndexByte(":,[", body[i]) >= 0 {
			starts = append(starts, i+1)
		}
	}
	if len(starts) == 0 {
		return body
	}
	at := starts[g.r.IntN(len(starts))]
	var v json.RawMessage
	d := json.NewDecoder(strings.NewReader(body[at:]))
	if d.Decode(&v) != nil {
		return body
	}
	return body[:at] + pick(g, odd...) + body[at+int(d.InputOffset()):]
}

// next is the next part of the stream.
func (g *generator) next() part {
	body := g.body()
	n := g.r.IntN(100)
	if n >= 45 && n < 90 {
		body = g.mutated(body)
	}
	if n < 90 {
		return part{lsptest.Frame(body), body, true}
	}
	frame := string(lsptest.Frame(body))
	switch n {
	case 90, 91: // the length is wrong
		return part{body: body, bytes: fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", max(0, len(body)+g.r.IntN(100)-50), body)}
	case 92:
		return part{body: body, bytes: fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", pick(g, int64(1)<<40, 70_000_000, 999_999_999_999_999_999), body)}
	case 93:
		return part{bytes: []byte(pick(g, "Content-Length: x\r\n\r\n", "Content-Length:\r\n\r\n", "Content-Length: -4\r\n\r\n", "\r\n\r\n", "\x00\n", "GET / HTTP/1.1\r\n\r\n"))}
	case 94, 95: // cut short
		return part{body: body, bytes: []byte(frame[:g.r.IntN(len(frame))])}
	case 96:
		i := g.r.IntN(min(len(frame), 20))
		return part{body: body, bytes: []byte(frame[:i] + string([]byte{byte(g.r.IntN(256))}) + frame[i+1:])}
	default:
		b := "[" + body + "," + g.body() + "]"
		return part{lsptest.Frame(b), b, true}
	}
}

// stream is n messages: new ones, earlier ones again, and some in another order.
func (g *generator) stream(n int) []part {
	all := make([]part, 0, n)
	for len(all) < n {
		if len(all) > 0 && g.r.IntN(20) == 0 {
			all = append(all, all[g.r.IntN(len(all))])
			continue
		}
		all = append(all, g.next())
	}
	for range n / 10 {
		i, j := g.r.IntN(n), g.r.IntN(n)
		if i-j < 20 && j-i < 20 {
			all[i], all[j] = all[j], all[i]
		}
	}
	return all
}

// requestID is what an answer must carry if a body is a request, else "". It is
// the specification of JSON-RPC said once more.
func requestID(body string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &m) != nil {
		return ""
	}
	id := string(m["id"])
	_, hasMethod := m["method"]
	if id == "" || strings.IndexByte("-0123456789\"", id[0]) < 0 || !hasMethod {
		return ""
	}
	return id
}
