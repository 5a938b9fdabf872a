package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	lsp "go.lsp.dev/protocol"

	"github.com/hocket-dev/hocket/internal/bug"
)

// Handler is the server behind a connection. Both methods are called by the
// reading goroutine, one call at a time, in order of arrival; neither may block,
// nor call the client and wait.
type Handler interface {
	// Notify carries out a notification. An error is logged.
	Notify(ctx context.Context, method string, params json.RawMessage) error
	// Prepare takes what a request needs of the state as it is now, and returns
	// the rest of the work, to be run in its own goroutine. params is nil if
	// there are none.
	Prepare(ctx context.Context, method string, params json.RawMessage) (Work, error)
}

// Work makes the result of a request. Its context ends when the client cancels
// the request and when the connection ends.
type Work func(ctx context.Context) (result any, err error)

const (
	maxRequests = 4096                   // worked on at once; more are refused
	grace       = 300 * time.Millisecond // to wait for each of: works, the last answers, when the connection ends
)

// Conn is the server's end of a connection.
type Conn struct {
	in  io.Reader
	out io.Writer
	log *slog.Logger

	trace *Trace
	box   *outbox
	end   context.CancelCauseFunc // of what Run runs; nil before

	calls atomic.Int64 // ids given to the client
	works sync.WaitGroup

	mu      sync.Mutex
	ending  bool
	handled map[string][]*work        // by key of their id; several if a client repeats ids
	count   int                       // of handled
	waiting map[string]chan<- message // calls of ours without a response yet, by id
}

// work is a request that was not answered yet.
type work struct {
	id, method string
	began      time.Time
	cancel     context.CancelFunc
}

// NewConn makes a connection that Run starts. trace may be nil.
func NewConn(in io.Reader, out io.Writer, log *slog.Logger, trace *Trace) *Conn {
	return &Conn{in: in, out: out, log: log, trace: trace, box: newOutbox(),
		handled: map[string][]*work{}, waiting: map[string]chan<- message{}}
}

// errStopped is the cause of an end that the server itself wants.
var errStopped = errors.New("stopped")

// Stop ends Run without an error, after the message that is being handled.
func (c *Conn) Stop() { c.fail(errStopped) }

// Run reads and handles messages until the client's stream ends, the handler
// calls Stop, ctx ends, or the client can't be written to. Requests not
// finished by then are cancelled and answered; all goroutines are waited for.
//
// One can't be: reading from a file that can't be interrupted, such as a
// terminal or a pipe of the parent's, ends only with the process. If in or out
// is an io.Closer it is closed, which ends reading from all else.
func (c *Conn) Run(parent context.Context, h Handler) error {
	ctx, end := context.WithCancelCause(parent)
	defer end(nil)
	c.mu.Lock()
	c.end = end
	c.mu.Unlock()

	var reading, writing = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reading)
		c.fail(c.read(ctx, h))
	}()
	go func() {
		defer close(writing)
		if err := c.box.write(c.out); err != nil {
			c.fail(fmt.Errorf("write to the client: %w", err))
		}
	}()

	<-ctx.Done()
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	shut(c.in)
	closedWithin(grace, reading)
	if !closedWithin(grace, waitFor(&c.works)) {
		c.log.Error("requests do not end", "running", c.running())
	}
	c.box.close()
	if !closedWithin(grace, writing) {
		shut(c.out)
		closedWithin(grace, writing)
	}
	if err := context.Cause(ctx); !errors.Is(err, errStopped) && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil {
		c.end(err)
	}
}

func shut(stream any) {
	if closer, ok := stream.(io.Closer); ok {
		closer.Close() //nolint:errcheck // it ends, whatever it says
	}
}

func waitFor(wg *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	return done
}

