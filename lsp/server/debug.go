package server

import (
	"context"
	"fmt"
	"maps"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// commandDebug is there for clients that can start a debug session with what it
// answers; they say so by the capability experimental.hocketDebug.
const commandDebug = "hocket.debug"

type debugArguments struct {
	ID  string `json:"id"`
	URI string `json:"uri"` // any file of the module
	// Step is the one of hocket.schedule to begin at, of the failing run; 0 is the start.
	Step int `json:"step"`
}

func (a *debugArguments) check() error {
	if a.Step < 0 {
		return invalid(commandDebug, "step is %d; it must be the number of a step", a.Step)
	}
	if a.ID == "" {
		return invalid(commandDebug, "id is missing; hocket.list lists the findings")
	}
	return nil
}

// debugAnswer is what it takes to debug a finding: how to start the debug
// adapter, which speaks on its stdin and stdout, and what to send it.
type debugAnswer struct {
	ID            string             `json:"id"`
	Adapter       debugAdapter       `json:"adapter"`
	Configuration debugConfiguration `json:"configuration"`
}

type debugAdapter struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Dir     string            `json:"cwd"`
	Env     map[string]string `json:"env"` // added to the client's own
}

// debugConfiguration is a launch configuration; the adapter knows the program.
type debugConfiguration struct {
	Type    string `json:"type"`
	Request string `json:"request"`
	Name    string `json:"name"`
	ID      string `json:"id"`
	Dir     string `json:"cwd"`
}

// debug answers how to debug a finding. It starts nothing: the client does.
func (s *Server) debug(ctx context.Context, c call, a *debugArguments) (any, error) {
	m, found, err := s.lookUp(ctx, commandDebug, c.view, a.URI, a.ID)
	if err != nil {
		return nil, err
	}
	if _, err := engine.Delve(); err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %v", commandDebug, err)
	}
	f := found.Finding
	argv := append(append([]string{}, s.opts.Command...), "replay", "-debug=dap")
	if a.Step > 0 {
		argv = append(argv, fmt.Sprintf("-at=%d", a.Step))
	}
	argv = append(argv, f.ID)
	env := maps.Clone(c.view.Settings.Build.Env)
	if env == nil {
		env = map[string]string{}
	}
	return &debugAnswer{
		ID:            f.ID,
		Adapter:       debugAdapter{Command: argv[0], Args: argv[1:], Dir: m.Root(), Env: env},
		Configuration: debugConfiguration{Type: section, Request: "launch", Name: "hocket: " + f.Entry + ": " + words.OneLine(f.Headline()), ID: f.ID, Dir: m.Root()},
	}, nil
}
