package server

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/jobs"
)

const commandBreakRun = "hocket.break.run"

type breakRunArguments struct {
	URI   string `json:"uri"`   // any file of the package
	ID    string `json:"id"`    // one breakpoint; default: all that are on
	Entry string `json:"entry"` // "TestX", "main"; default: that of the breakpoint, else all tests
	Runs  *int   `json:"runs"`
	delivery
}

func (a *breakRunArguments) check() error {
	if a.Runs != nil && *a.Runs <= 0 {
		return invalid(commandBreakRun, "runs is %d; it must be at least 1", *a.Runs)
	}
	return nil
}

const (
	breakRunLimit = time.Minute // of one run; a build beside that
	plainRuns     = 20          // at most, without breakpoints, to compare with
)

// breakRun runs a package's tests with the breakpoints, on the texts that the
// editor shows.
func (s *Server) breakRun(ctx context.Context, c call, a *breakRunArguments) (any, error) {
	t, err := s.breakTarget(ctx, commandBreakRun, c.view, a.URI, a.ID, a.Entry)
	if err != nil {
		return nil, err
	}
	runs := c.view.Settings.Break.Runs
	if a.Runs != nil {
		runs = *a.Runs
	}
	set := c.view.Settings
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: kindBreakRun, Dir: t.dir, Entry: t.entry, Detail: fmt.Sprint(t.id, " ", runs)},
		Title: "hocket: run " + t.what() + " with breakpoints",
		Limit: replayBuild + time.Duration(runs+plainRuns)*breakRunLimit,
	}, child{dir: t.dir, set: set, texts: unsaved(c.view.Files, t.module.Root()), args: func(overlay string) []string {
		args := append([]string{"break", "run"}, watched()...)
		args = append(append(args, fmt.Sprintf("-n=%d", runs)), t.flags()...)
		return append(append(args, buildFlags(set, overlay)...), ".")
	}})
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, conclude: func(output json.RawMessage) (*outcome, error) {
		var r engine.BreakRun
		if err := json.Unmarshal(output, &r); err != nil {
			return nil, fmt.Errorf("decode the answer: %w", err)
		}
		t.module.breaks.Read(s.ctx, s.view().Files)
		s.Refresh()
		message := breakview.RunLine(t.what(), &r)
		ans, err := withMessage(output, message)
		return &outcome{ans, message, kindOf(r.Failed > 0)}, err
	}})
}

// kindBreakRun is the kind of the jobs that run with breakpoints.
const kindBreakRun = "break run"

// withMessage adds a line for users to an object.
func withMessage(object json.RawMessage, message string) (any, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, fmt.Errorf("decode the answer: %w", err)
	}
	line, err := json.Marshal(message)
	fields["message"] = line
	return fields, err
}
