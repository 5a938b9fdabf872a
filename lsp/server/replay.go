package server

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
)

type replayAnswer struct {
	ID      string `json:"id"`
	Level   string `json:"level"`
	Runs    int    `json:"runs"`
	Failed  int    `json:"failed"`
	Message string `json:"message"` // one line for users
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
	m, found, err := s.findingFor(ctx, commandReplay, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	runs := c.view.Settings.Replay.Runs
	if a.Runs != nil {
		runs = *a.Runs
	}
	f := found.Finding
	dir, leftOut := packageDir(m, f), leftOutOf(c.view, m)
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "replay", Dir: dir, Entry: f.Entry},
		Title: "hocket: replay " + f.Entry,
		Limit: replayBuild + time.Duration(runs)*replayRun,
	}, child{dir: m.Root(), set: c.view.Settings, args: func(string) []string {
		args := append(append([]string{"replay"}, watched()...), fmt.Sprintf("-n=%d", runs))
		return append(append(args, flagged("level", a.Level)...), f.ID)
	}})
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, note: leftOut, conclude: func(output json.RawMessage) (*outcome, error) {
		var r replayed
		if err := json.Unmarshal(output, &r); err != nil {
			return nil, fmt.Errorf("decode the answer: %w", err)
		}
		r.addNote(leftOut)
		s.reload(m.Root())
		message := r.line(f.Entry)
		return &outcome{&replayAnswer{r.ID, r.Level, r.Runs, r.Failed, message, r.note()}, message, kindOf(r.Failed > 0)}, nil
	}})
}

// line is the outcome in one line for users.
func (r *replayed) line(entry string) string {
	s := fmt.Sprintf("%s: %d of %s failed at level %s: %s", entry, r.Failed, words.Count(r.Runs, "replay"), r.Level, r.Message)
	if n := r.note(); n != "" {
		s += "; " + n
	}
	return words.OneLine(s)
}

func (r *replayed) addNote(n string) {
	if r.Note != "" && n != "" {
		r.Note += "; "
	}
	r.Note += n
}

// leftOutOf names the unsaved texts that a replay does not see, "" if there are
// none: its build takes what is on disk.
func leftOutOf(v View, m *Module) string {
	var names []string
	for path := range unsaved(v.Files, m.Root()) {
		names = append(names, filepath.Base(path))
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return "unsaved text of " + strings.Join(names, ", ") + " was left out; save it to replay it"
}

func (r *replayed) note() string {
	var parts []string
	for _, p := range []string{r.Note, r.Outdated} {
		if p != "" {
			parts = append(parts, words.OneLine(p))
		}
	}
	return strings.Join(parts, "; ")
}

// reload makes what a job has stored visible before its answer is.
func (s *Server) reload(root string) {
	s.workspace.modules.open(root).read()
	s.Refresh()
}
