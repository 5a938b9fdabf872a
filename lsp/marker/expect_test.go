package marker

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

type diagnostic struct {
	Range           rang
	Severity        int
	Code            string
	CodeDescription struct{ Href string }
	Source, Message string
	Data            struct {
		ID  string
		IDs []string
	}
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range rang
		}
		Message string
	}
}

type publication struct {
	URI         string
	Version     *int
	Diagnostics []diagnostic
}

// published is the client's problem list: the newest publication per file.
func (s *session) published() map[string]publication {
	out := map[string]publication{}
	for _, raw := range s.c.Notifications("textDocument/publishDiagnostics") {
		var p publication
		if err := json.Unmarshal(raw, &p); err != nil {
			s.t.Fatal(err)
		}
		out[s.name(p.URI)] = p
	}
	return out
}

// upToDate: diagnostics of an open document are of its present version.
func (s *session) upToDate(name string, p publication) error {
	if len(p.Diagnostics) == 0 {
		return nil
	}
	switch v := s.version[name]; {
	case v == 0 && p.Version == nil:
		return nil
	case p.Version == nil || *p.Version != v:
		return fmt.Errorf("diagnostics of %s are not of version %d", name, v)
	}
	return nil
}

var severities = []string{"", "error", "warning", "information", "hint"}

// diag checks one diagnostic. Its key marks it as expected.
func (s *session) diag(c call, name, text string, line int) error {
	p := s.published()[name]
	if err := s.upToDate(name, p); err != nil {
		return err
	}
	err := fmt.Errorf("%s has no diagnostic of %q", name, text)
	for i, d := range p.Diagnostics {
		if s.cut(name, d.Range) != text || line > 0 && d.Range.Start.Line != line-1 {
			continue
		}
		if err = s.checkDiag(c, d); err == nil {
			s.want[fmt.Sprint("diag ", name, i)] = true
			return nil
		}
	}
	return err
}

func (s *session) checkDiag(c call, d diagnostic) error {
	got := map[string]string{"severity": severities[d.Severity], "code": d.Code, "related": strconv.Itoa(len(d.RelatedInformation)),
		"ids": strings.Join(d.Data.IDs, " ")}
	for key, want := range c.named {
		switch key {
		case "line":
		case "message":
			if !regexp.MustCompile(want).MatchString(d.Message) {
				return fmt.Errorf("message is %q, want %s", d.Message, want)
			}
		default:
			if g, ok := got[key]; !ok || g != want {
				return fmt.Errorf("%s is %q, want %q, in %q", key, g, want, d.Message)
			}
		}
	}
	if strings.Contains(d.Code, "breakpoint") { // about no finding
		if d.Source != "hocket" || d.Message == "" {
			return fmt.Errorf("incomplete: %+v", d)
		}
		return nil
	}
	if d.Source != "hocket" || d.Message == "" || !strings.HasPrefix(d.CodeDescription.Href, "https://") || len(d.Data.IDs) == 0 || d.Data.ID != d.Data.IDs[0] {
		return fmt.Errorf("incomplete: %+v", d)
	}
	return nil
}

func (s *session) nodiag(name string) error {
	if n := len(s.published()[name].Diagnostics); n > 0 {
		return fmt.Errorf("%s has %d diagnostics", name, n)
	}
	return nil
}

type lens struct {
	Range   rang
	Command struct {
		Title, Command string
		Arguments      []map[string]any
	}
}

func (s *session) lensesOf(name string) (byLine map[int][]string, err error) {
	var ls []lens
	s.c.Must("textDocument/codeLens", lsptest.Object{"textDocument": lsptest.Object{"uri": s.uri(name)}}, &ls)
	byLine = map[int][]string{}
	for _, l := range ls {
		n := l.Range.Start.Line + 1
		byLine[n] = append(byLine[n], l.Command.Title)
		if len(l.Command.Arguments) != 1 || !strings.HasPrefix(l.Command.Command, "hocket.") || l.Range.End.Line != n-1 {
			return nil, fmt.Errorf("lens %+v", l)
		}
	}
	return byLine, nil
}

func (s *session) lens(name string, line int, titles []string) error {
	got, err := s.lensesOf(name)
	if err != nil {
		return err
	}
	if !slices.Equal(got[line], titles) {
		return fmt.Errorf("lenses are %q, want %q", got[line], titles)
	}
	s.want[fmt.Sprint("lens ", name, line)] = true
	return nil
}

