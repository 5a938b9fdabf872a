package server

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/engine/report/kinds"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// publisher keeps the client's problem list as the findings are. What it has
// sent is known to one goroutine only.
type publisher struct {
	s *Server
	*settler
	sent map[protocol.URI]publication
}

// publication is what the client has for a document, and under which URI.
type publication struct {
	uri  protocol.URI
	json []byte
	any  bool // not the empty list
}

// diagnosticsFeature publishes the findings of all modules of interest, in open
// documents and in others.
func (s *Server) diagnosticsFeature() *feature {
	p := &publisher{s: s, settler: newSettler(), sent: map[protocol.URI]publication{}}
	return &feature{
		name:    "diagnostics",
		ready:   func(context.Context) { s.Go(p.run); p.bell.ring() },
		refresh: func(context.Context, View) { p.bell.ring() },
		changed: func(context.Context, View, protocol.URI) { p.edited() },
	}
}

func (p *publisher) run(ctx context.Context) {
	for p.bell.wait(ctx) {
		p.settle(ctx)
		seen := p.edits.Load()
		// The next edit makes what is being computed worthless; its own turn
		// comes at once, and with it the state of now.
		p.publish(ctx, func() bool { return p.edits.Load() != seen })
	}
}

func (p *publisher) publish(ctx context.Context, outdated func() bool) {
	v := p.s.view()
	wanted := map[protocol.URI]*protocol.PublishDiagnosticsParams{}
	if v.Settings.Diagnostics.Enable {
		for _, m := range sortedModules(p.s.Modules()) {
			if outdated() || ctx.Err() != nil {
				return
			}
			if m.known() != nil {
				p.collect(ctx, v, m, wanted)
			}
			p.collectBreaks(ctx, v, m, wanted)
		}
	}
	if outdated() {
		return
	}
	for id, d := range wanted {
		p.send(ctx, id, d)
	}
	for id, have := range p.sent {
		if wanted[id] == nil && have.any {
			p.send(ctx, id, &protocol.PublishDiagnosticsParams{URI: have.uri, Diagnostics: []protocol.Diagnostic{}})
		}
	}
}

// collect adds the diagnostics of a module.
func (p *publisher) collect(ctx context.Context, v View, m *Module, wanted map[protocol.URI]*protocol.PublishDiagnosticsParams) {
	view := p.s.placed(ctx, v, m)
	for _, name := range view.Files() {
		f, ok := v.Files.Named(m, name)
		if !ok {
			continue
		}
		ds := view.Diagnostics(name)
		if len(ds) == 0 {
			continue
		}
		into := of(wanted, f)
		for _, d := range ds {
			into.Diagnostics = append(into.Diagnostics, diagnosticOf(v, m, f, d))
		}
	}
}

// of is what is to be published of a file.
func of(wanted map[protocol.URI]*protocol.PublishDiagnosticsParams, f *files.File) *protocol.PublishDiagnosticsParams {
	id := protocol.SameDocument(f.URI)
	if wanted[id] == nil {
		wanted[id] = &protocol.PublishDiagnosticsParams{URI: f.URI}
		if f.Open {
			wanted[id].Version = protocol.Some(f.Version)
		}
	}
	return wanted[id]
}

// send publishes the diagnostics of a document, if they have changed.
func (p *publisher) send(ctx context.Context, id protocol.URI, d *protocol.PublishDiagnosticsParams) {
	raw, err := protocol.Marshal(d)
	if err != nil {
		p.s.log.Error("encode diagnostics", "uri", id, "err", err)
		return
	}
	have := p.sent[id]
	if bytes.Equal(have.json, raw) {
		return
	}
	if have.uri != "" && have.uri != d.URI && have.any {
		// Opened under another spelling: the client takes them for two documents.
		p.s.client.PublishDiagnostics(ctx, &protocol.PublishDiagnosticsParams{URI: have.uri, Diagnostics: []protocol.Diagnostic{}}) //nolint:errcheck // see below
	}
	if err := p.s.client.PublishDiagnostics(ctx, d); err != nil {
		p.s.log.Warn("publish diagnostics", "uri", id, "err", err)
		return
	}
	p.sent[id] = publication{d.URI, raw, len(d.Diagnostics) > 0}
}

func diagnosticOf(v View, m *Module, f *files.File, d present.Diagnostic) protocol.Diagnostic {
	out := protocol.Diagnostic{
		Range: rangeOf(f.Mapper(), d.Span), Severity: protocol.DiagnosticSeverity(d.Severity), Source: protocol.Some(section),
		Code: protocol.String(d.Code), Message: protocol.String(d.Message),
		Data: protocol.Any(map[string]any{"id": d.IDs[0], "ids": d.IDs}),
	}
	if _, ok := kinds.Get(d.Code); ok {
		href, err := protocol.ParseURI(kinds.URL(d.Code))
		if err == nil {
			out.CodeDescription = protocol.CodeDescription{Href: href}
		}
	}
	for _, r := range d.Related {
		if rf, ok := v.Files.Named(m, r.File); ok {
			out.RelatedInformation = append(out.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: rf.URI, Range: rangeOf(rf.Mapper(), r.Span)}, Message: r.Message})
		}
	}
	return out
}

// sortedModules makes what is published the same each time.
func sortedModules(ms []*Module) []*Module {
	slices.SortFunc(ms, func(a, b *Module) int { return strings.Compare(a.Root(), b.Root()) })
	return ms
}