func closedWithin(d time.Duration, done <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

func (c *Conn) running() (methods []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, works := range c.handled {
		for _, w := range works {
			methods = append(methods, w.method)
		}
	}
	return methods
}

// read handles messages until the stream or ctx ends.
func (c *Conn) read(ctx context.Context, h Handler) error {
	f := &frames{src: c.in, onLost: func(why string) { c.reject(NewError(ParseError, why)) }}
	ctx = context.WithValue(ctx, onReader{}, true)
	for ctx.Err() == nil {
		body, err := f.next()
		if err != nil {
			return err
		}
		m, notJSON := parse(body)
		c.trace.received(m, body)
		if notJSON {
			f.refuse(body)
		}
		if ctx.Err() == nil {
			c.receive(ctx, h, m)
		}
	}
	return nil
}

func (c *Conn) receive(ctx context.Context, h Handler, m message) {
	switch {
	case m.kind == request:
		c.prepare(ctx, h, m)
	case m.kind == response:
		c.respond(m)
	case m.kind == noMessage && m.id != "":
		c.log.Warn("not a request", "why", m.err.Message)
		c.answer(m.id, nil, m.err)
	case m.kind == noMessage:
		c.reject(m.err)
	case m.method == lsp.MethodCancelRequest:
		c.cancel(m.params)
	default:
		if err := guard(c.log, m.method, func() error { return h.Notify(ctx, m.method, m.params) }); err != nil {
			c.log.Warn("notification not handled", "method", m.method, "err", err)
		}
	}
}

// reject answers what is not a request.
func (c *Conn) reject(e *Error) {
	c.log.Warn("not a message", "why", e.Message)
	c.answer("", nil, e)
}

// prepare starts the work of a request.
func (c *Conn) prepare(ctx context.Context, h Handler, m message) {
	var run Work
	err := guard(c.log, m.method, func() (err error) {
		run, err = h.Prepare(ctx, m.method, m.params)
		return err
	})
	if err != nil {
		c.answer(m.id, nil, answer(ctx, err))
		return
	}
	wctx, cancel := context.WithCancel(context.WithValue(ctx, onReader{}, false))
	w := &work{id: m.id, method: m.method, began: time.Now(), cancel: cancel}
	if !c.register(w) {
		cancel()
		c.answer(m.id, nil, Errorf(RequestFailed, "too many requests at once (%d); wait for answers before sending more", maxRequests))
		return
	}
	go func() {
		defer c.works.Done()
		defer cancel()
		result, e := c.run(wctx, w, run)
		c.unregister(w)
		c.answer(w.id, result, e)
	}()
}

// run gives the answer of a request.
func (c *Conn) run(ctx context.Context, w *work, run Work) (result []byte, e *Error) {
	if ctx.Err() != nil {
		return nil, answer(ctx, ctx.Err())
	}
	err := guard(c.log, w.method, func() error {
		v, err := run(ctx)
		if err == nil {
			result, err = Marshal(v)
		}
		return err
	})
	if err != nil {
		return nil, answer(ctx, err)
	}
	return result, nil
}

// guard keeps a panic in a handler from ending the server; it is reported.
func guard(log *slog.Logger, method string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			log.Error("panic in a handler", "method", method, "panic", r, "stack", string(debug.Stack()))
			err = NewError(InternalError, bug.Recovered(r, "handling "+method).Error())
		}
	}()
	return f()
}

func (c *Conn) register(w *work) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending || c.count >= maxRequests {
		return false
	}
	k := key(w.id)
	c.handled[k] = append(c.handled[k], w)
	c.count++
	c.works.Add(1)
	return true
}

func (c *Conn) unregister(w *work) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key(w.id)
	var rest []*work
	for _, o := range c.handled[k] {
		if o != w {
			rest = append(rest, o)
		}
	}
	if c.count--; len(rest) == 0 {
		delete(c.handled, k)
	} else {
		c.handled[k] = rest
	}
}

func (c *Conn) cancel(params json.RawMessage) {
	var p struct{ ID json.RawMessage }
	if json.Unmarshal(params, &p) != nil {
		c.log.Warn("a cancel without an id")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.handled[key(string(p.ID))] {
		w.cancel()
	}
}

// answer sends the answer of a request, or of no request if id is "".
func (c *Conn) answer(id string, result []byte, e *Error) {
	var b []byte
	if e != nil {
		b = errorFrame(id, e)
	} else {
		b = resultFrame(id, result)
	}
	if err := c.box.put(b); errors.Is(err, errFull) {
		c.fail(err)
	}
	c.trace.sent(response, id, "", b)
}
