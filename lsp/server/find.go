package server

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type findAnswer struct {
	Status   string          `json:"status"`
	Message  string          `json:"message"` // one line for users
	Findings []string        `json:"findings"`
	Report   json.RawMessage `json:"report"` // as "hocket find -json" prints
}

// findOverhead is what a find may take beyond its budget: to build the standard
// library the first time, to look for targets, to write.
const findOverhead = 10 * time.Minute

// find searches an entry, or packages.
func (s *Server) find(ctx context.Context, c call, a *findArguments) (any, error) {
	at, err := s.placeOf(commandFind, c.view, a.URI)
	if err != nil {
		return nil, err
	}
	entry, err := entryOf(c.view, at, a)
	if err != nil {
		return nil, err
	}
	budget := c.view.Settings.Find.Budget
	if a.Budget != "" {
		budget = a.Budget
	}
	what := entry
	switch {
	case a.From != "":
		what = "recorded run " + a.From
	case a.Pattern != "":
		what = a.Pattern
	case what == "":
		what = "package " + filepath.Base(at.dir)
	}
	set := c.view.Settings
	texts := textsOf(c.view, at.root)
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "find", Dir: at.dir, Entry: entry, Detail: a.Pattern + a.From},
		Title: "hocket: find " + what,
		Limit: limitOf(budget),
	}, child{dir: at.dir, set: set, texts: unsaved(c.view.Files, at.root), args: func(overlay string) []string {
		return findFlags(set, a, entry, budget, overlay)
	}})
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, conclude: func(output json.RawMessage) (*outcome, error) {
		rep, err := decodeReport(output)
		if err != nil {
			return nil, err
		}
		s.reload(at.root)
		if texts != nil {
			s.verdicts.put(modulePath(at.root), texts, rep)
			s.Refresh()
		}
		status, message, kind := statusOf(rep), outcomeOf(what, rep), kindOf(len(rep.Findings) > 0)
		if status == report.Error {
			kind = protocol.MessageTypeError
		}
		return &outcome{&findAnswer{string(status), message, idsOf(rep), output}, message, kind}, nil
	}})
}

// limitOf is when a find counts as hung.
func limitOf(budget string) time.Duration {
	d, err := time.ParseDuration(budget)
	if err != nil {
		d = engine.DefaultBudget // the child says what is wrong with it
	}
	return d + findOverhead
}

// findFlags are the arguments of a child. Values are joined to their flags, for
// they may begin with a dash.
func findFlags(set *Settings, a *findArguments, entry, budget, overlay string) []string {
	schedules, strategy := set.Find.Schedules, set.Find.Strategy
	if a.Schedules != nil {
		schedules = *a.Schedules
	}
	if a.Strategy != "" {
		strategy = a.Strategy
	}
	args := append([]string{"find"}, watched()...)
	args = append(args, "-budget="+budget, "-free-build", fmt.Sprintf("-schedules=%d", schedules), "-strategy="+strategy)
	args = append(args, buildFlags(set, overlay)...)
	if entry != "" {
		args = append(args, "-run="+runExpression(entry))
	}
	if a.From != "" {
		args = append(args, "-from="+a.From)
	}
	return append(args, strings.Fields(a.Pattern)...)
}

// runExpression selects exactly an entry: "TestX/a b" is "^TestX$/^a_b$".
func runExpression(entry string) string {
	parts := strings.Split(strings.ReplaceAll(entry, " ", "_"), "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// place is a document of a module on disk.
type place struct {
	uri             protocol.URI
	path, dir, root string
}

// placeOf finds the module of a document. Without one it is the only module of
// the workspace.
func (s *Server) placeOf(command string, v View, uri string) (place, error) {
	if uri == "" {
		return s.onlyModule(command)
	}
	u, err := protocol.ParseURI(uri)
	if err != nil {
		return place{}, invalid(command, "invalid uri %q: it must be that of a Go file", uri)
	}
	path, ok := protocol.Path(u)
	if !ok {
		return place{}, invalid(command, "%s is not a file on this machine; save it in a module first", uri)
	}
	dir := path
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		dir = filepath.Dir(path)
	}
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return place{}, invalid(command, "the folder %s does not exist; save the file first", dir)
	}
	root, ok := engine.FindModule(path)
	if !ok {
		return place{}, invalid(command, "%s is not inside a Go module; open a file of a module, or make one with: go mod init NAME", path)
	}
	return place{uri: protocol.SameDocument(u), path: path, dir: dir, root: root}, nil
}

func (s *Server) onlyModule(command string) (place, error) {
	all := s.Modules()
	if len(all) != 1 {
		return place{}, invalid(command, "uri is missing, and %d modules are open; give uri, a file of the package", len(all))
	}
	return place{dir: all[0].Root(), root: all[0].Root()}, nil
}

// entryOf is the entry that the arguments name or point at, "" for all.
func entryOf(v View, at place, a *findArguments) (string, error) {
	if a.Entry != "" || a.Position == nil || a.Pattern != "" {
		return a.Entry, nil
	}
	position, err := a.Position.at(commandFind)
	if err != nil {
		return "", err
	}
	if at.path == "" {
		return "", invalid(commandFind, "position needs uri, the file that it is in")
	}
	f, ok := v.Files.File(at.uri)
	if !ok {
		return "", invalid(commandFind, "%s can't be read; close it and open it again, or name the entry", at.path)
	}
	m := f.Mapper()
	line, _ := m.GoLineColumn(m.Offset(position))
	for _, e := range outlineOf(f) {
		if e.Line <= line && line <= e.EndLine {
			return e.Name, nil
		}
	}
	return "", invalid(commandFind, "line %d of %s is not in a test, example or main function; put the cursor in one, or search the whole package (pattern \".\")", line, filepath.Base(at.path))
}
