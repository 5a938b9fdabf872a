package server

import (
	"context"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// actionsFeature offers what can be done about a finding on its lines.
func (s *Server) actionsFeature() *feature {
	return &feature{
		name:     "codeAction",
		requests: map[string]prepareFunc{protocol.MethodTextDocumentCodeAction: onRequest(s, s.codeAction)},
		capabilities: func(c *protocol.ServerCapabilities) {
			c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}}
		},
	}
}

func (s *Server) codeAction(ctx context.Context, v View, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	out := []protocol.CommandOrCodeAction{}
	if !wantsQuickFix(p.Context.Only) {
		return out, nil
	}
	at, ok := s.shown(ctx, v, p.TextDocument.URI)
	if !ok {
		return out, ctx.Err()
	}
	m := at.file.Mapper()
	from, _ := m.GoLineColumn(m.Offset(p.Range.Start))
	to, _ := m.GoLineColumn(m.Offset(p.Range.End))
	for _, o := range at.view.Actions(at.name, from, to, v.Settings.Replay.Runs) {
		kind := protocol.CodeActionKindQuickFix
		c := protocol.Command{Title: o.Title}
		arg := map[string]any{"id": o.ID, "uri": at.file.URI}
		switch o.Action {
		case present.Replay: // some clients block until a command is answered
			c.Command, arg["wait"], arg["show"] = commandReplay, false, true
		case present.Explain:
			c.Command = commandExplain
		}
		c.Arguments = []protocol.LSPAny{protocol.Any(arg)}
		out = append(out, s.actionOrCommand(&protocol.CodeAction{Title: o.Title, Kind: &kind, Command: c, Diagnostics: about(p.Context.Diagnostics, o.ID)}))
	}
	return out, nil
}

// actionOrCommand is the command alone for clients that know of no code actions.
func (s *Server) actionOrCommand(a *protocol.CodeAction) protocol.CommandOrCodeAction {
	t := s.session.capabilities.TextDocument
	if t != nil && t.CodeAction != nil && len(t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0 {
		return a
	}
	return &a.Command
}

// wantsQuickFix: "" and "quickfix" include quick fixes, "quickfix.x" does not.
func wantsQuickFix(only []protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.Contains(only, protocol.CodeActionKindQuickFix) || slices.Contains(only, "")
}

// about are the client's diagnostics that speak of the finding.
func about(ds []protocol.Diagnostic, id string) (out []protocol.Diagnostic) {
	for _, d := range ds {
		if source, _ := d.Source.Get(); source == section && strings.Contains(string(d.Data), `"`+id+`"`) {
			out = append(out, d)
		}
	}
	return out
}
