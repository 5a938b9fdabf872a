package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// readAll reads like Conn does and returns the bodies that are JSON.
func readAll(r io.Reader) (bodies, lost []string) {
	f := &frames{src: r, onLost: func(why string) { lost = append(lost, why) }}
	for {
		b, err := f.next()
		if err != nil {
			return bodies, lost
		}
		if _, notJSON := parse(b); notJSON {
			lost = append(lost, "no JSON")
			f.refuse(b)
			continue
		}
		bodies = append(bodies, string(b))
	}
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// TestWhatIsReadAfterWhatIsNoMessage: every sound message is read, once, in
// order, whatever stands between.
func TestWhatIsReadAfterWhatIsNoMessage(t *testing.T) {
	junk := rapid.Custom(func(t *rapid.T) string {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s"}`, strings.Repeat("j", rapid.IntRange(0, 40).Draw(t, "length")))
		switch rapid.IntRange(0, 11).Draw(t, "kind") {
		case 0:
			return "garbage"
		case 1:
			return "garbage\r\n\r\nmore\n"
		case 2:
			return "Content-Type: x\r\n\r\n" + body
		case 3: // too long: the start of what follows is swallowed
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body)+rapid.IntRange(1, 100).Draw(t, "more"), body)
		case 4: // too short
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", rapid.IntRange(0, len(body)-1).Draw(t, "less"), body)
		case 5:
			return "Content-Length: -5\r\n\r\n" + body
		case 6:
			return "Content-Length: many\r\n\r\n" + body
		case 7:
			return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", int64(MaxMessage)+1, body)
		case 8:
			return "Content-Length: 999999999999999999999999999\r\n\r\n" + body
		case 9:
			return framed(`{"a":`)
		case 10:
			return strings.Repeat("x", rapid.IntRange(maxLine-10, maxLine+10).Draw(t, "line"))
		default:
			return framed("\xff\xfe")
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var stream bytes.Buffer
		var want []string
		n := 0
		for range rapid.IntRange(1, 8).Draw(t, "parts") {
			if rapid.Bool().Draw(t, "sound") {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"%d"}`, n)
				n++
				want = append(want, body)
				if rapid.Bool().Draw(t, "type") {
					fmt.Fprintf(&stream, "content-length:%d\nContent-Type: application/vscode-jsonrpc\n\n%s", len(body), body)
					continue
				}
				stream.WriteString(framed(body))
			} else {
				stream.WriteString(junk.Draw(t, "junk"))
			}
		}
		for i := range 5 { // what a length that is too great may swallow
			body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"end %d %s"}`, i, strings.Repeat(".", 60))
			want = append(want, body)
			stream.WriteString(framed(body))
		}
		r := io.Reader(bytes.NewReader(stream.Bytes()))
		if rapid.Bool().Draw(t, "bytewise") {
			r = iotest.OneByteReader(r)
		}
		got, _ := readAll(r)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("stream %q\nread %q\nwant %q", stream.String(), got, want)
		}
	})
}

func TestALostFrameIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		stream string
		told   int
	}{
		{"", 0},
		{framed("{}"), 0},
		{"\r\n\r\n" + framed("{}"), 0}, // empty lines between messages harm nobody
		{"a\nb\nc\n\n" + framed("{}"), 1},
		{strings.Repeat("x", 100_000) + framed("{}"), 1},
		{"Content-Length: 3\r\n\r\n{\"a\":1}" + framed("{}"), 1},
		{framed("{") + framed("[") + framed("{}"), 2},
		{"Content-Length: 70000000\r\n\r\n" + strings.Repeat("y\n", 10_000) + framed("{}"), 1},
	} {
		bodies, lost := readAll(strings.NewReader(c.stream))
		if len(lost) != c.told || c.stream != "" && len(bodies) != 1 {
			t.Errorf("%.60q: told %q, read %q", c.stream, lost, bodies)
		}
	}
}

