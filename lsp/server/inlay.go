package server

import (
	"context"

	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// inlayFeature shows, in the text, the lines that the first verified fix of a finding
// makes atomic.
func (s *Server) inlayFeature() *feature {
	return &feature{
		name:         "inlayHint",
		requests:     map[string]prepareFunc{protocol.MethodTextDocumentInlayHint: onRequest(s, s.inlayHints)},
		capabilities: func(c *protocol.ServerCapabilities) { c.InlayHintProvider = protocol.Boolean(true) },
	}
}

func (s *Server) inlayHints(ctx context.Context, v View, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	out := []protocol.InlayHint{}
	at, ok := s.shown(ctx, v, p.TextDocument.URI)
	if !ok {
		return out, ctx.Err()
	}
	m := at.file.Mapper()
	from, _ := m.GoLineColumn(m.Offset(p.Range.Start))
	to, _ := m.GoLineColumn(m.Offset(p.Range.End))
	hint := func(line int, text string) {
		if line < from || line > to {
			return
		}
		r, ok := m.GoLine(line)
		if !ok {
			return
		}
		out = append(out, protocol.InlayHint{Position: r.End, Label: protocol.String(text), PaddingLeft: &padded})
	}
	for _, it := range at.view.Items() {
		if it.State == present.Fixed {
			continue
		}
		fixes := s.fixesNow(v, at.view.module, it.Stored)
		if len(fixes) == 0 {
			continue
		}
		for _, r := range fixes[0].Regions {
			if r.File != at.name {
				continue
			}
			if r.From == r.To {
				hint(r.From, "atomic with "+r.With)
				continue
			}
			hint(r.From, "atomic with "+r.With+" from here")
			hint(r.To, "to here")
		}
	}
	return out, ctx.Err()
}

var padded = true
