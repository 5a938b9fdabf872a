package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	commandFix      = "hocket.fix"
	commandApplyFix = "hocket.applyFix"
)

type (
	fixArguments struct {
		ID       string    `json:"id"`
		URI      string    `json:"uri"`      // any file of the module
		Position *position `json:"position"` // of the finding, if it is not named
		Budget   string    `json:"budget"`
		delivery
	}
	applyFixArguments struct {
		ID       string    `json:"id"`
		URI      string    `json:"uri"`
		Position *position `json:"position"`
		Fix      int       `json:"fix"` // number among the verified ones, from 1, which is the default
		delivery
	}
	fixAnswer struct {
		ID       string          `json:"id"`
		Verified int             `json:"verified"`
		Message  string          `json:"message"` // one line for users
		Answer   json.RawMessage `json:"answer"`  // as "hocket fix -json" prints
	}
	applyFixAnswer struct {
		ID      string `json:"id"`
		Applied bool   `json:"applied"`
		Message string `json:"message"`
	}
)

// fixOverhead is what the work on fixes may take beyond its budget.
const fixOverhead = 5 * time.Minute

// fix looks for edits that fix a finding, in the texts that the client shows.
func (s *Server) fix(ctx context.Context, c call, a *fixArguments) (any, error) {
	m, found, err := s.findingFor(ctx, commandFix, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	f := found.Finding
	dir := packageDir(m, f)
	limit := engine.DefaultFixBudget
	if d, err := time.ParseDuration(a.Budget); err == nil {
		limit = d
	}
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "fix", Dir: dir, Entry: f.Entry, Detail: f.ID},
		Title: "hocket: fix " + f.Entry,
		Limit: limit + fixOverhead,
	}, child{dir: m.Root(), set: c.view.Settings, texts: unsaved(c.view.Files, m.Root()), args: func(overlay string) []string {
		args := append([]string{"fix"}, watched()...)
		return append(append(args, flagged("overlay", overlay, "budget", a.Budget)...), f.ID)
	}})
	return s.do(ctx, c, heavy{job: job, delivery: a.delivery, conclude: func(output json.RawMessage) (*outcome, error) {
		var r engine.FixAnswer
		if err := json.Unmarshal(output, &r); err != nil {
			return nil, fmt.Errorf("decode the answer: %w", err)
		}
		s.reload(m.Root())
		message := fixMessage(f.Entry, &r)
		return &outcome{&fixAnswer{r.ID, r.Verified(), message, output}, message, protocol.MessageTypeInfo}, nil
	}})
}

// fixMessage says in a line what came of the work on fixes.
func fixMessage(entry string, r *engine.FixAnswer) string {
	switch {
	case r.Verified() > 0:
		return fmt.Sprintf("%s: %s: %s (%s); it is among the quick fixes", entry, words.CountOf(r.Verified(), "verified fix", "verified fixes"), r.Fixes[0].Title, verdictOf(&r.Fixes[0]))
	case r.Cut:
		return entry + ": no verified fix yet, the time ended; " + words.Count(len(r.Fixes), "edit") + " did not hold"
	case len(r.Fixes) > 0:
		return fmt.Sprintf("%s: no verified fix; of %s the first: %s: %s", entry, words.Count(len(r.Fixes), "edit"), r.Fixes[0].Title, r.Fixes[0].Reason)
	case len(r.Refused) > 0:
		return fmt.Sprintf("%s: no fix: %s: %s", entry, r.Refused[0].Title, r.Refused[0].Why)
	}
	return entry + ": no edit that could fix it is known"
}

// verdictOf says how a fix was verified.
func verdictOf(f *engine.FixVerdict) string {
	if f.Verified == "proved" {
		return fmt.Sprintf("proved, %s", words.Count(f.Schedules, "run"))
	}
	return fmt.Sprintf("searched, %s", words.Count(f.Schedules, "schedule"))
}

// fixesNow are the verified fixes of a finding, if they are of the texts of today, and
// can be applied here.
func (s *Server) fixesNow(v View, m *Module, found *engine.Stored) (list []*engine.FixVerdict) {
	if len(found.Fixes) == 0 || !found.FixedTexts.Hold(func(name string) (string, bool) {
		f, ok := v.Files.Named(m, name)
		if !ok {
			return "", false
		}
		return f.Text, true
	}) {
		return nil
	}
	for i := range found.Fixes {
		if f := &found.Fixes[i]; f.Dependency == "" {
			list = append(list, f)
		}
	}
	return list
}

