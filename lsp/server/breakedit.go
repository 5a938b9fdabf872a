package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/present"
)

const commandBreakEdit = "hocket.break.edit"

type breakEditArguments struct {
	ID       string    `json:"id"`
	URI      string    `json:"uri"`      // any file of the module
	Position *position `json:"position"` // of a side, if the breakpoint is not named
	If       *string   `json:"if"`
	Order    *[]int    `json:"order"`
	Timeout  *string   `json:"timeout"`
	Off      *bool     `json:"off"`
	Accept   bool      `json:"accept"` // statements that have changed are still the intended ones
	delivery
}

func (a *breakEditArguments) check() error {
	return checkBreak(commandBreakEdit, a.Order, a.Timeout)
}

// breakEdit changes a breakpoint.
func (s *Server) breakEdit(ctx context.Context, c call, a *breakEditArguments) (any, error) {
	m, b, err := s.breakFor(ctx, commandBreakEdit, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	texts := unsaved(c.view.Files, m.Root())
	if a.If != nil && strings.TrimSpace(*a.If) != "" {
		if err := s.breakEditChild(ctx, c, m, b.ID, a, texts); err != nil {
			return nil, err
		}
	} else if _, err := engine.EditBreak(ctx, engine.EditBreakOptions{Dir: m.Root(), ID: b.ID, If: a.If, Timeout: a.Timeout, Order: a.Order, Off: a.Off, Accept: a.Accept,
		Overlay: texts, Flags: flagsOf(c.view.Settings)}); err != nil {
		return nil, refusedBreak(commandBreakEdit, err)
	}
	return s.breakAnswer(ctx, c.view, m, b.ID, a.Show, func(b *present.Break) string {
		if b.Off {
			return "breakpoint " + b.ID + " is off"
		}
		return "breakpoint " + b.ID + " is changed"
	})
}

// breakEditChild changes a breakpoint by a child, since a condition is to be
// type-checked.
func (s *Server) breakEditChild(ctx context.Context, c call, m *Module, id string, a *breakEditArguments, texts map[string]string) error {
	args := []string{"-if=" + *a.If}
	if a.Timeout != nil { // "" is the default
		args = append(args, "-timeout="+*a.Timeout)
	}
	if a.Order != nil {
		args = append(args, "-order="+joined(*a.Order))
	}
	if a.Off != nil {
		args = append(args, fmt.Sprintf("-off=%t", *a.Off))
	}
	if a.Accept {
		args = append(args, "-accept")
	}
	_, err := s.breakChild(ctx, c, "edit", m.Root(), texts, append(args, id)...)
	return err
}
