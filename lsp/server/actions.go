package server

import (
	"context"
	"fmt"
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
		items := at.view.On(at.name, from, to)
		names, offered := present.Names(items), map[string]bool{}
		for i, it := range items {
			for _, a := range s.fixActions(v, at.view.module, it, uri, p.Context.Diagnostics, len(offered) == 0) {
				if offered[a.Title] {
					a.Title += ", for " + names[i]
				}
				offered[a.Title] = true
				out = append(out, s.actionOrCommand(a))
			}
		}
		if len(items) > 0 {
			out = append(out, s.actionOrCommand(chooseAction(items, uri, p.Context.Diagnostics)))
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

// chooseAction leads to all else that can be done about findings.
func chooseAction(items []*present.Item, uri protocol.URI, known []protocol.Diagnostic) *protocol.CodeAction {
	title := fmt.Sprintf("Hocket… (%d findings)", len(items))
	if len(items) == 1 {
		title = "Hocket… (" + present.Brief(items[0].Finding) + ")"
	}
	var ids []string
	var of []protocol.Diagnostic
	for _, it := range items {
		ids = append(ids, it.Finding.ID)
	}
	for _, d := range known {
		if slices.ContainsFunc(ids, func(id string) bool { return len(about([]protocol.Diagnostic{d}, id)) > 0 }) {
			of = append(of, d)
		}
	}
	kind := protocol.CodeActionKindQuickFix
	arg := map[string]any{"ids": ids, "uri": uri}
	return &protocol.CodeAction{Title: title, Kind: &kind, Diagnostics: of,
		Command: protocol.Command{Title: title, Command: commandChoose, Arguments: []protocol.LSPAny{protocol.Any(arg)}}}
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
