package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// From an artefact of a failure, a document or a selection, to a search for its state.

const commandFrom = "hocket.from"

type fromArguments struct {
	URI     string `json:"uri"`     // the artefact: a document, or a file
	Text    string `json:"text"`    // or its text, a selection say
	Module  string `json:"module"`  // any file of the module; default: the artefact's, or the only one that is open
	Pattern string `json:"pattern"` // packages to search; default: what the stacks begin with
	Run     string `json:"run"`     // tests, as in "hocket from -run"
	Nth     *int   `json:"nth"`     // of several failures in it, from 1
	Budget  string `json:"budget"`
	delivery
}

func (a *fromArguments) check() error {
	switch {
	case a.URI == "" && a.Text == "":
		return invalid(commandFrom, "uri is missing, and so is text; give uri, a file with the output of a failure, or text, the output itself")
	case a.Nth != nil && *a.Nth < 1:
		return invalid(commandFrom, "nth is %d; it must be at least 1", *a.Nth)
	}
	return checkSearch(commandFrom, a.Pattern, a.Budget)
}

// checkSearch refuses what a search for a state would refuse.
func checkSearch(command, pattern, budget string) error {
	if strings.HasPrefix(pattern, "-") {
		return invalid(command, "invalid pattern %q: it must name packages", pattern)
	}
	if budget != "" {
		if d, err := time.ParseDuration(budget); err != nil || d <= 0 {
			return invalid(command, "invalid budget %q: it must be a duration above zero, such as \"60s\" or \"2m\"", budget)
		}
	}
	return nil
}

type fromAnswer struct {
	Status   string          `json:"status"`
	Message  string          `json:"message"` // one line for users
	Reached  bool            `json:"reached"` // a finding shows the whole state
	Findings []string        `json:"findings"`
	Report   json.RawMessage `json:"report"` // as "hocket from -json" prints
}

// from searches for the state that an artefact tells of.
func (s *Server) from(ctx context.Context, c call, a *fromArguments) (any, error) {
	art, err := artefactOf(c.view, a)
	if err != nil {
		return nil, err
	}
	at, err := s.moduleOf(commandFrom, c.view, a.Module, a.URI)
	if err != nil {
		return nil, err
	}
	var own []string
	if a.Nth != nil {
		own = append(own, fmt.Sprintf("-nth=%d", *a.Nth))
	}
	return s.seek(ctx, c, sought{
		kind: "from", art: art, root: at.root, run: a.Run, budget: a.Budget, flags: own, patterns: strings.Fields(a.Pattern),
		detail: art.sum + " " + a.Pattern + " " + a.Run, delivery: a.delivery,
	})
}

// sought is a search for a state, by one of the commands that do that.
type sought struct {
	kind     string // of the command and its job
	art      artefact
	root     string // of the module
	run      string
	budget   string // "" for the setting
	flags    []string
	patterns []string
	args     []string // of the program
	detail   string   // equal for equal searches
	delivery
}

// seek searches in a job of its own.
func (s *Server) seek(ctx context.Context, c call, w sought) (any, error) {
	set := c.view.Settings
	budget := cmp.Or(w.budget, set.Find.Budget)
	file := w.art.path
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: w.kind, Dir: w.root, Detail: w.detail},
		Title: "hocket: " + w.kind + " " + w.art.name,
		Limit: limitOf(budget),
	}, child{dir: w.root, set: set, texts: unsaved(c.view.Files, w.root), args: func(overlay string) []string {
		args := append([]string{w.kind}, watched()...)
		args = append(args, "-budget="+budget, "-free-build")
		args = append(append(args, flagged("run", w.run)...), buildFlags(set, overlay)...)
		args = append(append(append(args, w.flags...), file), w.patterns...)
		if len(w.args) > 0 {
			args = append(append(args, "--"), w.args...)
		}
		return args
	}})
	if w.art.text != "" {
		job.Prepare = w.art.written(job.Prepare, &file)
	}
	return s.do(ctx, c, heavy{job: job, delivery: w.delivery, conclude: func(output json.RawMessage) (*outcome, error) {
		var answer engine.FromAnswer
		if err := json.Unmarshal(output, &answer); err != nil {
			return nil, fmt.Errorf("decode the answer: %w", err)
		}
		s.reload(w.root)
		ans := &fromAnswer{Status: string(statusOf(&answer.Report)), Findings: idsOf(&answer.Report), Report: output}
		if answer.From != nil {
			ans.Reached = answer.From.Reached
		}
		ans.Message = fromLine(w.art.name, &answer)
		return &outcome{ans, ans.Message, kindOf(len(answer.Findings) > 0)}, nil
	}})
}

// fromLine is the outcome in one line for users.
func fromLine(name string, a *engine.FromAnswer) string {
	switch {
	case len(a.Findings) > 0 && a.Findings[0].Reached != nil:
		f := a.Findings[0]
		return fmt.Sprintf("%s: %s: %s", f.Entry, f.Headline(), f.Reached.Words)
	case len(a.Findings) > 0 || a.From == nil:
		return outcomeOf(name, &a.Report)
	case a.From.Always:
		return "as in " + name + ": " + outcomeOf(name, &a.Report)
	case a.From.Nearest != nil:
		return fmt.Sprintf("the state in %s was not reached: in the nearest run, %s", name, a.From.Nearest.Words)
	}
	return fmt.Sprintf("the state in %s was not reached, and no run came near; %s", name, outcomeOf(name, &a.Report))
}

