package server

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// kindBreak is the kind of the code actions about breakpoints: they are offered
// on every statement, so they are not quick fixes, which editors advertise.
const kindBreak = "refactor.hocket.break"

// maxBreakActions bounds the places for which an action is offered.
const maxBreakActions = 5

// breakActions are what can be done about breakpoints at the start of a range.
func (s *Server) breakActions(ctx context.Context, v View, p *protocol.CodeActionParams) (out []protocol.CommandOrCodeAction) {
	f, ok := v.File(p.TextDocument.URI)
	if !ok || f.Path == "" || filepath.Ext(f.Path) != ".go" {
		return nil
	}
	m, ok := s.ModuleOf(f.URI)
	if !ok {
		return nil
	}
	line, column := f.Mapper().GoLineColumn(f.Mapper().Offset(p.Range.Start))
	o := &breakOffers{s: s, file: f}
	for _, side := range s.sidesOn(ctx, v, f.Path, line, line) {
		o.side(side)
	}
	if at, err := breakview.StatementAt(f, m.Root(), line, column); err == nil {
		o.statement(v, at)
	}
	return o.out
}

// breakOffers collects code actions.
type breakOffers struct {
	s    *Server
	file *files.File
	out  []protocol.CommandOrCodeAction
}

func (o *breakOffers) add(title, command string, arg map[string]any) {
	kind := protocol.CodeActionKind(kindBreak)
	o.out = append(o.out, o.s.actionOrCommand(&protocol.CodeAction{Title: title, Kind: &kind,
		Command: protocol.Command{Title: title, Command: command, Arguments: []protocol.LSPAny{protocol.Any(arg)}}}))
}

// side offers what can be done with a breakpoint that is here.
func (o *breakOffers) side(here sideHere) {
	for _, offer := range here.Offers() {
		command, arg := commandBreakEdit, map[string]any{"id": here.ID, "uri": homeURI(here.module), "show": true}
		switch offer.Action {
		case breakview.Run:
			command, arg["wait"] = commandBreakRun, false // some clients block until a command is answered
		case breakview.TurnOn, breakview.TurnOff:
			arg["off"] = offer.Action == breakview.TurnOff
		case breakview.Reorder:
			arg["order"] = offer.Order
		case breakview.Accept:
			arg["accept"] = true
		case breakview.Remove:
			command = commandBreakRemove
		}
		o.add(offer.Title, command, arg)
	}
}

// statement offers to make a statement a side.
func (o *breakOffers) statement(v View, at *breakview.Statement) {
	here := at.Range().Start
	arg := func() map[string]any {
		return map[string]any{"uri": o.file.URI, "position": here, "show": true}
	}
	if first, ok := o.s.pending.In(v.Files); ok && !first.Same(at) {
		o.add("pair with "+first.String(), commandBreakPair, arg())
	}
	if known, ok := o.s.conflicts.Of(o.file.Path); ok {
		for _, c := range known.Candidates(v.Files, o.file.Path, at.Line, at.EndLine, maxBreakActions) {
			with := arg()
			with["with"] = map[string]any{"uri": o.file.URI, "position": here}
			with["uri"], with["position"] = c.URI, c.Range.Start
			o.add(fmt.Sprintf("break here and at %s (%s)", c.Access.Place(), c.Access.Op), commandBreakPair, with)
		}
	}
	set := arg()
	set["wait"] = false
	o.add("concurrent breakpoint here", commandBreakSet, set)
}
