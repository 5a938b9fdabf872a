package server

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// From a core dump to a search for its state.

const commandDump = "hocket.dump"

type dumpArguments struct {
	URI     string   `json:"uri"`     // the core, a file
	Exe     string   `json:"exe"`     // the executable that made it, a file; default: the one that the core names
	Module  string   `json:"module"`  // any file of the module; default: the core's, or the only one that is open
	Pattern string   `json:"pattern"` // packages to search; default: what the stacks begin with
	Args    []string `json:"args"`    // of the program
	Run     string   `json:"run"`     // tests, as in "hocket dump -run"
	Budget  string   `json:"budget"`
	Redact  bool     `json:"redact"` // leave values of variables out
	delivery
}

func (a *dumpArguments) check() error {
	if a.URI == "" {
		return invalid(commandDump, "uri is missing: that of a core dump")
	}
	return checkSearch(commandDump, a.Pattern, a.Budget)
}

// dump searches for the state that a core shows.
func (s *Server) dump(ctx context.Context, c call, a *dumpArguments) (any, error) {
	file, err := fileAt("uri", a.URI)
	if err != nil {
		return nil, err
	}
	switch core, err := engine.IsCore(file); {
	case err != nil:
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %v", commandDump, err)
	case !core:
		return nil, invalid(commandDump, "%s is no core dump; hocket.from takes other artefacts of a failure", file)
	}
	at, err := s.moduleOf(commandDump, c.view, a.Module, a.URI)
	if err != nil {
		return nil, err
	}
	var own []string
	if a.Exe != "" {
		exe, err := fileAt("exe", a.Exe)
		if err != nil {
			return nil, err
		}
		own = append(own, "-exe="+exe)
	}
	if a.Redact {
		own = append(own, "-redact")
	}
	return s.seek(ctx, c, sought{
		kind: "dump", art: artefact{name: filepath.Base(file), path: file}, root: at.root, run: a.Run, budget: a.Budget,
		flags: own, patterns: strings.Fields(a.Pattern), args: a.Args,
		detail: strings.Join(append([]string{file, a.Pattern, a.Run, a.Exe}, a.Args...), " "), delivery: a.delivery,
	})
}

// fileAt is the file that a field names.
func fileAt(field, uri string) (string, error) {
	u, err := protocol.ParseURI(uri)
	if err != nil {
		return "", invalid(commandDump, "invalid %s %q: it must be that of a file", field, uri)
	}
	file, ok := protocol.Path(u)
	if !ok {
		return "", invalid(commandDump, "%s %s is not a file on this machine", field, uri)
	}
	return file, nil
}
