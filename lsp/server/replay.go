package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type replayAnswer struct {
	ID      string `json:"id"`
	Level   string `json:"level"`
	Runs    int    `json:"runs"`
	Failed  int    `json:"failed"`
	Message string `json:"message"` // one line for people
	Note    string `json:"note"`
}

// replayed is what "hocket replay -json" prints.
type replayed struct {
	ID, Level, Message, Note, Outdated string
	Runs, Failed                       int
}

// A replay that takes longer is hung: a build, and generous seconds for each
// run.
const (
	replayBuild = 5 * time.Minute
	replayRun   = 10 * time.Second
)

// replay runs a finding's program again, on the sources on disk: what is
// unsaved is not in it.
func (s *Server) replay(ctx context.Context, c call, a *replayArguments) (any, error) {
	m, found, err := s.lookUp(ctx, commandReplay, c.view, a.URI, a.ID)
	if err != nil {
		return nil, err
	}
	runs := c.view.Settings.Replay.Runs
	if a.Runs != nil {
		runs = *a.Runs
	}
	f := found.Finding
	args := append([]string{"replay"}, watched()...)
	args = append(args, fmt.Sprintf("-n=%d", runs))
	if a.Level != "" {
		args = append(args, "-level="+a.Level)
	}
	dir := packageDir(m, f)
	job := jobs.Job{
		Key:   jobs.Key{Kind: "replay", Dir: dir, Entry: f.Entry, Detail: fmt.Sprint(f.ID, " ", a.Level, " ", runs)},
		Title: "hocket: replay " + f.Entry,
		Limit: replayBuild + time.Duration(runs)*replayRun,
		Prepare: func(context.Context) (jobs.Command, func(), error) {
			return s.command(m.Root(), s.settings.Load(), append(args, f.ID)...), nil, nil
		},
	}
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, conclude: func(output json.RawMessage) (*outcome, error) {
		var r replayed
		if err := json.Unmarshal(output, &r); err != nil {
			return nil, fmt.Errorf("the answer can't be read: %w", err)
		}
		s.reload(m.Root())
		message := r.line(f.Entry)
		return &outcome{&replayAnswer{r.ID, r.Level, r.Runs, r.Failed, message, r.note()}, message, kindOf(r.Failed > 0)}, nil
	}})
}

// line says in one line for people what came of it.
func (r *replayed) line(entry string) string {
	s := fmt.Sprintf("%s: %d of %s failed at level %s: %s", entry, r.Failed, plural(r.Runs, "replay"), r.Level, r.Message)
	if n := r.note(); n != "" {
		s += "; " + n
	}
	return oneLine(s)
}

func (r *replayed) note() string {
	var parts []string
	for _, p := range []string{r.Note, r.Outdated} {
		if p != "" {
			parts = append(parts, oneLine(p))
		}
	}
	return strings.Join(parts, "; ")
}

// lookUp returns the finding of an id, or of the beginning of one, in the module
// of a file or, without one, in all that are open.
func (s *Server) lookUp(ctx context.Context, command string, v View, uri, id string) (*Module, *engine.Stored, error) {
	ms := s.Modules()
	if uri != "" {
		at, err := s.placeOf(command, v, uri)
		if err != nil {
			return nil, nil, err
		}
		ms = []*Module{s.workspace.modules.open(at.root)}
	}
	var hits []*engine.Stored
	var of *Module
	for _, m := range ms {
		m.read() // found a moment ago counts
		for _, f := range m.Findings(ctx).All {
			switch {
			case f.Finding.ID == id:
				return m, f, nil
			case strings.HasPrefix(f.Finding.ID, id):
				of, hits = m, append(hits, f)
			}
		}
	}
	switch len(hits) {
	case 0:
		return nil, nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no finding %s in %s; hocket.list names those that there are", command, id, rootsOf(ms))
	case 1:
		return of, hits[0], nil
	}
	return nil, nil, invalid(command, "id %s is the beginning of %d findings; give more of it", id, len(hits))
}

func rootsOf(ms []*Module) string {
	if len(ms) == 0 {
		return "any module, for none is open"
	}
	var roots []string
	for _, m := range ms {
		roots = append(roots, m.Root())
	}
	return strings.Join(roots, ", ")
}

// reload makes what a job has stored visible before its answer is.
func (s *Server) reload(root string) {
	s.workspace.modules.open(root).read()
	s.Refresh()
}
