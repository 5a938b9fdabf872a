package server

import (
	"context"
	"path/filepath"
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
			c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix, kindBreak}}
		},
	}
}

func (s *Server) codeAction(ctx context.Context, v View, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	out := []protocol.CommandOrCodeAction{}
	if !wants(p.Context.Only, protocol.CodeActionKindQuickFix) {
		return s.withBreakActions(ctx, v, p, out), ctx.Err()
	}
	out = append(out, s.fromActions(v, p)...)
	for _, at := range s.shownAll(ctx, v, p.TextDocument.URI) {
		m := at.file.Mapper()
		from, _ := m.GoLineColumn(m.Offset(p.Range.Start))
		to, _ := m.GoLineColumn(m.Offset(p.Range.End))
		uri := at.file.URI
		if strings.HasPrefix(at.name, "../") { // commands look for the id in the module of their uri
			uri = protocol.FileURI(filepath.Join(at.view.module.Root(), "go.mod"))
		}
		fixed := map[string]bool{} // findings that have a fix
		for _, it := range at.view.On(at.name, from, to) {
			for _, a := range s.fixActions(v, at.view.module, it, uri, p.Context.Diagnostics, len(fixed) == 0) {
				out = append(out, s.actionOrCommand(a))
				fixed[it.Finding.ID] = true
			}
		}
		for _, o := range at.view.Actions(at.name, from, to, v.Settings.Replay.Runs) {
			if o.Action == present.LookForFix && fixed[o.ID] {
				continue
			}
			out = append(out, s.actionOrCommand(actionOf(o, uri, p.Context.Diagnostics)))
		}
	}
	return s.withBreakActions(ctx, v, p, out), ctx.Err()
}

func (s *Server) withBreakActions(ctx context.Context, v View, p *protocol.CodeActionParams, out []protocol.CommandOrCodeAction) []protocol.CommandOrCodeAction {
	if wants(p.Context.Only, kindBreak) {
		out = append(out, s.breakActions(ctx, v, p)...)
	}
	return out
}

func actionOf(o present.Offered, uri protocol.URI, known []protocol.Diagnostic) *protocol.CodeAction {
	kind := protocol.CodeActionKindQuickFix
	c := protocol.Command{Title: o.Title}
	arg := map[string]any{"id": o.ID, "uri": uri}
	switch o.Action {
	case present.Replay: // some clients block until a command is answered
		c.Command, arg["wait"], arg["show"] = commandReplay, false, true
	case present.Explain:
		c.Command = commandExplain
	case present.LookForFix:
		c.Command, arg["wait"], arg["show"] = commandFix, false, true
	case present.BreakFrom:
		c.Command, arg["wait"], arg["show"] = commandBreakFrom, false, true
	}
	c.Arguments = []protocol.LSPAny{protocol.Any(arg)}
	return &protocol.CodeAction{Title: o.Title, Kind: &kind, Command: c, Diagnostics: about(known, o.ID)}
}

// actionOrCommand is the command alone for clients that know of no code actions.
func (s *Server) actionOrCommand(a *protocol.CodeAction) protocol.CommandOrCodeAction {
	if s.knowsActions() {
		return a
	}
	return &a.Command
}

func (s *Server) knowsActions() bool {
	t := s.session.capabilities.TextDocument
	return t != nil && t.CodeAction != nil && len(t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
}

// wants: a kind that a client asks for includes those below it, and "" all.
func wants(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return o == "" || o == kind || strings.HasPrefix(string(kind), string(o)+".")
	})
}

// about are the client's diagnostics that are about the finding.
func about(ds []protocol.Diagnostic, id string) (out []protocol.Diagnostic) {
	for _, d := range ds {
		if source, _ := d.Source.Get(); source == section && strings.Contains(string(d.Data), `"`+id+`"`) {
			out = append(out, d)
		}
	}
	return out
}
