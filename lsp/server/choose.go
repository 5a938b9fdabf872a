package server

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/hocket-dev/hocket/lsp/present"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

const commandChoose = "hocket.choose"

type (
	chooseArguments struct {
		ID       string    `json:"id"`
		IDs      []string  `json:"ids"` // several findings of one module
		URI      string    `json:"uri"`
		Entry    string    `json:"entry"`    // its findings, and to search it again
		Position *position `json:"position"` // of a finding, if neither is named
		Ask      *bool     `json:"ask"`      // default true: by window/showMessageRequest
	}
	chooseAnswer struct {
		Title   string   `json:"title"` // one line for users
		Choices []choice `json:"choices"`
	}
	// choice is something that can be done now. Those about one finding follow each other.
	choice struct {
		Title     string            `json:"title"`
		About     string            `json:"about"` // the finding in a few words, unlike any other's; "" if it is about none
		State     string            `json:"state"` // what is to be known of the finding, such as "changed since found"; often ""
		ID        string            `json:"id"`    // of the finding
		Command   string            `json:"command"`
		Arguments []protocol.LSPAny `json:"arguments"`
	}
)

func (a *chooseArguments) check() error {
	if a.Entry != "" || len(a.IDs) > 0 {
		return nil
	}
	return namesFinding(commandChoose, a.ID, a.URI, a.Position)
}

// choose lists what can be done about findings or an entry, and unless the client asks
// its user itself, asks and does what is chosen. It is answered at once: some clients
// block until a command is.
func (s *Server) choose(ctx context.Context, c call, a *chooseArguments) (any, error) {
	ans, err := s.choices(ctx, c.view, a)
	if err != nil || a.Ask != nil && !*a.Ask {
		return ans, err
	}
	s.Go(func(ctx context.Context) {
		select {
		case <-time.After(askLater):
			s.ask(ctx, ans)
		case <-ctx.Done():
		}
	})
	return ans, nil
}

// askLater is how long the user is not asked after the answer. Emacs leaves what comes in
// one piece with an answer unread until there is more.
const askLater = 100 * time.Millisecond

func (s *Server) choices(ctx context.Context, v View, a *chooseArguments) (*chooseAnswer, error) {
	m, items, err := s.chosenFrom(ctx, v, a)
	if err != nil {
		return nil, err
	}
	uri := a.URI
	if uri == "" {
		uri = string(protocol.FileURI(filepath.Join(m.Root(), "go.mod")))
	}
	ans := &chooseAnswer{Choices: []choice{}}
	names := present.Names(items)
	for i, it := range items {
		ans.Choices = append(ans.Choices, s.choicesOf(v, m, it, names[i], uri)...)
	}
	switch {
	case len(items) == 1:
		ans.Title = names[0]
		if about := items[0].About(); about != "" {
			ans.Title += " (" + about + ")"
		}
	case a.Entry != "":
		ans.Title = a.Entry
	default:
		ans.Title = "Findings"
	}
	if a.Entry != "" {
		title := "Find failing schedule"
		if len(items) > 0 {
			title = "Search again"
		}
		if found := s.verdicts.get(v, s.dirOfURI(uri), a.Entry); found != nil {
			ans.Title, title = found.message, "Search again"
		}
		arg := map[string]any{"entry": a.Entry, "uri": uri, "show": true, "wait": false}
		ans.Choices = append(ans.Choices, choice{Title: title, Command: commandFind, Arguments: []protocol.LSPAny{protocol.Any(arg)}})
	}
	return ans, nil
}

func (s *Server) dirOfURI(uri string) string {
	path, _ := protocol.Path(protocol.URI(uri))
	return filepath.Dir(path)
}

// chosenFrom are the findings that the arguments name, and their module.
func (s *Server) chosenFrom(ctx context.Context, v View, a *chooseArguments) (*Module, []*present.Item, error) {
	ids := slices.Clone(a.IDs)
	if a.ID != "" {
		ids = append(ids, a.ID)
	}
	if len(ids) == 0 && a.Entry == "" {
		return s.itemsFor(ctx, commandChoose, v, a.URI, a.Position)
	}
	if a.Entry != "" {
		at, err := s.placeOf(commandChoose, v, a.URI)
		if err != nil {
			return nil, nil, err
		}
		m := s.workspace.modules.open(at.root)
		dir, err := filepath.Rel(at.root, at.dir)
		if err != nil || dir == "." {
			dir = ""
		}
		return m, s.placed(ctx, v, m).Of(filepath.ToSlash(dir), a.Entry), nil
	}
	m, first, err := s.lookUp(ctx, commandChoose, v, a.URI, ids[0])
	if err != nil {
		return nil, nil, err
	}
	ids[0] = first.Finding.ID // it may have been the beginning of one
	return m, s.itemsNamed(ctx, v, m, ids), nil
}

