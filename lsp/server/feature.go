package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"

	"github.com/hocket-dev/hocket/internal/bug"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// feature is what one thing that the server does for users adds to it. Every
// field but the name may be left out.
type feature struct {
	name string

	requests      map[string]prepareFunc // by method; see onRequest
	notifications map[string]notifyFunc  // by method; see onNotification

	// capabilities adds to what initialize answers.
	capabilities func(*protocol.ServerCapabilities)

	// ready is called once in a goroutine of the server's, when the client has
	// said "initialized" and the settings were pulled.
	ready func(ctx context.Context)

	// changed is called after a document was opened, edited, saved or closed, on
	// the reading goroutine, so in order; it must not block. uri is as in
	// protocol.SameDocument.
	changed func(ctx context.Context, v View, uri protocol.URI)

	// touched is called after a document was opened or saved, as changed is.
	touched func(ctx context.Context, v View, uri protocol.URI)

	// refresh is called after anything else that users see has changed: findings
	// of a module, the settings, the workspace, or what Refresh was called for.
	// It is called by one goroutine, never twice at once; what happens meanwhile
	// makes one more call.
	refresh func(ctx context.Context, v View)

	// stop is called when the session has ended, before the server's goroutines
	// are waited for.
	stop func()
}

type (
	prepareFunc func(ctx context.Context, params json.RawMessage) (protocol.Work, error)
	notifyFunc  func(ctx context.Context, params json.RawMessage) error
)

// onRequest makes a handler of a function with typed parameters. The function
// runs in a goroutine of its own, beside others; the view was taken when the
// request arrived.
func onRequest[P, R any](s *Server, f func(ctx context.Context, v View, p *P) (R, error)) prepareFunc {
	return func(_ context.Context, params json.RawMessage) (protocol.Work, error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		v := s.view()
		return func(ctx context.Context) (any, error) { return f(ctx, v, p) }, nil
	}
}

// onNotification makes a handler of a function with typed parameters. It runs
// on the reading goroutine and must not block.
func onNotification[P any](f func(ctx context.Context, p *P) error) notifyFunc {
	return func(ctx context.Context, params json.RawMessage) error {
		p, err := decode[P](params)
		if err != nil {
			return err
		}
		return f(ctx, p)
	}
}

// none is the type of parameters that don't matter.
type none struct{}

func decode[P any](params json.RawMessage) (*P, error) {
	p := new(P)
	if _, ok := any(p).(*none); ok {
		return p, nil
	}
	if len(params) == 0 {
		return nil, protocol.NewError(protocol.InvalidParams, "the parameters are missing")
	}
	if params[0] != '{' {
		return nil, protocol.NewError(protocol.InvalidParams, "the parameters are not an object")
	}
	if err := protocol.Unmarshal(params, p); err != nil {
		return nil, protocol.Errorf(protocol.InvalidParams, "invalid parameters: %v", err)
	}
	return p, nil
}

// survive keeps a panic in a goroutine from ending the process; it is reported,
// and the user is told once.
func (s *Server) survive(what string) {
	if r := recover(); r != nil {
		s.log.Error("panic in "+what, slog.Any("panic", r), slog.String("stack", string(debug.Stack())))
		s.warnOnce(bug.Recovered(r, "running "+what).Error())
	}
}

func (s *Server) each(f func(*feature)) {
	for _, one := range s.features {
		func() {
			defer s.survive("feature " + one.name)
			f(one)
		}()
	}
}