// fixActions offers the fixes of a finding; preferred: its first one is what an editor
// may apply unasked.
func (s *Server) fixActions(v View, m *Module, it *present.Item, uri protocol.URI, known []protocol.Diagnostic, preferred bool) (out []*protocol.CodeAction) {
	if it.State == present.Fixed {
		return nil
	}
	kind := protocol.CodeActionKindQuickFix
	for i, f := range s.fixesNow(v, m, it.Stored) {
		edit, ok := s.editOf(v, m, f)
		if !ok {
			continue
		}
		a := &protocol.CodeAction{Title: f.Title + " (" + verdictOf(f) + ")", Kind: &kind, Edit: edit, Diagnostics: about(known, it.Finding.ID),
			Command: searchAgain(it.Finding.Entry, uri)}
		if !s.knowsActions() { // it gets the command alone
			arg := map[string]any{"id": it.Finding.ID, "uri": uri, "fix": i + 1, "show": true}
			a.Command = protocol.Command{Title: a.Title, Command: commandApplyFix, Arguments: []protocol.LSPAny{protocol.Any(arg)}}
		}
		if preferred && len(out) == 0 {
			a.IsPreferred = &preferred
		}
		out = append(out, a)
	}
	return out
}

// searchAgain searches an entry after it was edited.
func searchAgain(entry string, uri protocol.URI) protocol.Command {
	arg := map[string]any{"entry": entry, "uri": uri, "wait": false, "show": true}
	return protocol.Command{Title: "Search again", Command: commandFind, Arguments: []protocol.LSPAny{protocol.Any(arg)}}
}

// editOf is a fix as an edit of the client's documents, which asks before it is applied
// where the client can.
func (s *Server) editOf(v View, m *Module, f *engine.FixVerdict) (*protocol.WorkspaceEdit, bool) {
	var names []string
	byFile := map[string][]protocol.TextEdit{}
	uris := map[string]protocol.URI{}
	for _, e := range f.Edits {
		file, ok := v.Files.Named(m, e.File)
		if !ok {
			return nil, false
		}
		if byFile[e.File] == nil {
			names = append(names, e.File)
			uris[e.File] = file.URI
		}
		mapper := file.Mapper()
		byFile[e.File] = append(byFile[e.File], protocol.TextEdit{NewText: e.Text,
			Range: protocol.Range{Start: mapper.GoPosition(e.Start.Line, e.Start.Column), End: mapper.GoPosition(e.End.Line, e.End.Column)}})
	}
	if !s.annotates() {
		edit := &protocol.WorkspaceEdit{Changes: map[protocol.URI][]protocol.TextEdit{}}
		for _, name := range names {
			edit.Changes[uris[name]] = byFile[name]
		}
		return edit, true
	}
	yes, why := true, strings.Join(f.Tells, "; ")
	label := protocol.ChangeAnnotation{Label: f.Title, NeedsConfirmation: &yes}
	if why != "" {
		label.Description = &why
	}
	edit := &protocol.WorkspaceEdit{ChangeAnnotations: map[protocol.ChangeAnnotationIdentifier]protocol.ChangeAnnotation{fixAnnotation: label}}
	for _, name := range names {
		change := &protocol.TextDocumentEdit{}
		change.TextDocument.URI = uris[name]
		for _, e := range byFile[name] {
			change.Edits = append(change.Edits, &protocol.AnnotatedTextEdit{TextEdit: e, AnnotationID: fixAnnotation})
		}
		edit.DocumentChanges = append(edit.DocumentChanges, change)
	}
	return edit, true
}

const fixAnnotation = "fix"

// annotates reports whether the client asks before it applies edits that say so.
func (s *Server) annotates() bool {
	w := s.session.capabilities.Workspace
	return w != nil && w.WorkspaceEdit != nil && w.WorkspaceEdit.ChangeAnnotationSupport != nil
}

// applyFix has the client apply a fix, and searches the entry again.
func (s *Server) applyFix(ctx context.Context, c call, a *applyFixArguments) (any, error) {
	m, found, err := s.findingFor(ctx, commandApplyFix, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	list := s.fixesNow(c.view, m, found)
	n := max(a.Fix, 1)
	switch {
	case len(list) == 0:
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no verified fix of %s for the text as it is; %s looks for one", commandApplyFix, found.Finding.ID, commandFix)
	case a.Fix < 0 || n > len(list):
		return nil, invalid(commandApplyFix, "there are %s of %s, from 1", words.CountOf(len(list), "fix", "fixes"), found.Finding.ID)
	}
	f := list[n-1]
	edit, ok := s.editOf(c.view, m, f)
	if !ok {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: a file of the fix can't be read; close it and open it again", commandApplyFix)
	}
	label := f.Title
	answer, err := s.client.ApplyEdit(ctx, &protocol.ApplyWorkspaceEditParams{Label: &label, Edit: *edit})
	if err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: the editor did not apply it: %v", commandApplyFix, err)
	}
	ans := &applyFixAnswer{ID: found.Finding.ID, Applied: answer.Applied, Message: "applied: " + f.Title + " (" + verdictOf(f) + ")"}
	if !answer.Applied {
		ans.Message = "not applied: " + f.Title
	}
	if a.Show {
		s.say(ctx, protocol.MessageTypeInfo, ans.Message)
	}
	return ans, nil
}
