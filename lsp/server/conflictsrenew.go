package server

import (
	"context"
	"path"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/conflictview"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// renewal computes conflicts again after saves: one package at a time, and only
// while no other job runs or waits. Safe for concurrent use.
type renewal struct {
	s      *Server
	bell   *bell
	wanted conflictview.Wanted

	mu      sync.Mutex
	running *jobs.Handle // nil: none
	key     jobs.Key     // of it
	yielded bool         // it was given up for another job
}

func newRenewal(s *Server) *renewal {
	return &renewal{s: s, bell: newBell()}
}

// conflictsFeature keeps the conflicts of packages as they were saved.
func (s *Server) conflictsFeature() *feature {
	return &feature{
		name:  "conflicts",
		ready: func(context.Context) { s.Go(s.renewal.run) },
		touched: func(_ context.Context, v View, uri protocol.URI) {
			file, ok := protocol.Path(uri)
			if !ok || path.Ext(string(uri)) != ".go" {
				return
			}
			_, known := s.conflicts.Of(file)
			if known || v.Settings.Conflicts == onSave {
				s.renewal.want(conflictview.Dir(file))
			}
		},
	}
}

func (r *renewal) want(dir string) {
	r.wanted.Add(dir, time.Now())
	r.bell.ring()
}

// run renews what is wanted, until ctx ends.
func (r *renewal) run(ctx context.Context) {
	for r.bell.wait(ctx) {
		for ctx.Err() == nil {
			busy := len(r.s.allJobs()) > 0
			dir, wait := r.wanted.Take(time.Now(), busy)
			if dir == "" && wait == 0 {
				break
			}
			if dir == "" {
				pause(ctx, wait)
				continue
			}
			r.renew(ctx, dir)
		}
	}
}

// renew computes the conflicts of a folder. Cancelled for another job, it is
// wanted again.
func (r *renewal) renew(ctx context.Context, dir string) {
	root, ok := engine.FindModule(dir)
	if !ok {
		return
	}
	w := r.s.conflictsJob(r.s.view(), dir, root)
	h, err := r.s.quick.Submit(ctx, w.job)
	if err != nil {
		return // the session has ended
	}
	r.hold(h, w.job.Key)
	defer r.hold(nil, jobs.Key{})
	res, status, err := h.Wait(ctx)
	switch {
	case err != nil: // the code may be incomplete: the next save starts another one
		if ctx.Err() == nil {
			r.s.log.Info("conflicts are not renewed", "dir", dir, "err", err)
		}
	case status == jobs.Cancelled:
		if r.hasYielded() && ctx.Err() == nil {
			r.want(dir)
		}
	case res.Output != nil:
		if _, err := w.conclude(res.Output); err != nil {
			r.s.log.Warn("conflicts are not renewed", "dir", dir, "err", err)
		}
	}
}

func (r *renewal) hold(h *jobs.Handle, k jobs.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running, r.key, r.yielded = h, k, false
}

func (r *renewal) hasYielded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.yielded
}

// yieldTo cancels the renewal that runs for a job that a request waits for, unless
// that is the same.
func (r *renewal) yieldTo(to jobs.Key) {
	r.mu.Lock()
	h := r.running
	if h == nil || r.key == to {
		r.mu.Unlock()
		return
	}
	r.yielded = true
	r.mu.Unlock()
	h.Cancel()
}
