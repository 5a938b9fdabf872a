package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// heavy is a command that is done by a job.
type heavy struct {
	job   jobs.Job
	quick bool // it only reads sources: it need not wait for a search
	delivery
	// conclude makes the command's answer of what the child printed, once the
	// job has ended.
	conclude func(output json.RawMessage) (*outcome, error)
	// note is added to the message of a failure, "" if there is nothing to add.
	note string
}

// outcome is the result of a job.
type outcome struct {
	result  any    // the answer to the request
	message string // one line for users
	kind    protocol.MessageType
}

// kindOf: a finding is a warning, never an error.
func kindOf(found bool) protocol.MessageType {
	if found {
		return protocol.MessageTypeWarning
	}
	return protocol.MessageTypeInfo
}

// started is the answer of a command that is not waited for.
type started struct {
	Job string `json:"job"`
}

// do runs a job for a request. Where the request does not wait, the session
// does; the job can be cancelled by its id then.
func (s *Server) do(ctx context.Context, c call, w heavy) (any, error) {
	if w.waits() {
		h, err := s.submit(ctx, w)
		if err != nil {
			return nil, err
		}
		life, stop := untilConnectionEnds(ctx, s.ctx)
		defer stop()
		return s.follow(life, h, c.token, w)
	}
	h, err := s.submit(s.ctx, w)
	if err != nil {
		return nil, err
	}
	s.Go(func(ctx context.Context) {
		// The request's token is used up by its answer.
		if _, err := s.follow(ctx, h, nil, w); err != nil && ctx.Err() == nil && !isCancelled(err) {
			s.say(ctx, protocol.MessageTypeError, err.Error())
		}
	})
	return started{h.ID()}, nil
}

func (s *Server) submit(ctx context.Context, w heavy) (*jobs.Handle, error) {
	s.renewal.yieldTo(w.job.Key)
	q := s.jobs
	if w.quick {
		q = s.quick
	}
	h, err := q.Submit(ctx, w.job)
	if err != nil {
		return nil, protocol.NewError(protocol.RequestFailed, err.Error())
	}
	return h, nil
}

// untilConnectionEnds is a context that outlives the cancelling of the request,
// since its answer comes when nothing of it runs any more; but not the session
// and its connection, where nobody waits for an answer.
func untilConnectionEnds(request, session context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(session)
	unwatch := context.AfterFunc(request, func() {
		if !errors.Is(context.Cause(request), context.Canceled) {
			cancel()
		}
	})
	return ctx, func() { unwatch(); cancel() }
}

// follow shows a job's progress until it has ended, and gives its answer.
func (s *Server) follow(ctx context.Context, h *jobs.Handle, token protocol.ProgressToken, w heavy) (any, error) {
	var p *Progress
	for {
		st, err := h.Next(ctx)
		if err != nil {
			if p != nil {
				p.End("the session has ended")
			}
			return nil, err
		}
		if st.Status.Ended() {
			break
		}
		if p == nil {
			p = s.Begin(ctx, token, w.job.Title, stateLine(st), h.Cancel)
			continue
		}
		p.Report(stateLine(st), percentage(st.Update))
	}
	if p == nil { // ended before it was looked at
		p = s.Begin(ctx, token, w.job.Title, "", h.Cancel)
	}
	o, err := s.conclude(ctx, h, w)
	p.End(o.message)
	if err == nil && w.Show {
		s.say(ctx, o.kind, o.message)
	}
	return o.result, err
}

// conclude turns the end of a job into its outcome, which has a message in any
// case.
func (s *Server) conclude(ctx context.Context, h *jobs.Handle, w heavy) (*outcome, error) {
	failed := &outcome{message: "failed"}
	res, status, err := h.Wait(ctx)
	var failure *jobs.Failure
	switch {
	case status == "":
		return &outcome{message: "the session has ended"}, err
	case errors.As(err, &failure):
		s.log.Warn(failure.Error(), "last lines", failure.Log)
		message := failure.Error()
		if w.note != "" {
			message += "; " + w.note
		}
		return failed, protocol.NewError(protocol.RequestFailed, message)
	case err != nil:
		return failed, protocol.Errorf(protocol.RequestFailed, "%s: %v", w.job.Title, err)
	}
	o := &outcome{}
	if res.Output != nil {
		if o, err = w.conclude(res.Output); err != nil {
			return failed, protocol.Errorf(protocol.InternalError, "%s: %v", w.job.Title, err)
		}
	}
	if status == jobs.Cancelled {
		message := "cancelled"
		if o.message != "" {
			message += "; " + strings.TrimSuffix(o.message, largerBudget)
		}
		return &outcome{message: message}, protocol.NewError(protocol.RequestCancelled, words.OneLine(w.job.Title+": "+message))
	}
	return o, nil
}

func isCancelled(err error) bool {
	var e *protocol.Error
	return errors.As(err, &e) && e.Code == protocol.RequestCancelled
}

// say shows a line to the user.
func (s *Server) say(ctx context.Context, kind protocol.MessageType, line string) {
	err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: words.OneLine(line)})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("a message was not shown", "err", err, "message", line)
	}
}

// stateLine says where a job is.
func stateLine(st jobs.State) string {
	if st.Status == jobs.Queued && st.Ahead > 0 {
		return "waiting for " + words.Count(st.Ahead, "job")
	}
	if line := progressLine(st.Update); line != "" {
		return line
	}
	return "starting"
}

func decodeReport(output json.RawMessage) (*engine.Report, error) {
	var rep engine.Report
	if err := json.Unmarshal(output, &rep); err != nil {
		return nil, fmt.Errorf("decode the report: %w", err)
	}
	return &rep, nil
}
