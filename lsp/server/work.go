package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// heavy is a command that is done by a job.
type heavy struct {
	job jobs.Job
	delivery
	// answer makes the command's answer of what the child printed: one line for
	// people, and whether it is a finding. It is called once the job has ended.
	answer func(output json.RawMessage) (result any, message string, found bool, err error)
}

// started is the answer of a command that is not waited for.
type started struct {
	Job string `json:"job"`
}

// do runs a job for a request. Where the request does not wait, the session
// does; the job can be cancelled by its id then.
func (s *Server) do(ctx context.Context, c call, w heavy) (any, error) {
	if w.waits() {
		h, err := s.submit(ctx, w.job)
		if err != nil {
			return nil, err
		}
		life, stop := untilConnectionEnds(ctx, s.ctx)
		defer stop()
		return s.follow(life, h, c.token, w)
	}
	h, err := s.submit(s.ctx, w.job)
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

func (s *Server) submit(ctx context.Context, j jobs.Job) (*jobs.Handle, error) {
	h, err := s.jobs.Submit(ctx, j)
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
	result, message, kind, err := s.conclude(ctx, h, w)
	p.End(message)
	if err == nil && w.Show {
		s.say(ctx, kind, message)
	}
	return result, err
}

// conclude turns the outcome of a job into an answer and a line for people.
func (s *Server) conclude(ctx context.Context, h *jobs.Handle, w heavy) (result any, message string, kind protocol.MessageType, err error) {
	res, status, err := h.Wait(ctx)
	var failure *jobs.Failure
	switch {
	case status == "":
		return nil, "the session has ended", 0, err
	case errors.As(err, &failure):
		s.log.Warn(failure.Error(), "last lines", failure.Log)
		return nil, "failed", 0, protocol.NewError(protocol.RequestFailed, failure.Error())
	case err != nil:
		return nil, "failed", 0, protocol.Errorf(protocol.RequestFailed, "%s: %v", w.job.Title, err)
	}
	if res.Output != nil {
		var found bool
		if result, message, found, err = w.answer(res.Output); err != nil {
			return nil, "failed", 0, protocol.Errorf(protocol.InternalError, "%s: %v", w.job.Title, err)
		}
		if kind = protocol.MessageTypeInfo; found {
			kind = protocol.MessageTypeWarning
		}
	}
	if status == jobs.Cancelled {
		end := "cancelled"
		if message != "" {
			end += "; " + message
		}
		return nil, end, 0, protocol.NewError(protocol.RequestCancelled, oneLine(w.job.Title+": "+end))
	}
	return result, message, kind, nil
}

func isCancelled(err error) bool {
	var e *protocol.Error
	return errors.As(err, &e) && e.Code == protocol.RequestCancelled
}

// say shows a line to the user.
func (s *Server) say(ctx context.Context, kind protocol.MessageType, line string) {
	err := s.client.ShowMessage(ctx, &protocol.ShowMessageParams{Type: kind, Message: oneLine(line)})
	if err != nil && ctx.Err() == nil {
		s.log.Warn("a message was not shown", "err", err, "message", line)
	}
}

// stateLine says where a job is.
func stateLine(st jobs.State) string {
	if st.Status == jobs.Queued {
		return "waiting for " + plural(st.Ahead, "job")
	}
	return progressLine(st.Update)
}

// command starts this program again with arguments, in a folder.
func (s *Server) command(dir string, settings *Settings, args ...string) jobs.Command {
	argv := append(slices.Clone(s.opts.Command), args...)
	env := os.Environ()
	for _, name := range slices.Sorted(maps.Keys(settings.Build.Env)) {
		env = append(env, name+"="+settings.Build.Env[name])
	}
	return jobs.Command{Path: argv[0], Args: argv[1:], Dir: dir, Env: env}
}

// watched are the flags by which a child tells its progress and ends with us.
func watched() []string { return []string{"-json", "-progress=json", "-stdin-eof"} }

func decodeReport(output json.RawMessage) (*engine.Report, error) {
	var rep engine.Report
	if err := json.Unmarshal(output, &rep); err != nil {
		return nil, fmt.Errorf("the report can't be read: %w", err)
	}
	return &rep, nil
}
