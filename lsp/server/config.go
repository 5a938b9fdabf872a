package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// section is the name of the settings in every client.
const section = "hocket"

// responseTimeout is how long the server waits for a client's response where it can go
// on without one.
const responseTimeout = 5 * time.Second

// didChangeConfiguration: clients either send the settings, or null to say that
// they are to be pulled. One that can be asked is always asked, since what it
// sends then may be the settings of all servers, or nothing.
func (s *Server) didChangeConfiguration(_ context.Context, p *protocol.DidChangeConfigurationParams) error {
	if s.session.configuration {
		s.Go(s.pullSettings)
		return nil
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(p.Settings, &all) != nil || all == nil {
		return nil // null: the client sends nothing, and can't be asked
	}
	own, ok := all[section]
	if !ok {
		own = json.RawMessage(p.Settings) // the section itself, without its name
	}
	s.applySettings(own, "didChangeConfiguration")
	s.Refresh()
	return nil
}

// pullSettings asks the client for the section, if it can be asked. One request
// follows the answer to another, so that older settings never replace newer ones.
func (s *Server) pullSettings(ctx context.Context) {
	if !s.session.configuration {
		return
	}
	s.pulling.Lock()
	defer s.pulling.Unlock()
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	name := section
	got, err := s.client.Configuration(ctx, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: &name}}})
	if err != nil || len(got) != 1 {
		s.log.Warn("the client gave no settings", "err", err, "items", len(got))
		return
	}
	if string(got[0]) == "null" { // the client knows of none: initializationOptions hold
		return
	}
	s.applySettings(got[0], "workspace/configuration")
	s.Refresh()
}

// applySettings replaces the settings, and warns the user once of each thing
// that is wrong with them.
func (s *Server) applySettings(raw []byte, from string) {
	settings, problems := parseSettings(raw)
	s.settings.Store(settings)
	for _, p := range problems {
		s.warnOnce(p, "from", from)
	}
}

// warnOnce warns the user of a problem that stays, the first time it is seen.
func (s *Server) warnOnce(problem string, args ...any) {
	if _, warned := s.warned.LoadOrStore(problem, true); warned {
		return
	}
	s.log.Warn(problem, args...)
	s.Go(func(ctx context.Context) {
		if s.untilReady(ctx) {
			s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: "hocket: " + problem}) //nolint:errcheck // the log has it
		}
	})
}

// register asks the client to notify of changed settings and of changed Go files,
// if the client supports that.
func (s *Server) register(ctx context.Context) {
	var all []protocol.Registration
	if s.session.registerSettings {
		all = append(all, protocol.Registration{ID: "hocket-settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: protocol.Any(map[string]string{"section": section})})
	}
	if s.session.registerWatching {
		all = append(all, protocol.Registration{ID: "hocket-files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: protocol.Any(map[string]any{"watchers": []any{map[string]string{"globPattern": "**/*.go"}}})})
	}
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	if err := s.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: all}); err != nil {
		s.log.Warn(fmt.Sprintf("the client does not register: %v", err))
	}
}
