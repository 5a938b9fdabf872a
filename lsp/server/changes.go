package server

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// changesFeature tells clients that show lists of findings and tests when these have
// changed, so that they need not ask at intervals. Where a finding is, it does not tell:
// that changes with every line that is typed above, and matters when it is gone to.
func (s *Server) changesFeature() *feature {
	t := newSettler()
	return &feature{
		name:    "changes",
		ready:   func(context.Context) { s.Go(func(ctx context.Context) { s.tellChanges(ctx, t) }); t.bell.ring() },
		refresh: func(context.Context, View) { t.bell.ring() },
		changed: func(context.Context, View, protocol.URI) { t.edited() },
	}
}

func (s *Server) tellChanges(ctx context.Context, t *settler) {
	if !s.session.changes {
		return
	}
	var told [sha256.Size]byte
	for t.bell.wait(ctx) {
		t.settle(ctx)
		now := s.listSignature(ctx, s.view())
		if now == told || ctx.Err() != nil {
			continue
		}
		if err := s.conn.Notify(ctx, protocol.MethodChanged, protocol.Changed{}); err != nil {
			s.log.Warn("tell of a change", "err", err)
			continue
		}
		told = now
	}
}

// listSignature is equal as long as the lists are, places left aside.
func (s *Server) listSignature(ctx context.Context, v View) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, m := range sortedModules(s.Modules()) {
		fmt.Fprintf(h, "%s %s\n", m.Root(), m.version())
		if m.known() != nil {
			for _, it := range s.placed(ctx, v, m).Items() {
				fmt.Fprintf(h, "%s %s %s\n", it.Finding.ID, it.State, it.About())
			}
		}
		for _, o := range s.verdicts.holding(v, m.Root()) {
			fmt.Fprintf(h, "%s %s %s\n", o.dir, o.entry, o.line)
		}
	}
	for _, j := range s.allJobs() {
		fmt.Fprintf(h, "%s %s\n", j.ID, j.Status)
	}
	h.Sum(sum[:0])
	return sum
}
