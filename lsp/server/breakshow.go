package server

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// What every client shows of breakpoints and conflicts: lenses, hovers, code
// actions.

// breakLenses are the lenses of a document about conflicts and breakpoints.
func (s *Server) breakLenses(ctx context.Context, v View, at shown) (out []protocol.CodeLens) {
	set, path := v.Settings.CodeLenses, at.file.Path
	if known, ok := s.conflicts.of(packageOf(path)); ok && set.Conflicts {
		if name, ok := known.module.nameIn(path); ok {
			for _, l := range present.ConflictLenses(known.SharedIn(name, known.text(v))) {
				out = append(out, lensOf(at.file, l))
			}
		}
	}
	if !set.Breakpoints {
		return out
	}
	for _, m := range sortedModules(s.Modules()) {
		opt := present.BreakLensOptions{Runs: v.Settings.Break.Runs, Debug: set.Debug && s.session.debugs, Job: s.breakJob}
		for _, b := range s.breaksIn(ctx, v, m) {
			for _, l := range b.Lenses(path, opt) {
				lens := lensOf(at.file, l)
				if !below(path, m.Root()) && l.Action != present.Cancel { // the id is one of another module
					lens.Command.Arguments = []protocol.LSPAny{withURI(lens.Command.Arguments[0], m)}
				}
				out = append(out, lens)
			}
		}
	}
	return out
}

// withURI makes an argument name the module that a breakpoint belongs to.
func withURI(arg protocol.LSPAny, m *Module) protocol.LSPAny {
	fields := map[string]any{}
	if err := protocol.Unmarshal(arg, &fields); err != nil {
		return arg
	}
	fields["uri"] = homeURI(m)
	return protocol.Any(fields)
}

// homeURI is a file of a module.
func homeURI(m *Module) protocol.URI { return protocol.FileURI(filepath.Join(m.Root(), "go.mod")) }

// breakJob finds the job that runs with a breakpoint alone.
func (s *Server) breakJob(id string) (present.Job, bool) {
	for _, j := range s.jobs.Snapshot() {
		if j.Key.Kind == kindBreakRun && strings.HasPrefix(j.Key.Detail, id+" ") {
			return present.Job{ID: j.ID, Break: true, Waiting: j.Status == jobs.Queued}, true
		}
	}
	return present.Job{}, false
}

// breakHover explains the breakpoints that have a side where the pointer is.
func (s *Server) breakHover(ctx context.Context, v View, p *protocol.HoverParams) (text string, at protocol.Range, ok bool) {
	f, found := v.File(p.TextDocument.URI)
	if !found || f.Path == "" {
		return "", at, false
	}
	m := f.Mapper()
	offset := m.Offset(p.Position)
	line, _ := m.GoLineColumn(offset)
	var parts []string
	for _, on := range s.sidesOn(ctx, v, f.Path, line, line) {
		side := &on.Places[on.side-1]
		if offset < m.GoOffset(side.Line, side.Column) || offset >= m.GoOffset(side.EndLine, side.EndColumn) {
			continue
		}
		if len(parts) == 0 {
			at = sideRange(f, side)
		}
		parts = append(parts, on.Hover(on.side, s.style(on.module)))
	}
	return strings.Join(parts, "\n---\n\n"), at, len(parts) > 0
}

// kindBreak is the kind of the code actions about breakpoints: they are offered
// on every statement, so they are no quick fixes, which editors advertise.
const kindBreak = "refactor.hocket.break"

// maxBreakActions bounds the places for which an action is offered.
const maxBreakActions = 5

// breakActions are what can be done about breakpoints at the start of a range.
func (s *Server) breakActions(ctx context.Context, v View, p *protocol.CodeActionParams) (out []protocol.CommandOrCodeAction) {
	f, ok := v.File(p.TextDocument.URI)
	if !ok || f.Path == "" || filepath.Ext(f.Path) != ".go" {
		return nil
	}
	if _, ok := s.ModuleOf(f.URI); !ok {
		return nil
	}
	m := f.Mapper()
	line, column := m.GoLineColumn(m.Offset(p.Range.Start))
	o := &breakOffers{s: s, file: f}
	for _, on := range s.sidesOn(ctx, v, f.Path, line, line) {
		o.side(on)
	}
	if at, err := statementAt(f, f.Path, line, column); err == nil {
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
func (o *breakOffers) side(on sideHere) {
	arg := func() map[string]any { return map[string]any{"id": on.ID, "uri": homeURI(on.module), "show": true} }
	name := "breakpoint " + on.ID
	if on.Off {
		on := arg()
		on["off"] = false
		o.add("turn on "+name, commandBreakEdit, on)
	} else {
		run := arg()
		run["wait"] = false // some clients block until a command is answered
		o.add("run with "+name, commandBreakRun, run)
		off := arg()
		off["off"] = true
		o.add("turn off "+name, commandBreakEdit, off)
	}
	if len(on.Places) == 2 {
		turned := arg()
		first := on.Releases()[0]
		turned["order"] = []int{3 - first, first}
		o.add(fmt.Sprintf("let side %d of %s go on first", 3-first, name), commandBreakEdit, turned)
	}
	if on.Places[on.side-1].Changed != "" {
		accepted := arg()
		accepted["accept"] = true
		o.add("accept the new text of "+name, commandBreakEdit, accepted)
	}
	o.add("remove "+name, commandBreakRemove, arg())
}

// statement offers to make a statement a side.
func (o *breakOffers) statement(v View, at *statement) {
	here := at.span().Start
	arg := func() map[string]any {
		return map[string]any{"uri": o.file.URI, "position": here, "show": true}
	}
	if first, ok := o.s.pending.in(v); ok && (first.file.Path != at.file.Path || first.Line != at.Line || first.Column != at.Column) {
		o.add("pair with "+first.words(), commandBreakPair, arg())
	}
	if known, ok := o.s.conflicts.of(packageOf(o.file.Path)); ok {
		for i, p := range known.partners(v, o.file.Path, at.Line, at.EndLine) {
			c, ok := known.candidate(v, p)
			if !ok || i == maxBreakActions {
				break
			}
			with := arg()
			with["with"] = map[string]any{"uri": o.file.URI, "position": here}
			with["uri"], with["position"] = c.URI, c.Range.Start
			o.add(fmt.Sprintf("break here and at %s (%s)", p.Place(), p.Op), commandBreakPair, with)
		}
	}
	set := arg()
	set["wait"] = false
	o.add("concurrent breakpoint here", commandBreakSet, set)
}
