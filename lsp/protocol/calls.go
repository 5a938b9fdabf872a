package protocol

import (
	"bytes"
	"context"
	"errors"
	"strconv"

	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"
)

// onReader marks the context of what runs on the reading goroutine: it must not
// wait for what only that goroutine can bring.
type onReader struct{}

func isReader(ctx context.Context) bool {
	on, _ := ctx.Value(onReader{}).(bool)
	return on
}

// Client is the typed way to the client. Its calls wait for the client's
// response, so they are for goroutines of the server's own and for the work of
// requests; notifications may be sent from everywhere.
func (c *Conn) Client() Client { return lsp.ClientDispatcher(caller{c: c}) }

// caller is the part of jsonrpc2.Conn that the typed client needs.
type caller struct {
	jsonrpc2.Conn // nil: the rest is never called
	c             *Conn
}

func (a caller) Notify(ctx context.Context, method string, params any) error {
	return a.c.Notify(ctx, method, params)
}

// Call's id is the zero ID: cancelling is done by Conn.Call, and the typed client would do it again.
func (a caller) Call(ctx context.Context, method string, params, result any) (jsonrpc2.ID, error) {
	return jsonrpc2.ID{}, a.c.Call(ctx, method, params, result)
}

// Notify sends a notification. It waits if a client that does not read has much
// waiting already, but not on the reading goroutine; reports of progress and
// log messages are dropped then.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	raw, err := marshalParams(params)
	if err != nil {
		return err
	}
	f := notificationFrame(method, raw)
	if method != lsp.MethodLogTrace {
		c.trace.sent(notification, "", method, f)
	}
	if mayDrop(method, raw) {
		c.box.offer(f)
		return nil
	}
	if isReader(ctx) {
		return c.box.put(f)
	}
	return c.box.wait(ctx, f)
}

func mayDrop(method string, params []byte) bool {
	switch method {
	case lsp.MethodWindowLogMessage, lsp.MethodLogTrace:
		return true
	case lsp.MethodProgress: // not its begin and end
		return bytes.Contains(params, []byte(`"kind":"report"`))
	}
	return false
}

// Call sends a request to the client and waits for its response. If ctx ends
// before, the client is sent a cancel. result
// may be nil.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if isReader(ctx) {
		return errors.New("the client is called on the reading goroutine, which has to read the response")
	}
	raw, err := marshalParams(params)
	if err != nil {
		return err
	}
	n := c.calls.Add(1)
	id := strconv.FormatInt(n, 10)
	got := make(chan message, 1)
	if err := c.expect(id, got); err != nil {
		return err
	}
	defer c.forget(id)
	f := requestFrame(n, method, raw)
	c.trace.sent(request, id, method, f)
	if err := c.box.wait(ctx, f); err != nil {
		return err
	}
	select {
	case m := <-got:
		if m.err != nil {
			return m.err
		}
		if result == nil || unlessNull(m.result) == nil {
			return nil
		}
		return Unmarshal(m.result, result)
	case <-ctx.Done():
		c.box.offer(notificationFrame(lsp.MethodCancelRequest, []byte(`{"id":`+id+`}`)))
		return ctx.Err()
	}
}

func (c *Conn) expect(id string, got chan<- message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return errGone
	}
	c.waiting[id] = got
	return nil
}

func (c *Conn) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// respond delivers a response. A second one for the same id, or one nobody
// waits for any more, is ignored.
func (c *Conn) respond(m message) {
	c.mu.Lock()
	got := c.waiting[m.id]
	delete(c.waiting, m.id)
	c.mu.Unlock()
	if got != nil {
		got <- m
	}
}

func marshalParams(params any) ([]byte, error) {
	if params == nil {
		return nil, nil
	}
	return Marshal(params)
}
