package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// withFeature serves a session whose only feature is f.
func withFeature(t *testing.T, f func(s *Server) *feature) *lsptest.Client {
	t.Helper()
	return lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		log := slog.New(slog.DiscardHandler)
		conn := protocol.NewConn(in, out, log, nil)
		s := New(conn, Options{Log: log, Command: []string{"/nonexistent"}})
		extra := f(s)
		s.features = append(s.features, extra)
		for method, p := range extra.requests {
			s.requests[method] = p
		}
		return s.Run(context.Background())
	})
}

// worker is a request that shows progress until it is told to end.
func worker(cancelled chan<- string, finish <-chan struct{}) func(s *Server) *feature {
	return func(s *Server) *feature {
		work := func(ctx context.Context, _ View, p *protocol.WorkDoneProgressParams) (any, error) {
			ctx, stop := context.WithCancelCause(ctx)
			defer stop(nil)
			progress := s.Begin(ctx, p.WorkDoneToken, "title", "begins", func() { stop(fmt.Errorf("by its progress")) })
			defer progress.End("ended")
			for i := 0; ; i++ {
				progress.Report(fmt.Sprintf("at %d", i), i)
				select {
				case <-ctx.Done():
					cancelled <- context.Cause(ctx).Error()
					return nil, context.Canceled
				case <-finish:
					return "finished", nil
				case <-time.After(time.Millisecond):
				}
			}
		}
		return &feature{name: "test", requests: map[string]prepareFunc{"test/work": onRequest(s, work)}}
	}
}

func kindIs(kind, token string) func(json.RawMessage) bool {
	return func(p json.RawMessage) bool {
		return strings.Contains(string(p), `"kind":"`+kind+`"`) && strings.Contains(string(p), `"token":`+token)
	}
}

func TestProgressWithTheTokenOfTheRequest(t *testing.T) {
	cancelled, finish := make(chan string, 1), make(chan struct{})
	c := withFeature(t, worker(cancelled, finish))
	c.Initialize(nil)
	p := c.Begin("test/work", lsptest.Object{"workDoneToken": "mine"})
	if got := string(c.WaitNotification("$/progress", kindIs("begin", `"mine"`))); !strings.Contains(got, `"title":"title"`) || !strings.Contains(got, `"cancellable":true`) {
		t.Errorf("begins with %s", got)
	}
	start := time.Now()
	for range 3 {
		c.WaitNotification("$/progress", kindIs("report", `"mine"`))
	}
	if d := time.Since(start); d < 2*progressPause {
		t.Errorf("three reports in %v", d)
	}
	close(finish)
	if got, err := p.Wait(); string(got) != `"finished"` {
		t.Error(got, err)
	}
	c.WaitNotification("$/progress", kindIs("end", `"mine"`))
	c.Shutdown()
}

func TestProgressIsCancelled(t *testing.T) {
	for name, c := range map[string]struct {
		params lsptest.Object
		token  string
		cancel func(*lsptest.Client, lsptest.Pending)
	}{
		"by its progress, the client's token": {lsptest.Object{"workDoneToken": 7}, "7", func(c *lsptest.Client, _ lsptest.Pending) {
			c.Notify("window/workDoneProgress/cancel", lsptest.Object{"token": 7})
		}},
		"by its progress, the server's token": {lsptest.Object{}, `"hocket-1"`, func(c *lsptest.Client, _ lsptest.Pending) {
			c.Notify("window/workDoneProgress/cancel", lsptest.Object{"token": "hocket-1"})
		}},
		"context canceled": {lsptest.Object{}, `"hocket-1"`, func(_ *lsptest.Client, p lsptest.Pending) { p.Cancel() }},
	} {
		cancelled := make(chan string, 1)
		client := withFeature(t, worker(cancelled, nil))
		client.Initialize(nil)
		p := client.Begin("test/work", c.params)
		client.WaitNotification("$/progress", kindIs("begin", c.token))
		for _, token := range []any{nil, "unknown", 99, []int{}} { // of nobody
			client.Notify("window/workDoneProgress/cancel", lsptest.Object{"token": token})
		}
		c.cancel(client, p)
		if why := <-cancelled; !strings.HasPrefix(name, why) {
			t.Errorf("%s: %s", name, why)
		}
		if _, err := p.Wait(); err == nil || !strings.Contains(err.Error(), "-32800") {
			t.Errorf("%s: %v", name, err)
		}
		client.WaitNotification("$/progress", kindIs("end", c.token))
		client.Shutdown()
	}
}

// TestClientsWithoutProgress: nothing is sent, and the work is done.
func TestClientsWithoutProgress(t *testing.T) {
	finish := make(chan struct{})
	close(finish)
	c := withFeature(t, worker(make(chan string, 1), finish))
	c.Initialize(lsptest.Object{"capabilities": lsptest.Object{}})
	c.Must("test/work", lsptest.Object{}, nil)
	if n := len(c.Notifications("$/progress")); n > 0 {
		t.Errorf("%d progress notifications", n)
	}
	c.Shutdown()

	c = withFeature(t, worker(make(chan string, 1), finish))
	c.Handle("window/workDoneProgress/create", func(json.RawMessage) (any, error) { return nil, fmt.Errorf("no") })
	c.Initialize(nil)
	c.Must("test/work", lsptest.Object{}, nil)
	if n := len(c.Notifications("$/progress")); n > 0 {
		t.Errorf("%d progress notifications for a token that was refused", n)
	}
	c.Shutdown()
}
