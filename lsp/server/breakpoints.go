package server

import (
	"bytes"
	"context"
	"time"

	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// breakpointsFeature sends clients that can show marks where the concurrent
// breakpoints are, and keeps what all clients are shown of them up to date.
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

// breakpoints answers the request.
func (s *Server) breakpoints(ctx context.Context, v View, p *protocol.BreakpointsParams) (*protocol.Breakpoints, error) {
	at, err := s.placeOf(protocol.MethodBreakpoints, v, string(p.URI))
	if err != nil {
		return nil, err
	}
	m := s.breakHome(at)
	return m.breaks.In(ctx, v.Files).Wire(s.style(m), &s.pending), ctx.Err()
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
		n.update(ctx)
	}
}

// update looks at all modules, and sends the client what has changed.
func (n *marker) update(ctx context.Context) {
	v := n.s.view()
	for _, m := range sortedModules(n.s.Modules()) {
		if ctx.Err() != nil {
			return
		}
		breaks := m.breaks.In(ctx, v.Files)
		if breaks.Stale {
			m.breaks.Read(ctx, v.Files)
			breaks = m.breaks.In(ctx, v.Files)
			n.s.Refresh() // diagnostics and lenses say the same
		}
		if breaks.Problem != "" {
			n.s.warnOnce("breakpoints: " + breaks.Problem)
		}
		if n.s.session.marks {
			n.send(ctx, m.Root(), breaks.Wire(n.s.style(m), &n.s.pending))
		}
	}
}

func (n *marker) send(ctx context.Context, root string, b *protocol.Breakpoints) {
	raw, err := protocol.Marshal(b)
	if err != nil {
		n.s.log.Error("encode breakpoints", "root", root, "err", err)
		return
	}
	have, sent := n.sent[root]
	nothing := len(b.Breakpoints) == 0 && b.Pending == nil && b.Problem == ""
	if bytes.Equal(have, raw) || nothing && !sent {
		return
	}
	if err := n.s.conn.Notify(ctx, protocol.MethodBreakpoints, b); err != nil {
		n.s.log.Warn("send breakpoints", "root", root, "err", err)
		return
	}
	n.sent[root] = raw
}

// breaksLook is how often the file of the breakpoints is looked at.
const breaksLook = 250 * time.Millisecond

// watchBreaks follows the file of the breakpoints and that of the last results,
// whoever writes them, until ctx ends.
func (s *Server) watchBreaks(ctx context.Context, m *Module) {
	tick := time.NewTicker(breaksLook)
	defer tick.Stop()
	var known breakview.Stamp
	for {
		if now := breakview.StampOf(m.Root()); !now.Same(known) {
			known = now
			m.breaks.Read(ctx, s.view().Files)
			s.Refresh()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