func (s *Server) itemsNamed(ctx context.Context, v View, m *Module, ids []string) (out []*present.Item) {
	for _, it := range s.placed(ctx, v, m).Items() {
		if slices.Contains(ids, it.Finding.ID) {
			out = append(out, it)
		}
	}
	return out
}

// commandOf is the command of the server that does what is offered.
var commandOf = map[present.Action]string{
	present.Replay: commandReplay, present.Explain: commandExplain, present.Step: commandSchedule, present.Debug: commandDebug,
	present.LookForFix: commandFix, present.BreakFrom: commandBreakFrom,
}

func (s *Server) choicesOf(v View, m *Module, it *present.Item, name, uri string) (out []choice) {
	set := v.Settings.CodeLenses
	opt := present.ChoiceOptions{Replay: set.Replay, Explain: set.Explain, Debug: set.Debug && s.session.debugs, Runs: v.Settings.Replay.Runs}
	var fixes []choice
	add := func(to *[]choice, title, command string, arg map[string]any) {
		arg["id"], arg["uri"] = it.Finding.ID, uri
		*to = append(*to, choice{Title: title, About: name, State: it.About(), ID: it.Finding.ID, Command: command, Arguments: []protocol.LSPAny{protocol.Any(arg)}})
	}
	if it.State != present.Fixed {
		for i, f := range s.fixesNow(v, m, it.Stored) {
			add(&fixes, "Fix: "+f.Title+" ("+verdictOf(f)+")", commandApplyFix, map[string]any{"fix": i + 1, "show": true})
		}
	}
	for _, c := range it.Choices(opt) {
		if c.Action == present.LookForFix && len(fixes) > 0 {
			out = append(out, fixes...)
			continue
		}
		arg := map[string]any{}
		switch c.Action {
		case present.Explain, present.Debug:
		case present.Step:
			arg["show"] = true
		default: // they take a while
			arg["show"], arg["wait"] = true, false
		}
		add(&out, c.Title, commandOf[c.Action], arg)
	}
	return out
}

// ask has the user choose, first a finding where there are several, then what to do, and
// does it. Nothing is done if the user turns away.
func (s *Server) ask(ctx context.Context, ans *chooseAnswer) {
	left := slices.DeleteFunc(slices.Clone(ans.Choices), func(c choice) bool { return c.Command == commandDebug }) // only clients can
	for {
		var titles []string
		several := slices.ContainsFunc(left, func(c choice) bool { return c.About != left[0].About && c.About != "" })
		for _, c := range left {
			title := c.Title
			if several && c.About != "" {
				title = c.About
			}
			if len(titles) == 0 || titles[len(titles)-1] != title {
				titles = append(titles, title)
			}
		}
		chosen, ok := s.askOne(ctx, ans.Title, titles)
		if !ok {
			return
		}
		left = slices.DeleteFunc(left, func(c choice) bool { return c.Title != chosen && (!several || c.About != chosen) })
		if len(left) == 1 || !several {
			break
		}
	}
	if len(left) > 0 {
		s.carryOut(ctx, left[0])
	}
}

func (s *Server) askOne(ctx context.Context, message string, titles []string) (string, bool) {
	if len(titles) == 0 {
		return "", false
	}
	p := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: message}
	for _, t := range titles {
		p.Actions = append(p.Actions, protocol.MessageActionItem{Title: t})
	}
	item, err := s.client.ShowMessageRequest(ctx, p)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("the user was not asked", "err", err)
	}
	if err != nil || item == nil {
		return "", false
	}
	return item.Title, true
}

// carryOut does what was chosen, as if the client had sent the command.
func (s *Server) carryOut(ctx context.Context, c choice) {
	answer, err := s.executeCommand(ctx, s.view(), &protocol.ExecuteCommandParams{Command: c.Command, Arguments: c.Arguments})
	switch {
	case err != nil && ctx.Err() == nil:
		s.say(ctx, protocol.MessageTypeError, err.Error())
	case c.Command == commandExplain && !s.session.showDocument:
		var at explainAnswer
		if raw, err := json.Marshal(answer); err == nil && json.Unmarshal(raw, &at) == nil && at.URI != "" {
			path, _ := protocol.Path(protocol.URI(at.URI))
			s.say(ctx, protocol.MessageTypeInfo, "the explanation is in "+path)
		}
	}
}
