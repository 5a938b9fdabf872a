package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/lsp/protocol"
)

// progressPause is the shortest time between two reports of one progress.
const progressPause = 200 * time.Millisecond

// Progress is a work-done progress that the client shows (LSP specification,
// "Work Done Progress"). A client that can't show any has one that does nothing.
// It may be used by several goroutines at once.
type Progress struct {
	s     *Server
	token protocol.ProgressToken // nil: nothing is shown

	mu    sync.Mutex
	last  time.Time
	ended bool
}

// Begin starts a progress, in the work of a request or a goroutine of the
// server's. token is the request's workDoneToken; without one, a token is made
// if the client supports it. stop, if not nil, is called when the user cancels
// by window/workDoneProgress/cancel. End must be called.
func (s *Server) Begin(ctx context.Context, token protocol.ProgressToken, title, message string, stop func()) *Progress {
	p := &Progress{s: s, token: token}
	if token == nil {
		p.token = s.createToken(ctx)
	}
	if p.token == nil {
		return p
	}
	cancellable, zero := stop != nil, uint32(0)
	if cancellable {
		s.progress.add(p.token, stop)
	}
	p.send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: title, Cancellable: &cancellable, Message: &message, Percentage: &zero})
	p.last = time.Now()
	return p
}

// createToken is nil if the client can't, or does not, take one.
func (s *Server) createToken(ctx context.Context) protocol.ProgressToken {
	if !s.session.progress {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	token := protocol.String(fmt.Sprintf("hocket-%d", s.progress.next()))
	if err := s.client.WorkDoneProgressCreate(ctx, &protocol.WorkDoneProgressCreateParams{Token: token}); err != nil {
		if ctx.Err() == nil {
			s.log.Warn("the client makes no progress", "err", err)
		}
		return nil
	}
	return token
}

// Report shows how far the work is; percentage is of 100. Reports that follow
// the one before too fast are left out.
func (p *Progress) Report(message string, percentage int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == nil || p.ended || time.Since(p.last) < progressPause {
		return
	}
	p.last = time.Now()
	share := uint32(max(0, min(percentage, 100)))
	p.send(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: &share})
}

// End takes the progress away. Only the first call counts.
func (p *Progress) End(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.token == nil || p.ended {
		return
	}
	p.ended = true
	p.s.progress.remove(p.token)
	p.send(&protocol.WorkDoneProgressEnd{Kind: "end", Message: &message})
}

func (p *Progress) send(value any) {
	p.s.client.Progress(p.s.ctx, &protocol.ProgressParams{Token: p.token, Value: protocol.Any(value)}) //nolint:errcheck // nobody to tell
}

// progressTable finds what a cancelled progress stops.
type progressTable struct {
	mu    sync.Mutex
	n     int
	stops map[protocol.ProgressToken]func()
}

func newProgressTable() *progressTable {
	return &progressTable{stops: map[protocol.ProgressToken]func(){}}
}

func (t *progressTable) next() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return t.n
}

func (t *progressTable) add(token protocol.ProgressToken, stop func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stops[token] = stop
}

func (t *progressTable) remove(token protocol.ProgressToken) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.stops, token)
}

func (t *progressTable) stop(token protocol.ProgressToken) {
	t.mu.Lock()
	stop := t.stops[token]
	t.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (s *Server) workDoneProgressCancel(_ context.Context, p *protocol.WorkDoneProgressCancelParams) error {
	if p.Token == nil {
		return fmt.Errorf("a cancel without a token")
	}
	s.progress.stop(p.Token)
	return nil
}
