package server

import "context"

type cancelAnswer struct {
	Cancelled int `json:"cancelled"`
}

// cancel ends a job, or all jobs, whoever asked for them. One that has ended
// meanwhile is not an error: a lens may be older than that.
func (s *Server) cancel(_ context.Context, _ call, a *cancelArguments) (any, error) {
	return cancelAnswer{s.jobs.Cancel(a.Job) + s.quick.Cancel(a.Job)}, nil
}
