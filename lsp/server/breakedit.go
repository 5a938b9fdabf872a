package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const (
	commandBreakEdit   = "hocket.break.edit"
	commandBreakRemove = "hocket.break.remove"
)

type breakEditArguments struct {
	ID       string    `json:"id"`
	URI      string    `json:"uri"`      // any file of the module
	Position *position `json:"position"` // of a side, if the breakpoint is not named
	If       *string   `json:"if"`
	Order    *[]int    `json:"order"`
	Timeout  *string   `json:"timeout"`
	Off      *bool     `json:"off"`
	Accept   bool      `json:"accept"` // sides that read differently now are what was meant
	delivery
}

func (a *breakEditArguments) check() error {
	return checkBreak(commandBreakEdit, a.Order, a.Timeout)
}

type breakRemoveArguments struct {
	ID       string    `json:"id"`
	URI      string    `json:"uri"`
	Position *position `json:"position"`
	Show     bool      `json:"show"`
}

// checkBreak refuses what no breakpoint can have, before anything starts.
func checkBreak(command string, order *[]int, timeout *string) error {
	if timeout != nil && *timeout != "" {
		if d, err := time.ParseDuration(*timeout); err != nil || d <= 0 {
			return invalid(command, "timeout is %s; it must be a duration above zero, such as \"100ms\"", strconv.Quote(*timeout))
		}
	}
	if order == nil {
		return nil
	}
	seen := map[int]bool{}
	for _, n := range *order {
		if n < 1 || n > len(*order) || seen[n] {
			return invalid(command, "order is %v; it must name each side once, from 1, such as [2, 1]", *order)
		}
		seen[n] = true
	}
	return nil
}

// checking is how long the type check of a condition may take.
const checking = 5 * time.Minute

// addBreak adds a breakpoint and returns its id. With a condition the package is
// type-checked, by a child.
func (s *Server) addBreak(ctx context.Context, c call, a *breakPairArguments, first, second *statement) (id string, err error) {
	texts := unsaved(c.view.Files, first.root) // the texts that the positions are of
	var order []int
	if a.Order != nil {
		order = *a.Order
	}
	if a.If == nil || strings.TrimSpace(*a.If) == "" {
		b, err := engine.AddBreak(ctx, engine.AddBreakOptions{Dir: first.root, Places: []string{first.arg(), second.arg()}, Kind: a.Kind,
			Order: order, Timeout: value(a.Timeout), Overlay: texts, Flags: flagsOf(c.view.Settings)})
		if err != nil {
			return "", refusedBreak(commandBreakPair, err)
		}
		return b.ID, nil
	}
	args := flagged("if", *a.If, "kind", a.Kind, "order", joined(order), "timeout", value(a.Timeout))
	return s.breakChild(ctx, c, "add", "check the condition", first.root, texts, append(args, first.arg(), second.arg())...)
}

// breakChild does a subcommand of "hocket break" by a child, which prints a
// breakpoint, and returns its id.
func (s *Server) breakChild(ctx context.Context, c call, sub, title, root string, texts map[string]string, args ...string) (id string, err error) {
	set := c.view.Settings
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "break " + sub, Dir: root},
		Title: "hocket: " + title,
		Limit: checking,
	}, child{dir: root, set: set, texts: texts, args: func(overlay string) []string {
		argv := append(append([]string{"break", sub}, watched()...), readFlags(set, overlay)...)
		return append(argv, args...)
	}})
	got, err := s.do(ctx, c, heavy{job: job, quick: true, conclude: func(output json.RawMessage) (*outcome, error) {
		var b struct{ ID string }
		if err := json.Unmarshal(output, &b); err != nil {
			return nil, fmt.Errorf("the breakpoint can't be read: %w", err)
		}
		return &outcome{result: b.ID, message: "breakpoint " + b.ID, kind: protocol.MessageTypeInfo}, nil
	}})
	if err != nil {
		return "", err
	}
	id, _ = got.(string)
	return id, nil
}