// artefact is what an editor shows or names.
type artefact struct {
	name string // for people
	path string // of the file on disk; "" if there is only text
	text string // that is not on disk
	sum  string // equal for equal ones
}

func artefactOf(v View, a *fromArguments) (artefact, error) {
	if a.Text != "" {
		return artefact{name: "the selection", text: a.Text, sum: sumOf(a.Text)}, nil
	}
	uri, err := protocol.ParseURI(a.URI)
	if err != nil {
		return artefact{}, invalid(commandFrom, "invalid uri %q: it must be that of a file", a.URI)
	}
	if f, ok := v.Files.Opened(uri); ok {
		return artefact{name: path.Base(string(uri)), text: f.Text, sum: sumOf(f.Text)}, nil
	}
	file, ok := protocol.Path(uri)
	if !ok {
		return artefact{}, invalid(commandFrom, "%s is neither open nor a file on this machine; open it, or send its text", a.URI)
	}
	if _, err := os.Stat(file); err != nil {
		return artefact{}, invalid(commandFrom, "%s can't be read: %v", file, err)
	}
	return artefact{name: filepath.Base(file), path: file, sum: file}, nil
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// moduleOf is the module that is searched: the one that is named, or else the artefact's,
// or the only one that is open.
func (s *Server) moduleOf(command string, v View, module, artefact string) (place, error) {
	if module != "" {
		return s.placeOf(command, v, module)
	}
	if artefact != "" {
		if u, err := protocol.ParseURI(artefact); err == nil {
			if file, ok := protocol.Path(u); ok {
				if root, ok := engine.FindModule(file); ok {
					return place{dir: root, root: root}, nil
				}
			}
		}
	}
	return s.onlyModule(command)
}

// written writes the text to a file before a job is prepared, and removes it after.
func (art artefact) written(prepare func(context.Context) (jobs.Command, func(), error), file *string) func(context.Context) (jobs.Command, func(), error) {
	return func(ctx context.Context) (jobs.Command, func(), error) {
		f, err := os.CreateTemp("", "hocket-from-*.txt")
		if err != nil {
			return jobs.Command{}, nil, fmt.Errorf("keep the text for the search: %w", err)
		}
		remove := func() { os.Remove(f.Name()) }
		_, err = f.WriteString(art.text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return jobs.Command{}, remove, fmt.Errorf("keep the text for the search: %w", err)
		}
		*file = f.Name()
		command, cleanup, err := prepare(ctx)
		return command, func() {
			remove()
			if cleanup != nil {
				cleanup()
			}
		}, err
	}
}

// failuresKey is under which a document keeps the failures that it tells of.
type failuresKey struct{}

// failuresIn are those that a document tells of; Go files are none.
func failuresIn(f *files.File) []engine.Failure {
	if path.Ext(f.Path) == ".go" {
		return nil
	}
	return f.Derived(failuresKey{}, func() any { return engine.Failures(f.Text) }).([]engine.Failure)
}

// fromLenses stand above the failures that a document tells of.
func (s *Server) fromLenses(v View, uri protocol.URI) []protocol.CodeLens {
	out := []protocol.CodeLens{}
	f, ok := v.Files.Opened(uri)
	if !ok {
		return out
	}
	for i, failure := range failuresIn(f) {
		r, _ := f.Mapper().GoLine(max(failure.Line, 1))
		out = append(out, protocol.CodeLens{Range: r, Command: fromCommand(f.URI, "reproduce this "+string(failure.Kind), i+1)})
	}
	return out
}

func fromCommand(uri protocol.URI, title string, nth int) protocol.Command {
	return protocol.Command{Title: title, Command: commandFrom,
		Arguments: []protocol.LSPAny{protocol.Any(map[string]any{"uri": uri, "nth": nth, "show": true, "wait": false})}}
}

// fromActions offer to reproduce the failure at the cursor, or the selected one.
func (s *Server) fromActions(v View, p *protocol.CodeActionParams) (out []protocol.CommandOrCodeAction) {
	f, ok := v.Files.Opened(p.TextDocument.URI)
	if !ok {
		return nil
	}
	all := failuresIn(f)
	if len(all) == 0 {
		return nil
	}
	kind, m := protocol.CodeActionKindQuickFix, f.Mapper()
	from, to := m.Offset(p.Range.Start), m.Offset(p.Range.End)
	if from < to && len(engine.Failures(f.Text[from:to])) > 0 {
		title := "Reproduce the selected failure"
		c := protocol.Command{Title: title, Command: commandFrom,
			Arguments: []protocol.LSPAny{protocol.Any(map[string]any{"uri": f.URI, "text": f.Text[from:to], "show": true, "wait": false})}}
		return append(out, s.actionOrCommand(&protocol.CodeAction{Title: title, Kind: &kind, Command: c}))
	}
	line, _ := m.GoLineColumn(from)
	nth := 1
	for i, failure := range all {
		if failure.Line <= line {
			nth = i + 1
		}
	}
	title := "Reproduce this " + string(all[nth-1].Kind)
	return append(out, s.actionOrCommand(&protocol.CodeAction{Title: title, Kind: &kind, Command: fromCommand(f.URI, title, nth)}))
}
