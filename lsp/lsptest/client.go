package lsptest

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// Limit is how long a client waits for what must come.
const Limit = 60 * time.Second

// Object is a JSON object.
type Object = map[string]any

// Message is a message as it came.
type Message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Error is the error of a response.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Client is one session with one server. Its methods may be called by several
// goroutines, but for those that fail the test.
type Client struct {
	t   testing.TB
	in  io.WriteCloser // to the server
	out io.Reader

	writing sync.Mutex

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when anything below changes
	ids      int
	waiting  map[string]bool
	answers  map[string]Message // by id
	notes    []Message          // notifications, in order
	used     map[int]bool       // of notes: taken by WaitNotification
	log      []string           // the last messages of both ways
	handlers map[string]func(params json.RawMessage) (any, error)
	problems []string // what a server must not do
	unasked  []string // answers to requests that were sent by Raw, or not at all
	closed   bool     // the server's stream has ended

	ended chan error // what serve or the process ended with; buffered
	done  chan struct{}
}

// Connect starts a server in this process.
func Connect(t testing.TB, serve func(in io.Reader, out io.Writer) error) *Client {
	sr, cw := io.Pipe()
	cr, sw := io.Pipe()
	c := newClient(t, cw, cr)
	go func() {
		err := serve(sr, sw)
		sw.Close()
		sr.Close()
		c.ended <- err
	}()
	c.start()
	return c
}

// Start runs a server as a child process, which is killed at the end of the
// test if it is still there.
func Start(t testing.TB, cmd *exec.Cmd) *Client {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, in, out)
	c.start()
	go func() {
		<-c.done // all was read
		c.ended <- cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Kill() //nolint:errcheck // it may have ended
		<-c.done
	})
	return c
}

func newClient(t testing.TB, in io.WriteCloser, out io.Reader) *Client {
	return &Client{t: t, in: in, out: out, changed: make(chan struct{}), waiting: map[string]bool{}, answers: map[string]Message{},
		used: map[int]bool{}, handlers: map[string]func(json.RawMessage) (any, error){}, ended: make(chan error, 1), done: make(chan struct{})}
}

func (c *Client) start() {
	go func() {
		defer close(c.done)
		c.read()
		c.update(func() { c.closed = true })
	}()
}

// Handle answers the server's requests of a method. f runs on the reading
// goroutine: it must not wait for the server.
func (c *Client) Handle(method string, f func(params json.RawMessage) (any, error)) {
	c.update(func() { c.handlers[method] = f })
}

// Notify sends a notification.
func (c *Client) Notify(method string, params any) {
	c.send(Object{"jsonrpc": "2.0", "method": method, "params": params})
}

// Pending is a request without an answer yet.
type Pending struct {
	c  *Client
	id int
}

// Begin sends a request.
func (c *Client) Begin(method string, params any) Pending {
	var id int
	c.update(func() {
		c.ids++
		id = c.ids
		c.waiting[fmt.Sprint(id)] = true
	})
	m := Object{"jsonrpc": "2.0", "id": id, "method": method}
	if params != nil {
		m["params"] = params
	}
	c.send(m)
	return Pending{c, id}
}

// Cancel asks the server to give the request up. The answer still comes.
func (p Pending) Cancel() { p.c.Notify("$/cancelRequest", Object{"id": p.id}) }

// Answered reports whether the answer has come.
func (p Pending) Answered() bool {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	_, ok := p.c.answers[fmt.Sprint(p.id)]
	return ok
}

// Wait returns the answer. The error is of type *Error, or nil.
func (p Pending) Wait() (json.RawMessage, error) {
	p.c.t.Helper()
	var m Message
	p.c.Until(fmt.Sprintf("the answer to request %d", p.id), func() (ok bool) {
		m, ok = p.c.answers[fmt.Sprint(p.id)]
		return ok
	})
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// Request sends a request and waits for its answer.
func (c *Client) Request(method string, params any) (json.RawMessage, error) {
	c.t.Helper()
	return c.Begin(method, params).Wait()
}

// RequestCancel sends a request, cancels it at once and returns the answer.
func (c *Client) RequestCancel(method string, params any) (json.RawMessage, error) {
	c.t.Helper()
	p := c.Begin(method, params)
	p.Cancel()
	return p.Wait()
}

// Must is Request whose answer is no error, decoded into result unless nil.
func (c *Client) Must(method string, params, result any) {
	c.t.Helper()
	raw, err := c.Request(method, params)
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	if result != nil {
		if err := json.Unmarshal(raw, result); err != nil {
			c.t.Fatalf("%s answered %.300s: %v", method, raw, err)
		}
	}
}

// WaitNotification returns the params of the first notification of a method
// that f accepts (nil: any) and that was not returned before.
func (c *Client) WaitNotification(method string, f func(params json.RawMessage) bool) (params json.RawMessage) {
	c.t.Helper()
	c.Until("a notification "+method, func() bool {
		for i, n := range c.notes {
			if n.Method == method && !c.used[i] && (f == nil || f(n.Params)) {
				params = n.Params
				c.used[i] = true
				return true
			}
		}
		return false
	})
	return params
}

// Notifications are those of a method so far, taken ones too.
func (c *Client) Notifications(method string) (params []json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.notes {
		if n.Method == method {
			params = append(params, n.Params)
		}
	}
	return params
}

// Until waits for a condition that messages change. ok is called with the
// client locked.
func (c *Client) Until(what string, ok func() bool) {
	c.t.Helper()
	limit := time.After(Limit)
	for {
		c.mu.Lock()
		good, closed, changed := ok(), c.closed, c.changed
		c.mu.Unlock()
		if good {
			return
		}
		if closed {
			c.t.Fatalf("the server ended the stream before %s\n%s", what, c.Transcript())
		}
		select {
		case <-changed:
		case <-limit:
			c.t.Fatalf("no %s within %v\n%s", what, Limit, c.Transcript())
		}
	}
}

// Transcript is the last messages of both ways.
func (c *Client) Transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.log, "\n")
}

// Ended waits for the end of the server and returns its error.
func (c *Client) Ended() error {
	c.t.Helper()
	select {
	case err := <-c.ended:
		c.ended <- err
		<-c.done
		return err
	case <-time.After(Limit):
		c.t.Fatalf("the server does not end\n%s", c.Transcript())
		return nil
	}
}

// Problems are what the server did against the protocol so far: answers to
// nothing, second answers, broken frames.
func (c *Client) Problems() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problems
}

// Unasked are the answers to what Request and Begin did not send. To be called
// by the function given to Until, or when nothing comes any more.
func (c *Client) Unasked() []string { return c.unasked }

func (c *Client) update(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
	close(c.changed)
	c.changed = make(chan struct{})
}
