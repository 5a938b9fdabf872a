package main

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hocket-dev/hocket/engine"
)

// TestInterrupted: what was cut short has its own exit code, by whatever end.
func TestInterrupted(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		code int // 0: the error as it is
		want string
	}{
		{ended, fmt.Errorf("list: %w", context.Canceled), exitCut, "interrupted"},
		{context.Background(), fmt.Errorf("too late; %w", engine.ErrBudget), exitCut, "too late; a larger budget gives more time"},
		{ended, errors.New("no module"), 0, "no module"},
		{context.Background(), context.Canceled, 0, "context canceled"},
	} {
		err := interrupted(c.ctx, c.err)
		var e *exitError
		code := 0
		if errors.As(err, &e) {
			code = e.code
		}
		if code != c.code || err.Error() != c.want {
			t.Errorf("%v: %q with code %d, want %q with %d", c.err, err, code, c.want, c.code)
		}
	}
}
