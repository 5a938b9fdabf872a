package server

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	commandBreakRun   = "hocket.break.run"
	commandBreakDebug = "hocket.break.debug"
)

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

// breakTarget is what to run with which breakpoints.
type breakTarget struct {
	module    *Module
	dir       string // of the package
	entry, id string
}

func (t *breakTarget) what() string {
	if t.entry != "" {
		return t.entry
	}
	return "package " + filepath.Base(t.dir)
}

// flags select the entry and the breakpoint.
func (t *breakTarget) flags() (args []string) {
	if t.entry != "" && t.entry != mainEntry {
		args = append(args, "-run="+runExpression(t.entry))
	}
	if t.id != "" {
		args = append(args, "-id="+t.id)
	}
	return args
}

// mainEntry is the entry of a command.
const mainEntry = "main"

func (s *Server) breakTarget(ctx context.Context, command string, v View, uri, id, entry string) (*breakTarget, error) {
	t := &breakTarget{entry: entry}
	if id == "" {
		at, err := s.placeOf(command, v, uri)
		if err != nil {
			return nil, err
		}
		t.module, t.dir = s.workspace.modules.open(s.homeOf(at)), at.dir
		if dependency(at.root) {
			t.dir = t.module.Root()
		}
		return t, nil
	}
	m, b, err := s.breakMeant(ctx, command, v, id, uri, nil)
	if err != nil {
		return nil, err
	}
	t.module, t.id, t.dir = m, b.ID, m.Root()
	switch {
	case b.Package != "":
		t.dir = filepath.Join(m.Root(), filepath.FromSlash(dirBelow(modulePath(m.Root()), b.Package)))
	case uri != "":
		if at, err := s.placeOf(command, v, uri); err == nil && !dependency(at.root) {
			t.dir = at.dir
		}
	default:
		t.dir = firstDir(m, b)
	}
	if entry == "" && b.Entry != "" {
		t.entry = b.Entry
	}
	return t, nil
}

// firstDir is the folder of the first side that lies in the module.
func firstDir(m *Module, b *present.Break) string {
	for i := range b.Places {
		if p := b.Places[i].Path; p != "" && below(p, m.Root()) {
			return filepath.Dir(p)
		}
	}
	return m.Root()
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
			return nil, fmt.Errorf("the answer can't be read: %w", err)
		}
		t.module.breaks.read(s.ctx, s.view(), t.module)
		s.Refresh()
		message := breakRunLine(t.what(), &r)
		ans, err := withMessage(output, message)
		return &outcome{ans, message, kindOf(r.Failed > 0)}, err
	}})
}

// kindBreakRun is the kind of the jobs that run with breakpoints.
const kindBreakRun = "break run"

// withMessage adds a line for people to an object.
func withMessage(object json.RawMessage, message string) (any, error) {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(object, &fields); err != nil {
		return nil, fmt.Errorf("the answer is no object: %w", err)
	}
	line, err := json.Marshal(message)
	fields["message"] = line
	return fields, err
}

// breakRunLine says in one line for people what came of runs.
func breakRunLine(what string, r *engine.BreakRun) string {
	s := fmt.Sprintf("%s with breakpoints: hit %d/%d, failed %d", what, r.Hits, r.Runs, r.Failed)
	if r.Plain.Runs > 0 {
		s += fmt.Sprintf("; without, %d of %d failed", r.Plain.Failed, r.Plain.Runs)
	}
	if len(r.Failures) > 0 {
		s += "; " + present.Clip(oneLine(r.Failures[0].Message), 120)
	}
	for _, b := range r.Breakpoints {
		if b.Lost != "" {
			s += fmt.Sprintf("; %s was left out: %s", b.ID, oneLine(b.Lost))
		} else if len(b.Notes) > 0 {
			s += fmt.Sprintf("; %s: %s", b.ID, oneLine(b.Notes[0]))
		}
	}
	for _, n := range r.Notes {
		s += "; " + oneLine(n)
	}
	return s
}

type breakDebugArguments struct {
	URI   string `json:"uri"`
	ID    string `json:"id"`
	Entry string `json:"entry"`
}

// breakDebug answers how to debug a run with breakpoints. It starts nothing: the
// client does.
func (s *Server) breakDebug(ctx context.Context, c call, a *breakDebugArguments) (any, error) {
	t, err := s.breakTarget(ctx, commandBreakDebug, c.view, a.URI, a.ID, a.Entry)
	if err != nil {
		return nil, err
	}
	if _, err := engine.Delve(); err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %v", commandBreakDebug, err)
	}
	argv := append(append([]string{}, s.opts.Command...), "break", "run", "-debug=dap")
	argv = append(append(argv, t.flags()...), buildFlags(c.view.Settings, "")...)
	argv = append(argv, ".")
	env := maps.Clone(c.view.Settings.Build.Env)
	if env == nil {
		env = map[string]string{}
	}
	name := "hocket: " + t.what() + " with breakpoints"
	if t.id != "" {
		name = "hocket: " + t.what() + " with " + t.id
	}
	return &debugAnswer{ID: t.id,
		Adapter:       debugAdapter{Command: argv[0], Args: argv[1:], Dir: t.dir, Env: env},
		Configuration: debugConfiguration{Type: section, Request: "launch", Name: name, ID: t.id, Dir: t.dir},
	}, nil
}