// choices are what the lens on a line leads to: titles, and the finding of each where
// there are several.
func (s *session) choices(c call) error {
	at, err := s.find(c.args[0], c.args[1], 0)
	if err != nil {
		return err
	}
	var ls []lens
	s.c.Must("textDocument/codeLens", lsptest.Object{"textDocument": lsptest.Object{"uri": s.uri(c.args[0])}}, &ls)
	for _, l := range ls {
		if l.Range.Start.Line != at.Line || l.Command.Command != "hocket.choose" {
			continue
		}
		arg := l.Command.Arguments[0]
		arg["ask"] = false
		var ans struct {
			Title   string
			Choices []struct{ Title, About, State string }
		}
		s.c.Must("workspace/executeCommand", lsptest.Object{"command": "hocket.choose", "arguments": []any{arg}}, &ans)
		var titles []string
		text := ans.Title + "\n"
		for _, o := range ans.Choices {
			titles = append(titles, o.Title)
			text += "- " + strings.TrimPrefix(o.About+": "+o.Title, ": ") + "\n"
		}
		if strings.HasPrefix(c.args[2], "@") {
			return s.golden(c.args[2], text)
		}
		if !slices.Equal(titles, c.args[2:]) {
			return fmt.Errorf("choices are %q", titles)
		}
		return nil
	}
	return fmt.Errorf("no lens that opens a list: %+v", ls)
}

func (s *session) hover(name string, at position) (text string, r *rang) {
	var h *struct {
		Contents struct{ Kind, Value string }
		Range    *rang
	}
	s.c.Must("textDocument/hover", lsptest.At(s.uri(name), at.Line, at.Character), &h)
	if h == nil {
		return "", nil
	}
	return h.Contents.Value, h.Range
}

// actions are the titles of those of a kind.
func (s *session) actions(name string, at position, kind string) (titles []string) {
	var own []diagnostic
	for _, d := range s.published()[name].Diagnostics {
		if d.Range.Start.Line == at.Line {
			own = append(own, d)
		}
	}
	var as []struct {
		Title, Kind string
		Command     struct {
			Command   string
			Arguments []map[string]any
		}
		Diagnostics []json.RawMessage
	}
	r := lsptest.Range(at.Line, at.Character, at.Line, at.Character)
	own = slices.DeleteFunc(own, func(d diagnostic) bool { return len(d.Data.IDs) == 0 })
	raws := []any{}
	for _, d := range own {
		raws = append(raws, lsptest.Object{"range": r, "message": d.Message, "source": d.Source, "data": lsptest.Object{"id": d.Data.ID, "ids": d.Data.IDs}})
	}
	s.c.Must("textDocument/codeAction", lsptest.Object{"textDocument": lsptest.Object{"uri": s.uri(name)}, "range": r,
		"context": lsptest.Object{"diagnostics": raws}}, &as)
	for _, a := range as {
		quickfix := a.Kind == "quickfix"
		if !quickfix && a.Kind != "refactor.hocket.break" || len(a.Command.Arguments) != 1 || quickfix && len(own) > 0 && len(a.Diagnostics) == 0 {
			s.t.Errorf("action %+v", a)
		}
		if slices.Contains([]string{"hocket.replay", "hocket.break.run", "hocket.break.set", "hocket.break.fromFinding"}, a.Command.Command) && a.Command.Arguments[0]["wait"] != false {
			s.t.Errorf("action waits: %+v", a)
		}
		if a.Kind == kind {
			titles = append(titles, a.Title)
		}
	}
	return titles
}

type listed struct {
	ID, State, Headline string
	Location            *struct {
		URI   string
		Range rang
	}
	Replay struct{ Runs, Failed int }
}

func (s *session) list() []listed {
	var l struct{ Findings []listed }
	s.c.Must("workspace/executeCommand", lsptest.Object{"command": "hocket.list", "arguments": []any{lsptest.Object{}}}, &l)
	return l.Findings
}

// dump is the problem list for users.
func (s *session) dump() (string, error) {
	var b strings.Builder
	all := s.published()
	for _, name := range sortedKeys(all) {
		if err := s.upToDate(name, all[name]); err != nil {
			return "", err
		}
		for _, d := range all[name].Diagnostics {
			fmt.Fprintf(&b, "%s:%d %q %s %s\n", name, d.Range.Start.Line+1, s.cut(name, d.Range), severities[d.Severity], d.Code)
			for _, l := range strings.Split(d.Message, "\n") {
				fmt.Fprintf(&b, "    %s\n", l)
			}
			for _, r := range d.RelatedInformation {
				fmt.Fprintf(&b, "  - %s:%d %s\n", s.name(r.Location.URI), r.Location.Range.Start.Line+1, r.Message)
			}
		}
	}
	return b.String(), nil
}
