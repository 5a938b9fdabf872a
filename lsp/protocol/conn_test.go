package protocol_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hocket-dev/hocket/internal/bug"
	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo is a handler whose state is the number of "add" notifications.
type echo struct {
	conn  *protocol.Conn
	n     int // changed and read in order of arrival
	last  atomic.Int64
	block chan struct{}
}

func (e *echo) Notify(ctx context.Context, method string, params json.RawMessage) error {
	switch method {
	case "add":
		var p struct{ N int64 }
		json.Unmarshal(params, &p) //nolint:errcheck // zero shows
		if p.N != e.last.Add(1) {
			panic(fmt.Sprintf("notification %d came as number %d", p.N, e.last.Load()))
		}
		e.n++
	case "panic":
		panic("in a notification")
	case "call":
		return e.conn.Call(ctx, "client/x", nil, nil)
	case "exit":
		e.conn.Stop()
	}
	return nil
}

func (e *echo) Prepare(_ context.Context, method string, params json.RawMessage) (protocol.Work, error) {
	n := e.n
	switch method {
	case "count":
		return func(context.Context) (any, error) { return n, nil }, nil
	case "block":
		return func(ctx context.Context) (any, error) {
			select {
			case <-ctx.Done():
				return nil, fmt.Errorf("blocked: %w", ctx.Err())
			case <-e.block:
				return "freed", nil
			}
		}, nil
	case "stubborn": // its own error, though it was cancelled
		return func(ctx context.Context) (any, error) {
			<-ctx.Done()
			return nil, errors.New("stopped in the middle")
		}, nil
	case "panic":
		return func(context.Context) (any, error) { panic("in a request") }, nil
	case "panic early":
		panic("in Prepare")
	case "unencodable":
		return func(context.Context) (any, error) { return func() {}, nil }, nil
	case "nil":
		return func(context.Context) (any, error) { return (*protocol.Hover)(nil), nil }, nil
	case "none":
		return func(context.Context) (any, error) { return []protocol.CodeLens(nil), nil }, nil
	case "ask":
		return func(ctx context.Context) (any, error) {
			var answer string
			err := e.conn.Call(ctx, "client/ask", map[string]int{"x": 1}, &answer)
			return answer, err
		}, nil
	}
	return nil, protocol.Errorf(protocol.MethodNotFound, "no %s", method)
}

func serve(t *testing.T) (*lsptest.Client, *echo) {
	e := &echo{block: make(chan struct{})}
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		e.conn = protocol.NewConn(in, out, slog.New(slog.DiscardHandler), nil)
		return e.conn.Run(context.Background(), e)
	})
	return c, e
}

func end(t *testing.T, c *lsptest.Client) {
	t.Helper()
	c.Notify("exit", nil)
	if err := c.Ended(); err != nil {
		t.Error(err)
	}
	for _, p := range c.Problems() {
		t.Error(p)
	}
}

