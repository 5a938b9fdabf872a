package server

import (
	"context"
	"fmt"

	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	commandBreakSet  = "hocket.break.set"
	commandBreakPair = "hocket.break.pair"
)

type breakSetArguments struct {
	URI      string    `json:"uri"`
	Position *position `json:"position"`
	delivery
}

type breakSetAnswer struct {
	Pending    *protocol.PendingBreakpoint `json:"pending"`
	Candidates []candidate                 `json:"candidates"` // most suspicious first
	Note       string                      `json:"note"`       // why there are none
	Message    string                      `json:"message"`    // one line for people
}

// candidate is a place that conflicts with the pending one.
type candidate struct {
	URI    protocol.URI   `json:"uri"`
	Range  protocol.Range `json:"range"`
	Label  string         `json:"label"`  // "write in (*Cache).Put, cache.go:12"
	Detail string         `json:"detail"` // why, and under which locks
	Kind   string         `json:"kind"`   // of the conflict
}

// breakSet remembers the first place of a breakpoint, and says which places
// conflict with it.
func (s *Server) breakSet(ctx context.Context, c call, a *breakSetArguments) (any, error) {
	at, err := s.statementOf(commandBreakSet, c.view, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	s.pending.set(at)
	s.Refresh()
	ans := &breakSetAnswer{Pending: at.wire(), Candidates: []candidate{}}
	known, ok := s.conflicts.of(packageOf(at.file.Path))
	switch {
	case ok:
	case a.waits() && s.session.marks:
		known, ans.Note, err = s.conflictsNow(ctx, c, at)
		if err != nil {
			return nil, err
		}
	default: // shown when they are known, as lenses and code actions
		ans.Note = "the conflicts of the package are not known yet"
		s.Go(func(ctx context.Context) {
			if _, note, err := s.conflictsNow(ctx, call{view: c.view}, at); err == nil && note != "" {
				s.log.Info("no conflicts", "note", note)
			}
		})
	}
	if known != nil {
		ans.Candidates = s.candidatesOf(s.view(), at, known)
		if len(ans.Candidates) == 0 {
			ans.Note = "the sources alone show no place that conflicts with it; any other line will do"
		}
	}
	ans.Message = s.nextStep(at, len(ans.Candidates))
	if a.Show || !s.session.marks {
		s.say(ctx, protocol.MessageTypeInfo, ans.Message)
	}
	return ans, nil
}

// nextStep says what to do after the first place.
func (s *Server) nextStep(at *statement, candidates int) string {
	line := fmt.Sprintf("first place of a concurrent breakpoint: %s. Put the cursor on the second one and choose the code action \"pair with %s\"", at.words(), at.words())
	if candidates > 0 {
		line += fmt.Sprintf(", or one of the code actions \"break here and at ...\" of the first (%s)", plural(candidates, "place")+" known to conflict with it")
	}
	return line
}

// maxCandidates bounds a list to pick from.
const maxCandidates = 50

// candidatesOf are the places that conflict with a statement in the texts of a
// view.
func (s *Server) candidatesOf(v View, at *statement, known *packageConflicts) []candidate {
	out := []candidate{}
	now, ok := at.in(v)
	if !ok {
		return out
	}
	for _, p := range known.partners(v, now.file.Path, now.Line, now.EndLine) {
		if len(out) == maxCandidates {
			break
		}
		if c, ok := known.candidate(v, p); ok {
			out = append(out, c)
		}
	}
	return out
}

type breakPairArguments struct {
	URI      string    `json:"uri"`
	Position *position `json:"position"`
	With     *struct {
		URI      string    `json:"uri"`
		Position *position `json:"position"`
	} `json:"with"` // default: the pending place
	Kind    string  `json:"kind"`
	If      *string `json:"if"`
	Order   *[]int  `json:"order"`
	Timeout *string `json:"timeout"`
	delivery
}

func (a *breakPairArguments) check() error {
	return checkBreak(commandBreakPair, a.Order, a.Timeout)
}

// breakPair makes a breakpoint of two places.
func (s *Server) breakPair(ctx context.Context, c call, a *breakPairArguments) (any, error) {
	second, err := s.statementOf(commandBreakPair, c.view, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	var first *statement
	if a.With != nil {
		if first, err = s.statementOf(commandBreakPair, c.view, a.With.URI, a.With.Position); err != nil {
			return nil, err
		}
	} else {
		var ok bool
		if first, ok = s.pending.in(c.view); !ok {
			return nil, s.unplaced(commandBreakPair)
		}
	}
	id, err := s.addBreak(ctx, c, a, first, second)
	if err != nil {
		return nil, err
	}
	s.pending.clear(first)
	m := s.workspace.modules.open(first.root)
	return s.breakAnswer(ctx, c.view, m, id, a.Show, func(b *present.Break) string {
		return fmt.Sprintf("concurrent breakpoint %s: %s and %s; the lenses there run it", b.ID, first.words(), second.words())
	})
}

// breakAnswer is a breakpoint as the client is told of it, with a line for
// people, after the file was changed.
type breakAnswer struct {
	protocol.Breakpoint
	Message string `json:"message"`
}

func (s *Server) breakAnswer(ctx context.Context, v View, m *Module, id string, show bool, words func(*present.Break) string) (any, error) {
	m.breaks.read(ctx, v, m)
	s.Refresh()
	list, problem, _ := m.breaks.in(ctx, v, m)
	for _, b := range list {
		if b.ID != id {
			continue
		}
		ans := &breakAnswer{s.wireBreak(v, m, b), words(b)}
		if show {
			s.say(ctx, protocol.MessageTypeInfo, ans.Message)
		}
		return ans, nil
	}
	if problem == "" {
		problem = "another program has removed it meanwhile"
	}
	return nil, protocol.Errorf(protocol.RequestFailed, "breakpoint %s: %s", id, problem)
}
