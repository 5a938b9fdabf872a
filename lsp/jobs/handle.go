package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Handle is one request for a job, which it may share with others.
type Handle struct {
	q   *Queue
	job *job
	id  string

	gone bool          // it was released; guarded by the queue's mutex
	seen chan struct{} // the change after what Next returned last
}

// Result is what a child answered.
type Result struct {
	// Output is the JSON value of its stdout; nil if it was cancelled before
	// it could answer.
	Output json.RawMessage
	Exit   int
	Log    []string // the last lines of its stderr that were not progress
}

// Failure is a child that gave no answer.
type Failure struct {
	Title string
	What  string   // what happened, and what can be done
	Log   []string // as in Result
}

func (f *Failure) Error() string {
	return f.Title + ": " + strings.Join(strings.Fields(f.What), " ")
}

// ID names the job: joined requests have the same.
func (h *Handle) ID() string { return h.id }

// Next waits until the job's state is another than the one that it returned
// last (the first call returns at once), and returns it. Progress that comes
// faster than the calls is skipped, and there is nothing to wait for after a
// status that has ended. A handle's Next is for one goroutine.
func (h *Handle) Next(ctx context.Context) (State, error) {
	if h.seen != nil {
		select {
		case <-h.seen:
		case <-ctx.Done():
			return State{}, ctx.Err()
		}
	}
	h.q.mu.Lock()
	defer h.q.mu.Unlock()
	h.seen = h.job.changed
	return h.view(), nil
}

// view is the job's state as this request sees it: cancelled, if it released a
// job that others hold.
func (h *Handle) view() State {
	s := h.job.state
	if h.gone && h.job.ctx.Err() == nil {
		s.Status = Cancelled
	}
	return s
}

// Wait returns the job's outcome: Done with the answer, Cancelled with what was
// answered until then, or Failed with an error, a *Failure if it was the child's.
// When the request alone was cancelled while others hold the job, the status is
// Cancelled at once. The error is ctx's if that ends first.
func (h *Handle) Wait(ctx context.Context) (*Result, Status, error) {
	for {
		h.q.mu.Lock()
		s, changed, res, err := h.view(), h.job.changed, h.job.result, h.job.err
		h.q.mu.Unlock()
		if s.Status.Ended() {
			if res == nil {
				res = &Result{}
			}
			return res, s.Status, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, "", fmt.Errorf("wait for %s: %w", h.id, ctx.Err())
		}
	}
}

// Cancel releases the job, which is cancelled if no other handle holds it.
func (h *Handle) Cancel() {
	h.q.mu.Lock()
	defer h.q.mu.Unlock()
	if h.gone {
		return
	}
	h.gone = true
	h.job.refs--
	if h.job.state.Status.Ended() {
		return
	}
	if h.job.refs == 0 {
		h.q.stop(h.job)
		return
	}
	h.job.tell() // wakes this handle's Wait
}