// refusedBreak is the answer where the façade says no.
func refusedBreak(command string, err error) error {
	return protocol.Errorf(protocol.RequestFailed, "%s: %s", command, oneLine(err.Error()))
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func joined(order []int) string {
	words := make([]string, len(order))
	for i, n := range order {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

// breakEdit changes a breakpoint.
func (s *Server) breakEdit(ctx context.Context, c call, a *breakEditArguments) (any, error) {
	m, b, err := s.breakMeant(ctx, commandBreakEdit, c.view, a.ID, a.URI, a.Position)
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
	if a.Timeout != nil {
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
	_, err := s.breakChild(ctx, c, "edit", "check the condition", m.Root(), texts, append(args, id)...)
	return err
}

// breakRemove removes a breakpoint.
func (s *Server) breakRemove(ctx context.Context, c call, a *breakRemoveArguments) (any, error) {
	m, b, err := s.breakMeant(ctx, commandBreakRemove, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	if err := engine.RemoveBreak(ctx, m.Root(), b.ID); err != nil {
		return nil, refusedBreak(commandBreakRemove, err)
	}
	m.breaks.read(ctx, c.view, m)
	s.Refresh()
	message := "breakpoint " + b.ID + " is removed"
	if a.Show {
		s.say(ctx, protocol.MessageTypeInfo, message)
	}
	return struct {
		Removed string `json:"removed"`
		Message string `json:"message"`
	}{b.ID, message}, nil
}

// breakMeant is the breakpoint that arguments name, or that has a side at the
// place that they point at.
func (s *Server) breakMeant(ctx context.Context, command string, v View, id, uri string, at *position) (*Module, *present.Break, error) {
	if id == "" && (uri == "" || at == nil) {
		return nil, nil, invalid(command, "id is missing, and so is a place (uri and position) of a side; the request hocket/breakpoints names the breakpoints")
	}
	if id == "" {
		return s.breakAt(ctx, command, v, uri, at)
	}
	ms := s.Modules()
	if uri != "" {
		where, err := s.placeOf(command, v, uri)
		if err != nil {
			return nil, nil, err
		}
		ms = []*Module{s.workspace.modules.open(s.homeOf(where))}
	}
	var of *Module
	var hit *present.Break
	for _, m := range sortedModules(ms) {
		m.breaks.read(ctx, v, m) // what was set a moment ago, by whom ever, counts
		for _, b := range s.breaksIn(ctx, v, m) {
			if b.ID != id {
				continue
			}
			if hit != nil {
				return nil, nil, invalid(command, "breakpoint %s is there in %s and in %s; uri (any file of the module) says which is meant", id, of.Root(), m.Root())
			}
			of, hit = m, b
		}
	}
	if hit == nil {
		return nil, nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no breakpoint %s in %s; the request hocket/breakpoints names those that there are", command, id, rootsOf(ms))
	}
	return of, hit, nil
}

func (s *Server) breakAt(ctx context.Context, command string, v View, uri string, at *position) (*Module, *present.Break, error) {
	where, err := s.placeOf(command, v, uri)
	if err != nil {
		return nil, nil, err
	}
	point, err := at.at(command)
	if err != nil {
		return nil, nil, err
	}
	f, ok := v.Files.File(where.uri)
	if !ok {
		return nil, nil, invalid(command, "%s can't be read; close it and open it again", where.path)
	}
	line, _ := f.Mapper().GoLineColumn(f.Mapper().Offset(point))
	for _, on := range s.sidesOn(ctx, v, f.Path, line, line) {
		return on.module, on.Break, nil
	}
	return nil, nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no breakpoint at line %d of %s", command, line, f.Path)
}

// sideHere is a side of a breakpoint that is on some line.
type sideHere struct {
	*present.Break
	module *Module
	side   int // from 1
}

// sidesOn are the sides on the lines from..to of a file, of all modules: a
// module's breakpoints may lie in the sources of another.
func (s *Server) sidesOn(ctx context.Context, v View, path string, from, to int) (out []sideHere) {
	for _, m := range sortedModules(s.Modules()) {
		for _, b := range s.breaksIn(ctx, v, m) {
			for i := range b.Places {
				if b.Places[i].On(path, from, to) {
					out = append(out, sideHere{b, m, i + 1})
				}
			}
		}
	}
	return out
}
