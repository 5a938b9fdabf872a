package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/conflictview"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandBreakSet = "hocket.break.set"

type breakSetArguments struct {
	URI      string    `json:"uri"`
	Position *position `json:"position"`
	delivery
}

type breakSetAnswer struct {
	Pending    *protocol.PendingBreakpoint `json:"pending"`
	Candidates []conflictview.Candidate    `json:"candidates"` // most suspicious first
	Note       string                      `json:"note"`       // why there are none
	Message    string                      `json:"message"`    // one line for users
}

// maxCandidates bounds a list to pick from.
const maxCandidates = 50

// breakSet remembers the first place of a breakpoint, and says which places
// conflict with it.
func (s *Server) breakSet(ctx context.Context, c call, a *breakSetArguments) (any, error) {
	at, err := s.statementOf(commandBreakSet, c.view, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	s.pending.Set(at)
	s.Refresh()
	ans := &breakSetAnswer{Pending: at.Wire(), Candidates: []conflictview.Candidate{}}
	known, ok := s.conflicts.Of(at.File.Path)
	switch {
	case ok:
	case a.waits() && s.session.marks:
		known, ans.Note, err = s.conflictsNow(ctx, c, at.File.Path)
		if err != nil {
			return nil, err
		}
	default: // shown when they are known, as lenses and code actions
		ans.Note = "the conflicts of the package are not known yet"
		s.Go(func(ctx context.Context) {
			if _, note, err := s.conflictsNow(ctx, call{view: c.view}, at.File.Path); err == nil && note != "" {
				s.log.Info("no conflicts", "note", note)
			}
		})
	}
	if known != nil {
		ans.Candidates = s.candidatesOf(s.view(), at, known)
		if len(ans.Candidates) == 0 {
			ans.Note = "static analysis found no place that conflicts with it; choose any other line"
		}
	}
	ans.Message = nextStep(at, len(ans.Candidates))
	if a.Show || !s.session.marks {
		s.say(ctx, protocol.MessageTypeInfo, ans.Message)
	}
	return ans, nil
}

// candidatesOf are the places that conflict with a statement in the texts of a
// view.
func (s *Server) candidatesOf(v View, at *breakview.Statement, known *conflictview.Package) []conflictview.Candidate {
	now, ok := at.In(v.Files)
	if !ok {
		return []conflictview.Candidate{}
	}
	return known.Candidates(v.Files, now.File.Path, now.Line, now.EndLine, maxCandidates)
}

// nextStep says what to do after the first place.
func nextStep(at *breakview.Statement, candidates int) string {
	line := fmt.Sprintf("first place of a concurrent breakpoint: %s. Put the cursor on the second one and choose the code action \"pair with %s\"", at, at)
	if candidates > 0 {
		line += fmt.Sprintf(", or one of the code actions \"break here and at ...\" of the first (%s)", words.Count(candidates, "place")+" known to conflict with it")
	}
	return line
}

// statementOf is the statement that a command's arguments point at.
func (s *Server) statementOf(command string, v View, uri string, at *position) (*breakview.Statement, error) {
	if uri == "" || at == nil {
		return nil, invalid(command, "the location is missing: uri and position are required")
	}
	where, err := s.placeOf(command, v, uri)
	if err != nil {
		return nil, err
	}
	point, err := at.at(command)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(where.path, ".go") {
		return nil, invalid(command, "%s is not a Go file", where.path)
	}
	f, ok := v.Files.File(where.uri)
	if !ok {
		return nil, invalid(command, "%s can't be read; close it and open it again", where.path)
	}
	line, column := f.Mapper().GoLineColumn(f.Mapper().Offset(point))
	found, err := breakview.StatementAt(f, s.breakHome(where).Root(), line, column)
	if err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %s", command, words.OneLine(err.Error()))
	}
	return found, nil
}

// breakHome is the module in whose file a breakpoint on a document is kept.
func (s *Server) breakHome(at place) *Module {
	var open []string
	for _, m := range s.Modules() {
		open = append(open, m.Root())
	}
	return s.workspace.modules.open(breakview.Home(at.root, &s.pending, open))
}
