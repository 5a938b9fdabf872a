package server

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// What the features about findings show of breakpoints and conflicts too: lenses,
// hovers, diagnostics.

// breakLenses are the lenses of a document about conflicts and breakpoints.
func (s *Server) breakLenses(ctx context.Context, v View, at shown) (out []protocol.CodeLens) {
	set, path := v.Settings.CodeLenses, at.file.Path
	if known, ok := s.conflicts.Of(path); ok && set.Conflicts {
		for _, l := range known.Lenses(v.Files, path) {
			out = append(out, lensOf(at.file, l))
		}
	}
	if !set.Breakpoints {
		return out
	}
	for _, m := range sortedModules(s.Modules()) {
		opt := present.BreakLensOptions{Runs: v.Settings.Break.Runs, Debug: set.Debug && s.session.debugs, Marks: s.session.marks, Job: s.breakJob}
		for _, b := range m.breaks.In(ctx, v.Files).Breaks {
			for _, l := range b.Lenses(path, opt) {
				lens := lensOf(at.file, l)
				if !files.Below(path, m.Root()) && l.Action != present.Cancel { // the id is one of another module
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
	var parts []string
	for _, m := range sortedModules(s.Modules()) {
		for _, side := range m.breaks.In(ctx, v.Files).At(f, f.Mapper().Offset(p.Position)) {
			if len(parts) == 0 {
				at = breakview.Range(f, side.Place())
			}
			parts = append(parts, side.Hover(side.Number, s.style(m)))
		}
	}
	return strings.Join(parts, "\n---\n\n"), at, len(parts) > 0
}

// collectBreaks adds the hints about a module's breakpoints.
func (p *publisher) collectBreaks(ctx context.Context, v View, m *Module, wanted map[protocol.URI]*protocol.PublishDiagnosticsParams) {
	for _, h := range m.breaks.In(ctx, v.Files).Hints() {
		d := protocol.Diagnostic{Range: h.Range, Severity: protocol.DiagnosticSeverityHint, Source: protocol.Some(section),
			Code: protocol.String(h.Code), Message: protocol.String(h.Message)}
		if h.Break == "" {
			d.Severity = protocol.DiagnosticSeverityWarning
		} else {
			d.Data = protocol.Any(map[string]any{"breakpoint": h.Break})
		}
		into := of(wanted, h.File)
		into.Diagnostics = append(into.Diagnostics, d)
	}
}

// sideHere is a side of a module's breakpoint that is on some line.
type sideHere struct {
	breakview.Side
	module *Module
}

// sidesOn are the sides on the lines from..to of a file, of all modules: a
// module's breakpoints may lie in the sources of another.
func (s *Server) sidesOn(ctx context.Context, v View, path string, from, to int) (out []sideHere) {
	for _, m := range sortedModules(s.Modules()) {
		for _, side := range m.breaks.In(ctx, v.Files).On(path, from, to) {
			out = append(out, sideHere{side, m})
		}
	}
	return out
}
