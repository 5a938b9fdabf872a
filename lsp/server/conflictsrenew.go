package server

import (
	"context"
	"path"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	// renewPause is how long saves must have paused before conflicts are renewed.
	renewPause = time.Second
	// renewLook is how often the queues are looked at while one of them is busy.
	renewLook = 250 * time.Millisecond
)

// renewal computes conflicts again after saves: one package at a time, and only
// while no other job runs or waits. Safe for concurrent use.
type renewal struct {
	s    *Server
	bell *bell

	mu      sync.Mutex
	wanted  map[string]time.Time // by folder: the newest save
	running *jobs.Handle         // nil: none
	key     jobs.Key             // of it
	yielded bool                 // it was given up for another job
}

func newRenewal(s *Server) *renewal {
	return &renewal{s: s, bell: newBell(), wanted: map[string]time.Time{}}
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
			_, known := s.conflicts.of(packageOf(file))
			if known || v.Settings.Conflicts == onSave {
				s.renewal.want(packageOf(file))
			}
		},
	}
}

func (r *renewal) want(dir string) {
	r.mu.Lock()
	r.wanted[dir] = time.Now()
	r.mu.Unlock()
	r.bell.ring()
}

// run renews what is wanted, until ctx ends.
func (r *renewal) run(ctx context.Context) {
	for r.bell.wait(ctx) {
		for ctx.Err() == nil {
			dir, wait := r.next()
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

// next takes a folder whose saves have paused, if nothing else is to do; else
// wait is when to look again, 0 if nothing is wanted.
func (r *renewal) next() (dir string, wait time.Duration) {
	busy := len(r.s.jobs.Snapshot())+len(r.s.quick.Snapshot()) > 0
	r.mu.Lock()
	defer r.mu.Unlock()
	for d, at := range r.wanted {
		left := renewPause - time.Since(at)
		switch {
		case left > 0 && (wait == 0 || left < wait):
			wait = left
		case left > 0:
		case busy:
			wait = renewLook
		default:
			delete(r.wanted, d)
			return d, 0
		}
	}
	return "", wait
}

// renew computes the conflicts of a folder. Given way to another job, it is
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
	case err != nil: // half-typed code: the next save may do better
		if ctx.Err() == nil {
			r.s.log.Info("conflicts are not renewed", "dir", dir, "err", err)
		}
	case status == jobs.Cancelled:
		if r.gaveWay() && ctx.Err() == nil {
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

func (r *renewal) gaveWay() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.yielded
}

// giveWay ends a renewal for the sake of a job that somebody waits for, unless
// that is the same.
func (r *renewal) giveWay(to jobs.Key) {
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
