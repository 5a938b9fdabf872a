package dap_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-dap"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/proctest"
)

func TestEndings(t *testing.T) {
	t.Run("editor gone", func(t *testing.T) {
		s := debug(t, "transfer", "deadlock")
		s.start()
		waitFor[*dap.StoppedEvent](s)
		s.conn.Close()
		s.gone()
		noRunFiles(t)
	})
	t.Run("disconnect", func(t *testing.T) {
		s := debug(t, "transfer", "deadlock")
		s.start()
		waitFor[*dap.StoppedEvent](s)
		s.end()
		noRunFiles(t)
	})
	t.Run("debugger killed", func(t *testing.T) {
		s := debug(t, "transfer", "deadlock")
		s.start()
		waitFor[*dap.StoppedEvent](s)
		// Of all processes the program's parent is Delve.
		delve := proctest.ParentOf(t, s.programID)
		if err := syscall.Kill(delve, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		waitFor[*dap.TerminatedEvent](s)
		s.gone()
	})
	t.Run("disconnect while building", func(t *testing.T) {
		began := make(chan struct{})
		s := connectTo(t, func(ctx context.Context, _ engine.Progress) (*engine.Debuggee, error) {
			close(began)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		ask[*dap.InitializeResponse](s, "initialize", map[string]any{"adapterID": "hocket"})
		launch := s.request("launch", map[string]any{})
		<-began
		s.request("disconnect", nil)
		if m := s.answer(launch, "launch"); m.GetResponse().Success {
			t.Error("launch succeeded")
		}
		s.gone()
	})
	t.Run("cannot be prepared", func(t *testing.T) {
		s := connectTo(t, func(context.Context, engine.Progress) (*engine.Debuggee, error) {
			return nil, errors.New("finding 0badcafe is outdated: main.go changed, so that its schedule does not lead to the failure (passed)")
		})
		ask[*dap.InitializeResponse](s, "initialize", map[string]any{"adapterID": "hocket"})
		m := s.answer(s.request("launch", map[string]any{}), "launch")
		if e, ok := m.(*dap.ErrorResponse); !ok || !strings.Contains(e.Body.Error.Format, "does not lead to the failure") || !e.Body.Error.ShowUser {
			t.Errorf("answer: %s", describe([]dap.Message{m}))
		}
		s.end()
	})
	t.Run("attach", func(t *testing.T) {
		s := debug(t, "transfer", "deadlock")
		ask[*dap.InitializeResponse](s, "initialize", map[string]any{"adapterID": "hocket"})
		if m := s.answer(s.request("attach", map[string]any{"processId": 1}), "attach"); m.GetResponse().Success {
			t.Error("attached to another process")
		}
		s.end()
	})
}

// noRunFiles checks that this process has left no schedules behind.
func noRunFiles(t *testing.T) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err == nil && strings.Contains(string(maps), "hocket-") {
		t.Error("a run file is still mapped")
	}
}