func code(err error) int {
	var e *lsptest.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func TestRequestsSeeTheStateAtTheirArrival(t *testing.T) {
	c, _ := serve(t)
	var asked []lsptest.Pending
	for i := range 1000 {
		c.Notify("add", lsptest.Object{"n": i + 1})
		asked = append(asked, c.Begin("count", nil))
	}
	for i, p := range asked {
		if got, err := p.Wait(); err != nil || string(got) != fmt.Sprint(i+1) {
			t.Fatalf("after %d notifications a request saw %s, %v", i+1, got, err)
		}
	}
	end(t, c)
}

func TestRequestsRunAtOnce(t *testing.T) {
	c, e := serve(t)
	blocked := c.Begin("block", nil)
	if _, err := c.Request("count", nil); err != nil {
		t.Fatal(err)
	}
	if blocked.Answered() {
		t.Fatal("answered before it was freed")
	}
	close(e.block)
	if got, err := blocked.Wait(); string(got) != `"freed"` || err != nil {
		t.Fatal(got, err)
	}
	end(t, c)
}

func TestCancel(t *testing.T) {
	c, _ := serve(t)
	for _, method := range []string{"block", "stubborn"} {
		if _, err := c.RequestCancel(method, nil); code(err) != -32800 {
			t.Errorf("%s: a cancelled request was answered with %v", method, err)
		}
	}
	// Cancels of what is not there, and of ids that can't be.
	for _, id := range []any{77, "x", nil, 1.5, []int{1}, lsptest.Object{}} {
		c.Notify("$/cancelRequest", lsptest.Object{"id": id})
	}
	c.Notify("$/cancelRequest", nil)
	c.Notify("$/cancelRequest", []int{})
	// An id spelled in another way.
	c.Raw(lsptest.Frame(`{"jsonrpc":"2.0","id":"\u0041","method":"block"}`))
	c.Raw(lsptest.Frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"A"}}`))
	c.Until("the answer to A", func() bool {
		return strings.Contains(strings.Join(c.Unasked(), ""), `"id":"\u0041","error":{"code":-32800`)
	})
	c.Notify("exit", nil)
	c.Ended() //nolint:errcheck // what matters was seen
}

// TestPanicsAreAnswered, and reported: those of a notification, of a request, and
// of its preparation.
func TestPanicsAreAnswered(t *testing.T) {
	bug.Tolerate(t)
	c, _ := serve(t)
	c.Notify("panic", nil)
	for _, method := range []string{"panic", "panic early", "unencodable"} {
		_, err := c.Request(method, nil)
		if code(err) != -32603 {
			t.Errorf("%s: %v", method, err)
		}
		if method != "unencodable" && !strings.Contains(err.Error(), "handling "+method+" failed: internal error of Hocket; run \"hocket bug\"") {
			t.Errorf("%s: %v", method, err)
		}
	}
	if got, err := bug.List(); len(got) != 3 || err != nil {
		t.Errorf("reports %+v, %v", got, err)
	}
	if got, err := c.Request("nil", nil); string(got) != "null" || err != nil {
		t.Error(string(got), err)
	}
	if got, err := c.Request("none", nil); string(got) != "[]" || err != nil {
		t.Error(string(got), err)
	}
	end(t, c)
}

func TestTheEndCancelsAndAnswers(t *testing.T) {
	c, _ := serve(t)
	a, b := c.Begin("block", nil), c.Begin("block", nil)
	start := time.Now()
	end(t, c)
	for _, p := range []lsptest.Pending{a, b} {
		if _, err := p.Wait(); code(err) != -32800 {
			t.Errorf("a request in work at the end was answered with %v", err)
		}
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("the end took %v", d)
	}
}

func TestEndOfInput(t *testing.T) {
	c, _ := serve(t)
	p := c.Begin("block", nil)
	if _, err := c.Request("count", nil); err != nil {
		t.Fatal(err)
	}
	c.CloseInput()
	if err := c.Ended(); err != nil {
		t.Error(err)
	}
	if _, err := p.Wait(); code(err) != -32800 {
		t.Error(err)
	}
}

func TestCallsOfTheClient(t *testing.T) {
	c, _ := serve(t)
	c.Handle("client/ask", func(params json.RawMessage) (any, error) { return "answer to " + string(params), nil })
	if got, err := c.Request("ask", nil); err != nil || !strings.Contains(string(got), "answer to") {
		t.Fatal(string(got), err)
	}
	c.Handle("client/ask", func(json.RawMessage) (any, error) { return nil, errors.New("no answer") })
	if _, err := c.Request("ask", nil); err == nil || !strings.Contains(err.Error(), "no answer") {
		t.Fatal(err)
	}
	// A call on the reading goroutine fails instead of blocking for ever.
	c.Notify("call", nil)
	if _, err := c.Request("count", nil); err != nil {
		t.Fatal(err)
	}
	end(t, c)
}

func TestTooManyAtOnce(t *testing.T) {
	c, e := serve(t)
	var all []lsptest.Pending
	for range 4200 {
		all = append(all, c.Begin("block", nil))
	}
	refused := 0
	if _, err := all[len(all)-1].Wait(); code(err) != -32803 {
		t.Errorf("the last of %d requests: %v", len(all), err)
	}
	close(e.block)
	for _, p := range all {
		if _, err := p.Wait(); code(err) == -32803 {
			refused++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if refused != len(all)-4096 {
		t.Errorf("%d refused", refused)
	}
	end(t, c)
}

// stuck is a writer whose reader has gone to sleep.
type stuck struct {
	once  sync.Once
	begun chan struct{}
	wake  chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	s.once.Do(func() { close(s.begun) })
	<-s.wake
	return len(b), nil
}

func (s *stuck) Close() error {
	close(s.wake)
	return nil
}

// TestAClientThatDoesNotRead: the server goes on reading, so a cancel and exit
// are heeded, notifications of its own wait, and it ends in time.
func TestAClientThatDoesNotRead(t *testing.T) {
	in, to := io.Pipe()
	out := &stuck{begun: make(chan struct{}), wake: make(chan struct{})}
	conn := protocol.NewConn(in, out, slog.New(slog.DiscardHandler), nil)
	e := &echo{conn: conn, block: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- conn.Run(context.Background(), e) }()
	to.Write(lsptest.Frame(`{"jsonrpc":"2.0","id":1,"method":"count"}`)) //nolint:errcheck // a pipe
	<-out.begun
	sent := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		var err error
		for err == nil { // till the queue is full, then till ctx ends
			err = conn.Notify(ctx, "textDocument/publishDiagnostics", map[string]string{"x": strings.Repeat("x", 1<<20)})
		}
		sent <- err
	}()
	if err := <-sent; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a notification that can't be sent: %v", err)
	}
	for i := range 1000 {
		fmt.Fprintf(to, "%s", lsptest.Frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"count"}`, i+2)))
	}
	fmt.Fprintf(to, "%s", lsptest.Frame(`{"jsonrpc":"2.0","method":"exit"}`))
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(lsptest.Limit):
		t.Fatal("the server hangs")
	}
	to.Close()
}
