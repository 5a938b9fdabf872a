package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// hoverFeature explains findings where they are; everywhere else its answer is
// null, so that it stays out of the way of other servers' hovers.
func (s *Server) hoverFeature() *feature {
	return &feature{
		name:         "hover",
		requests:     map[string]prepareFunc{protocol.MethodTextDocumentHover: onRequest(s, s.hover)},
		capabilities: func(c *protocol.ServerCapabilities) { c.HoverProvider = protocol.Boolean(true) },
	}
}

func (s *Server) hover(ctx context.Context, v View, p *protocol.HoverParams) (*protocol.Hover, error) {
	if !v.Settings.Hover.Enable {
		return nil, nil
	}
	var texts []string
	var r *protocol.Range
	if text, at, ok := s.breakHover(ctx, v, p); ok {
		texts, r = append(texts, text), &at
	}
	for _, at := range s.shownAll(ctx, v, p.TextDocument.URI) {
		m := at.file.Mapper()
		line, column := m.GoLineColumn(m.Offset(p.Position))
		if text, span, ok := at.view.Hover(at.name, line, column, s.style(at.view.module)); ok {
			whole := rangeOf(m, span)
			if r == nil {
				r = &whole
			}
			texts = append(texts, text)
			break
		}
	}
	if len(texts) == 0 {
		return nil, ctx.Err()
	}
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: s.hoverKind(), Value: strings.Join(texts, "\n---\n\n")}, Range: r}, nil
}

// shown is a document with the findings of its module.
type shown struct {
	file *files.File
	view *placedView
	name string // of the document in the module's findings
}

// shown is not ok for documents of which nothing can be shown: in no module,
// not to be read, or ctx ended.
func (s *Server) shown(ctx context.Context, v View, uri protocol.URI) (shown, bool) {
	f, ok := v.File(uri)
	if !ok || f.Path == "" {
		return shown{}, false
	}
	m, ok := s.ModuleOf(f.URI)
	if !ok {
		return shown{}, false
	}
	name, ok := m.Name(f.Path)
	if !ok {
		return shown{}, false
	}
	return shown{f, s.placed(ctx, v, m), name}, ctx.Err() == nil
}

// shownAll is a document with the findings of its own module, then with those
// of other modules that name it: of modules beside each other in a workspace,
// one's tests find the other's bugs.
func (s *Server) shownAll(ctx context.Context, v View, uri protocol.URI) []shown {
	own, ok := s.shown(ctx, v, uri)
	if !ok {
		return nil
	}
	out := []shown{own}
	for _, m := range sortedModules(s.Modules()) {
		name, ok := m.Name(own.file.Path)
		if m == own.view.module || !ok || m.known() == nil {
			continue
		}
		if view := s.placed(ctx, v, m); view.Shows(name) {
			out = append(out, shown{own.file, view, name})
		}
	}
	return out
}

// rangeOf converts a span of a text.
func rangeOf(m *protocol.Mapper, at present.Span) protocol.Range {
	return protocol.Range{Start: m.GoPosition(at.Line, at.Start), End: m.GoPosition(at.Line, at.End)}
}

// hoverKind is markdown, unless the client says that it takes none.
func (s *Server) hoverKind() protocol.MarkupKind {
	t := s.session.capabilities.TextDocument
	if t == nil || t.Hover == nil || len(t.Hover.ContentFormat) == 0 || slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown) {
		return protocol.MarkupKindMarkdown
	}
	return protocol.MarkupKindPlainText
}

// style has links for clients that render markdown by marked, as VS Code does:
// it makes a link of an address with a line in it. Others show the text as it
// is, more or less.
func (s *Server) style(m *Module) present.Style {
	if s.hoverKind() != protocol.MarkupKindMarkdown {
		return present.Style{Plain: true}
	}
	if s.session.markdown != "marked" {
		return present.Style{}
	}
	return present.Style{Link: func(name string, line int) string {
		path, ok := m.Path(name)
		if !ok {
			return ""
		}
		return fmt.Sprintf("%s#L%d", protocol.FileURI(path), line)
	}}
}
