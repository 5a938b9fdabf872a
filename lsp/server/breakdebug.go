package server

import (
	"context"
	"maps"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandBreakDebug = "hocket.break.debug"

type breakDebugArguments struct {
	URI   string `json:"uri"`
	ID    string `json:"id"`
	Entry string `json:"entry"`
}

// breakDebug answers how to debug a run with breakpoints. It starts nothing: the
// client does.
func (s *Server) breakDebug(ctx context.Context, c call, a *breakDebugArguments) (any, error) {
	t, err := s.breakTarget(ctx, commandBreakDebug, c.view, a.URI, a.ID, a.Entry)
	if err != nil {
		return nil, err
	}
	if _, err := engine.Delve(); err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %v", commandBreakDebug, err)
	}
	argv := append(append([]string{}, s.opts.Command...), "break", "run", "-debug=dap")
	argv = append(append(argv, t.flags()...), buildFlags(c.view.Settings, "")...)
	argv = append(argv, ".")
	env := maps.Clone(c.view.Settings.Build.Env)
	if env == nil {
		env = map[string]string{}
	}
	name := "hocket: " + t.what() + " with breakpoints"
	if t.id != "" {
		name = "hocket: " + t.what() + " with " + t.id
	}
	return &debugAnswer{ID: t.id,
		Adapter:       debugAdapter{Command: argv[0], Args: argv[1:], Dir: t.dir, Env: env},
		Configuration: debugConfiguration{Type: section, Request: "launch", Name: name, ID: t.id, Dir: t.dir},
	}, nil
}
