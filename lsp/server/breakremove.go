package server

import (
	"context"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandBreakRemove = "hocket.break.remove"

type breakRemoveArguments struct {
	ID       string    `json:"id"`
	URI      string    `json:"uri"`
	Position *position `json:"position"`
	Show     bool      `json:"show"`
}

// breakRemove removes a breakpoint.
func (s *Server) breakRemove(ctx context.Context, c call, a *breakRemoveArguments) (any, error) {
	m, b, err := s.breakFor(ctx, commandBreakRemove, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	if err := engine.RemoveBreak(ctx, m.Root(), b.ID); err != nil {
		return nil, refusedBreak(commandBreakRemove, err)
	}
	m.breaks.Read(ctx, c.view.Files)
	s.Refresh()
	message := "breakpoint " + b.ID + " is removed"
	if a.Show {
		s.say(ctx, protocol.MessageTypeInfo, message)
	}
	return struct {
		Removed string `json:"removed"`
		Message string `json:"message"`
	}{b.ID, message}, nil
}
