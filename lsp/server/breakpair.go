package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/breakview"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandBreakPair = "hocket.break.pair"

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
	first, err := s.firstOf(c.view, a)
	if err != nil {
		return nil, err
	}
	id, err := s.addBreak(ctx, c, a, first, second)
	if err != nil {
		return nil, err
	}
	s.pending.Clear(first)
	m := s.workspace.modules.open(first.Root)
	return s.breakAnswer(ctx, c.view, m, id, a.Show, func(b *present.Break) string {
		return fmt.Sprintf("concurrent breakpoint %s: %s and %s; run it with the lenses there", b.ID, first, second)
	})
}

// firstOf is the first place of a pair: the one that is named, else the pending
// one.
func (s *Server) firstOf(v View, a *breakPairArguments) (*breakview.Statement, error) {
	if a.With != nil {
		return s.statementOf(commandBreakPair, v, a.With.URI, a.With.Position)
	}
	if first, ok := s.pending.In(v.Files); ok {
		return first, nil
	}
	if p := s.pending.Get(); p != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: the first place, %s, is not in the text any more; set it again (hocket.break.set)", commandBreakPair, p)
	}
	return nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no first place yet; put the cursor on it and choose \"concurrent breakpoint here\" (hocket.break.set), or give \"with\"", commandBreakPair)
}

// addBreak adds a breakpoint and returns its id. With a condition the package is
// type-checked, by a child.
func (s *Server) addBreak(ctx context.Context, c call, a *breakPairArguments, first, second *breakview.Statement) (id string, err error) {
	texts := unsaved(c.view.Files, first.Root) // the texts that the positions are of
	var order []int
	if a.Order != nil {
		order = *a.Order
	}
	if a.If == nil || strings.TrimSpace(*a.If) == "" {
		b, err := engine.AddBreak(ctx, engine.AddBreakOptions{Dir: first.Root, Places: []string{first.Arg(), second.Arg()}, Kind: a.Kind,
			Order: order, Timeout: value(a.Timeout), Overlay: texts, Flags: flagsOf(c.view.Settings)})
		if err != nil {
			return "", refusedBreak(commandBreakPair, err)
		}
		return b.ID, nil
	}
	args := flagged("if", *a.If, "kind", a.Kind, "order", joined(order), "timeout", value(a.Timeout))
	return s.breakChild(ctx, c, "add", first.Root, texts, append(args, first.Arg(), second.Arg())...)
}