func TestMemoryGrowsWithWhatArrives(t *testing.T) {
	f := &frames{src: strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\nshort", MaxMessage)), onLost: func(string) {}}
	if _, err := f.next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if cap(f.buf) > 1<<20 {
		t.Errorf("%d bytes for a message of five", cap(f.buf))
	}
}

// idle is a reader that has nothing for ever.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestAStreamWithoutProgress(t *testing.T) {
	f := &frames{src: idle{}, onLost: func(string) {}}
	if _, err := f.next(); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
	f = &frames{src: io.MultiReader(strings.NewReader("Content-Length: 5\r\n\r\n"), idle{}), onLost: func(string) {}}
	if _, err := f.next(); err == nil {
		t.Error("a body out of nothing")
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte(framed(`{"jsonrpc":"2.0","method":"x"}`) + "junk" + framed("{}")))
	f.Add([]byte("Content-Length: 40\r\n\r\n{}" + framed("{}") + framed("{}")))
	f.Fuzz(func(t *testing.T, b []byte) {
		one, _ := readAll(bytes.NewReader(b))
		two, _ := readAll(iotest.OneByteReader(bytes.NewReader(b)))
		if strings.Join(one, "\n") != strings.Join(two, "\n") {
			t.Errorf("%q is read as %q, bytewise as %q", b, one, two)
		}
	})
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		body string
		kind kind
		id   string
		code Code
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"m"}`, request, "1", 0},
		{`{"jsonrpc":"2.0","id":"a\u0062","method":"m","params":null}`, request, `"a\u0062"`, 0},
		{`{"jsonrpc":"2.0","id":-1.5e3,"method":"m"}`, request, "-1.5e3", 0},
		{`{"jsonrpc":"2.0","id":99999999999999999999999,"method":"m"}`, request, "99999999999999999999999", 0},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, notification, "", 0},
		{`{"jsonrpc":"2.0","method":"m"}`, notification, "", 0},
		{`{"jsonrpc":"2.0","id":3,"result":null}`, response, "3", 0},
		{`{"jsonrpc":"2.0","id":3}`, response, "3", 0},
		{`{"jsonrpc":"2.0","id":3,"error":{"code":-5,"message":"x"}}`, response, "3", -5},
		{`{"jsonrpc":"2.0","id":3,"error":"x"}`, response, "3", InternalError},
		{`{"jsonrpc":"2.0","id":true,"method":"m"}`, noMessage, "", InvalidRequest},
		{`{"jsonrpc":"2.0","id":[1],"method":"m"}`, noMessage, "", InvalidRequest},
		{`{"jsonrpc":"2.0","id":{},"method":"m"}`, noMessage, "", InvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":5}`, noMessage, "1", InvalidRequest},
		{`{"jsonrpc":"2.0","id":1,"method":""}`, noMessage, "1", InvalidRequest},
		{`{"jsonrpc":"1.0","id":1,"method":"m"}`, noMessage, "1", InvalidRequest},
		{`{"id":1,"method":"m"}`, noMessage, "1", InvalidRequest},
		{`{}`, noMessage, "", InvalidRequest},
		{`[]`, noMessage, "", InvalidRequest},
		{` [{"jsonrpc":"2.0","id":1,"method":"m"}]`, noMessage, "", InvalidRequest},
		{`5`, noMessage, "", InvalidRequest},
		{`null`, noMessage, "", InvalidRequest},
		{`"x"`, noMessage, "", InvalidRequest},
		{``, noMessage, "", ParseError},
		{`{`, noMessage, "", ParseError},
		{`{} {}`, noMessage, "", ParseError},
		{strings.Repeat("[", 1<<20), noMessage, "", ParseError},
	} {
		m, _ := parse([]byte(c.body))
		var code Code
		if m.err != nil {
			code = m.err.Code
		}
		if m.kind != c.kind || m.id != c.id || code != c.code {
			t.Errorf("%.80s: %v, id %q, error %d", c.body, m.kind, m.id, code)
		}
	}
}
