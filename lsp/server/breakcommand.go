package server

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/internal/words"
	"github.com/hocket-dev/hocket/lsp/jobs"
	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// What the commands that set, edit, remove and run breakpoints share.

// checkBreak refuses what no breakpoint can have, before anything starts.
func checkBreak(command string, order *[]int, timeout *string) error {
	if timeout != nil && *timeout != "" {
		if d, err := time.ParseDuration(*timeout); err != nil || d <= 0 {
			return invalid(command, "invalid timeout %s: it must be a duration above zero, such as \"100ms\"", strconv.Quote(*timeout))
		}
	}
	if order == nil {
		return nil
	}
	seen := map[int]bool{}
	for _, n := range *order {
		if n < 1 || n > len(*order) || seen[n] {
			return invalid(command, "invalid order %v: it must name each side once, from 1, such as [2, 1]", *order)
		}
		seen[n] = true
	}
	return nil
}

// checkLimit is how long the type check of a condition may take.
const checkLimit = 5 * time.Minute

// breakChild has a child do a subcommand of "hocket break" with a condition, which
// is type-checked, and returns the id of the breakpoint that it prints.
func (s *Server) breakChild(ctx context.Context, c call, sub, root string, texts map[string]string, args ...string) (id string, err error) {
	set := c.view.Settings
	job := s.childJob(jobs.Job{
		Key:   jobs.Key{Kind: "break " + sub, Dir: root},
		Title: "hocket: check the condition",
		Limit: checkLimit,
	}, child{dir: root, set: set, texts: texts, args: func(overlay string) []string {
		argv := append(append([]string{"break", sub}, watched()...), readFlags(set, overlay)...)
		return append(argv, args...)
	}})
	got, err := s.do(ctx, c, heavy{job: job, quick: true, conclude: func(output json.RawMessage) (*outcome, error) {
		var b struct{ ID string }
		if err := json.Unmarshal(output, &b); err != nil {
			return nil, fmt.Errorf("decode the breakpoint: %w", err)
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
	return protocol.Errorf(protocol.RequestFailed, "%s: %s", command, words.OneLine(err.Error()))
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

// breakFor is the breakpoint that arguments name, or that has a side at the
// place that they point at.
func (s *Server) breakFor(ctx context.Context, command string, v View, id, uri string, at *position) (*Module, *present.Break, error) {
	if id == "" && (uri == "" || at == nil) {
		return nil, nil, invalid(command, "id is missing, and so is a location (uri and position) of a side; the request hocket/breakpoints lists the breakpoints")
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
		ms = []*Module{s.breakHome(where)}
	}
	var of *Module
	var hit *present.Break
	for _, m := range sortedModules(ms) {
		m.breaks.Read(ctx, v.Files) // what was set a moment ago, by anybody, counts
		b, ok := m.breaks.In(ctx, v.Files).Find(id)
		if !ok {
			continue
		}
		if hit != nil {
			return nil, nil, invalid(command, "breakpoint %s exists in %s and in %s; give uri, any file of the module, to choose one", id, of.Root(), m.Root())
		}
		of, hit = m, b
	}
	if hit == nil {
		return nil, nil, protocol.Errorf(protocol.RequestFailed, "%s: there is no breakpoint %s in %s; the request hocket/breakpoints lists those that exist", command, id, rootsOf(ms))
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

// breakAnswer is a breakpoint as it is sent to clients, with a line for
// people, after the file was changed.
type breakAnswer struct {
	protocol.Breakpoint
	Message string `json:"message"`
}

func (s *Server) breakAnswer(ctx context.Context, v View, m *Module, id string, show bool, words func(*present.Break) string) (any, error) {
	m.breaks.Read(ctx, v.Files)
	s.Refresh()
	breaks := m.breaks.In(ctx, v.Files)
	b, ok := breaks.Find(id)
	if !ok {
		why := breaks.Problem
		if why == "" {
			why = "another process has removed it"
		}
		return nil, protocol.Errorf(protocol.RequestFailed, "breakpoint %s: %s", id, why)
	}
	ans := &breakAnswer{breaks.WireBreak(b, s.style(m)), words(b)}
	if show {
		s.say(ctx, protocol.MessageTypeInfo, ans.Message)
	}
	return ans, nil
}
