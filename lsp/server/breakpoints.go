package server

import (
	"bytes"
	"context"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// breakpointsFeature tells clients that can show marks where the concurrent
// breakpoints are, and keeps what all see of them as the texts are.
func (s *Server) breakpointsFeature() *feature {
	n := &marker{s: s, settler: newSettler(), sent: map[string][]byte{}}
	return &feature{
		name:     "breakpoints",
		requests: map[string]prepareFunc{protocol.MethodBreakpoints: onRequest(s, s.breakpoints)},
		ready:    func(context.Context) { s.Go(n.run); n.bell.ring() },
		refresh:  func(context.Context, View) { n.bell.ring() },
		changed:  func(context.Context, View, protocol.URI) { n.edited() },
	}
}

// marker sends the notifications. What it has sent is known to one goroutine
// only.
type marker struct {
	s *Server
	*settler
	sent map[string][]byte // by root
}

func (n *marker) run(ctx context.Context) {
	for n.bell.wait(ctx) {
		n.settle(ctx)
		n.tell(ctx)
	}
}

// tell looks at all modules, and tells the client what is new to it.
func (n *marker) tell(ctx context.Context) {
	v := n.s.view()
	for _, m := range sortedModules(n.s.Modules()) {
		if ctx.Err() != nil {
			return
		}
		list, problem, stale := m.breaks.in(ctx, v, m)
		if stale {
			m.breaks.read(ctx, v, m)
			list, problem, _ = m.breaks.in(ctx, v, m)
			n.s.Refresh() // diagnostics and lenses say the same
		}
		if problem != "" {
			n.s.warnOnce("breakpoints: " + problem)
		}
		if n.s.session.marks {
			n.send(ctx, m.Root(), n.s.wireBreaks(v, m, list, problem))
		}
	}
}

func (n *marker) send(ctx context.Context, root string, b *protocol.Breakpoints) {
	raw, err := protocol.Marshal(b)
	if err != nil {
		n.s.log.Error("encode breakpoints", "root", root, "err", err)
		return
	}
	have, told := n.sent[root]
	nothing := len(b.Breakpoints) == 0 && b.Pending == nil && b.Problem == ""
	if bytes.Equal(have, raw) || nothing && !told {
		return
	}
	if err := n.s.conn.Notify(ctx, protocol.MethodBreakpoints, b); err != nil {
		n.s.log.Warn("tell of breakpoints", "root", root, "err", err)
		return
	}
	n.sent[root] = raw
}

// breakpoints answers the request.
func (s *Server) breakpoints(ctx context.Context, v View, p *protocol.BreakpointsParams) (*protocol.Breakpoints, error) {
	at, err := s.placeOf(protocol.MethodBreakpoints, v, string(p.URI))
	if err != nil {
		return nil, err
	}
	m := s.workspace.modules.open(s.homeOf(at))
	list, problem, _ := m.breaks.in(ctx, v, m)
	return s.wireBreaks(v, m, list, problem), ctx.Err()
}

// wireBreaks is what the client is told of a module.
func (s *Server) wireBreaks(v View, m *Module, list []*present.Break, problem string) *protocol.Breakpoints {
	out := &protocol.Breakpoints{Root: protocol.FileURI(m.Root()), Breakpoints: make([]protocol.Breakpoint, 0, len(list)), Problem: problem}
	for _, b := range list {
		out.Breakpoints = append(out.Breakpoints, s.wireBreak(v, m, b))
	}
	if p, ok := s.pending.in(v); ok && p.root == m.Root() {
		out.Pending = p.wire()
	}
	return out
}

func (s *Server) wireBreak(v View, m *Module, b *present.Break) protocol.Breakpoint {
	out := protocol.Breakpoint{ID: b.ID, Kind: b.KindName(), If: b.If, Order: b.Releases(), Timeout: b.Timeout,
		IgnoreFirst: b.IgnoreFirst, AtMost: b.AtMost, Off: b.Off, Note: b.Note,
		Sides: make([]protocol.BreakpointSide, 0, len(b.Places)), Hover: b.Hover(0, s.style(m))}
	for i := range b.Places {
		side := &b.Places[i]
		w := protocol.BreakpointSide{Side: i + 1, Of: len(b.Places), Order: b.Turn(i + 1), Label: side.Func, Changed: side.Changed, Lost: side.Lost, Text: side.Text}
		w.URI, w.Range = s.rangeOfSide(v, m, side)
		out.Sides = append(out.Sides, w)
	}
	if l := b.Last; l != nil {
		out.Last = &protocol.BreakpointOutcome{Runs: l.Runs, Hits: l.Hits, Failed: l.Failed, When: l.When.Format(time.RFC3339)}
	}
	return out
}

// rangeOfSide is where a side is, or was if it is lost. A file that can't be
// read has its start.
func (s *Server) rangeOfSide(v View, m *Module, side *present.Side) (protocol.URI, protocol.Range) {
	path := side.Path
	if path == "" {
		path = filepath.Join(m.Root(), filepath.FromSlash(side.File))
	}
	uri := protocol.FileURI(path)
	f, ok := v.File(uri)
	if !ok {
		return uri, protocol.Range{}
	}
	return f.URI, sideRange(f, side)
}

func sideRange(f *files.File, side *present.Side) protocol.Range {
	m := f.Mapper()
	if side.Column > 0 {
		return protocol.Range{Start: m.GoPosition(side.Line, side.Column), End: m.GoPosition(side.EndLine, side.EndColumn)}
	}
	return lineRange(m, side.Line)
}
