package marker

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// fakeName makes this test's program a hocket that answers from files.
const fakeName = "fake-hocket"

// fake prints the answer to a command: the file of dir that is named after its
// words.
func fake(dir string, args []string) int {
	var words []string
	for _, a := range args {
		if strings.HasPrefix(a, "-") || len(words) > 0 && words[0] != "break" || len(words) == 2 {
			break
		}
		words = append(words, a)
	}
	data, err := os.ReadFile(filepath.Join(dir, strings.Join(words, "-")+".json"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "hocket: %s has no answer\n", strings.Join(words, " "))
		return 2
	}
	os.Stdout.Write(data) //nolint:errcheck // the test sees what is missing
	return 0
}

// command starts the fake hocket, which has the archive's answers.
func (a *archive) command(t *testing.T) []string {
	t.Helper()
	if len(a.answers) == 0 {
		return []string{"/none"}
	}
	dir := t.TempDir()
	for name, data := range a.answers {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, fakeName, dir}
}

// execute does a command. wantErr is what its error must match, "" for none.
func (s *session) execute(command string, arg any, wantErr string) (json.RawMessage, error) {
	raw, err := s.c.Request("workspace/executeCommand", lsptest.Object{"command": command, "arguments": []any{arg}})
	switch {
	case wantErr == "" && err != nil:
		return nil, err
	case wantErr == "":
		return raw, nil
	case err == nil:
		return nil, fmt.Errorf("answers %s, want error %s", raw, wantErr)
	case !regexp.MustCompile(wantErr).MatchString(err.Error()) || strings.Contains(err.Error(), "\n"):
		return nil, fmt.Errorf("error is %q, want %s", err, wantErr)
	}
	return nil, nil
}

// place is the argument that names a text.
func (s *session) place(c call) (lsptest.Object, error) {
	line := 0
	if l, ok := c.named["line"]; ok {
		n, err := strconv.Atoi(l)
		if err != nil {
			return nil, err
		}
		line = n
	}
	at, err := s.find(c.args[0], c.args[1], line)
	return lsptest.Object{"uri": s.uri(c.args[0]), "position": lsptest.Object{"line": at.Line, "character": at.Character}}, err
}

func (s *session) breakSet(c call) error {
	arg, err := s.place(c)
	if err != nil {
		return err
	}
	raw, err := s.execute("hocket.break.set", arg, c.named["error"])
	if err != nil || raw == nil {
		return err
	}
	var got struct {
		Pending struct {
			URI, Text string
			Range     rang
		}
		Candidates []struct {
			URI, Label, Detail, Kind string
			Range                    rang
		}
		Note, Message string
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	if s.name(got.Pending.URI) != c.args[0] || s.cut(c.args[0], got.Pending.Range) == "" || got.Pending.Text == "" || got.Message == "" {
		return fmt.Errorf("answers %s", raw)
	}
	var places []string
	for _, p := range got.Candidates {
		if p.Label == "" || p.Kind == "" {
			return fmt.Errorf("a candidate is %+v", p)
		}
		places = append(places, fmt.Sprintf("%s:%d", s.name(p.URI), p.Range.Start.Line+1))
	}
	if want, ok := c.named["candidates"]; ok && strings.Join(places, " ") != want {
		return fmt.Errorf("candidates are %q", places)
	}
	if want, ok := c.named["note"]; ok && !regexp.MustCompile(want).MatchString(got.Note) {
		return fmt.Errorf("the note is %q", got.Note)
	}
	return nil
}

func (s *session) breakPair(c call) error {
	arg, err := s.place(c)
	if err != nil {
		return err
	}
	for _, name := range []string{"if", "timeout", "kind"} {
		if v, ok := c.named[name]; ok {
			arg[name] = v
		}
	}
	if v, ok := c.named["order"]; ok {
		arg["order"] = json.RawMessage(v)
	}
	raw, err := s.execute("hocket.break.pair", arg, c.named["error"])
	if err != nil || raw == nil {
		return err
	}
	var got struct {
		ID      string
		Sides   []json.RawMessage
		Message string
	}
	if err := json.Unmarshal(raw, &got); err != nil || got.ID == "" || len(got.Sides) < 2 || got.Message == "" {
		return fmt.Errorf("answers %s (%v)", raw, err)
	}
	return nil
}

// choose does the code action of a title.
func (s *session) choose(c call) error {
	at, err := s.find(c.args[0], c.args[1], 0)
	if err != nil {
		return err
	}
	var as []struct {
		Title   string
		Command struct {
			Command   string
			Arguments []any
		}
	}
	r := lsptest.Range(at.Line, at.Character, at.Line, at.Character)
	s.c.Must("textDocument/codeAction", lsptest.Object{"textDocument": lsptest.Object{"uri": s.uri(c.args[0])}, "range": r,
		"context": lsptest.Object{"diagnostics": []any{}, "only": []string{"refactor"}}}, &as)
	for _, a := range as {
		if a.Title == c.args[2] {
			_, err := s.c.Request("workspace/executeCommand", lsptest.Object{"command": a.Command.Command, "arguments": a.Command.Arguments})
			return err
		}
	}
	return fmt.Errorf("there are %+v", as)
}

type mark struct {
	URI               string
	Range             rang
	Side, Of, Order   int
	Label, Lost, Text string
}

// marks are the newest notifications, by root.
func (s *session) marks() (string, error) {
	latest := map[string]json.RawMessage{}
	for _, raw := range s.c.Notifications("hocket/breakpoints") {
		var n struct{ Root string }
		if err := json.Unmarshal(raw, &n); err != nil {
			return "", err
		}
		latest[n.Root] = raw
	}
	var b strings.Builder
	for _, root := range sortedKeys(latest) {
		var n struct {
			Breakpoints []struct {
				ID, Kind, If, Timeout, Note string
				Order                       []int
				Off                         bool
				Sides                       []mark
				Last                        *struct{ Runs, Hits, Failed int }
			}
			Pending *struct {
				URI, Text string
				Range     rang
			}
			Problem string
		}
		if err := json.Unmarshal(latest[root], &n); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s\n", root)
		for _, p := range n.Breakpoints {
			fmt.Fprintf(&b, "  %s %s if=%q order=%v timeout=%q off=%v note=%q", p.ID, p.Kind, p.If, p.Order, p.Timeout, p.Off, p.Note)
			if p.Last != nil {
				fmt.Fprintf(&b, " last=%d/%d/%d", p.Last.Hits, p.Last.Runs, p.Last.Failed)
			}
			b.WriteString("\n")
			for _, m := range p.Sides {
				name := s.name(m.URI)
				fmt.Fprintf(&b, "    %d/%d turn %d %s:%d %q in %s: %s", m.Side, m.Of, m.Order, name, m.Range.Start.Line+1, s.cut(name, m.Range), m.Label, m.Text)
				if m.Lost != "" {
					fmt.Fprintf(&b, " LOST: %s", m.Lost)
				}
				b.WriteString("\n")
			}
		}
		if p := n.Pending; p != nil {
			name := s.name(p.URI)
			fmt.Fprintf(&b, "  pending %s:%d %q: %s\n", name, p.Range.Start.Line+1, s.cut(name, p.Range), p.Text)
		}
		if n.Problem != "" {
			fmt.Fprintf(&b, "  problem: %s\n", n.Problem)
		}
	}
	return strings.ReplaceAll(b.String(), s.root, "$R"), nil
}

// wire is the newest notification, with the moment of its outcome made equal.
func (s *session) wire() (string, error) {
	all := s.c.Notifications("hocket/breakpoints")
	if len(all) == 0 {
		return "", errors.New("there was none")
	}
	var v any
	if err := json.Unmarshal(all[len(all)-1], &v); err != nil {
		return "", err
	}
	out, err := json.MarshalIndent(v, "", "  ")
	return string(out), err
}

func (s *session) said(want string) error {
	re := regexp.MustCompile(want)
	for _, raw := range s.c.Notifications("window/showMessage") {
		var m struct{ Message string }
		if json.Unmarshal(raw, &m) == nil && re.MatchString(m.Message) {
			return nil
		}
	}
	return errors.New("no such message")
}

var breakActions = map[string]action{
	"set":    {2, (*session).breakSet},
	"pair":   {2, (*session).breakPair},
	"choose": {3, (*session).choose},
	"do": {2, func(s *session, c call) error {
		arg := json.RawMessage(strings.ReplaceAll(c.args[1], "$W", strings.TrimSuffix(s.uri(""), "/")))
		raw, err := s.execute(c.args[0], arg, c.named["error"])
		if want := c.named["answer"]; err == nil && want != "" && !regexp.MustCompile(want).Match(raw) {
			return fmt.Errorf("answers %s", raw)
		}
		return err
	}},
	"marks": {1, func(s *session, c call) error {
		return s.settled(c.args[0], s.marks)
	}},
	"wire": {1, func(s *session, c call) error {
		return s.settled(c.args[0], s.wire)
	}},
	"said": {1, func(s *session, c call) error {
		return s.eventually(func() error { return s.said(c.args[0]) })
	}},
	"file": {2, func(s *session, c call) error {
		file := filepath.Join(s.root, filepath.FromSlash(c.args[0]))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		s.text[c.args[0]] = c.args[1]
		return os.WriteFile(file, []byte(c.args[1]), 0o666)
	}},
	"lacks": {1, func(s *session, c call) error {
		if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(c.args[0]))); err == nil {
			return errors.New("it is there")
		}
		return nil
	}},
}

// settled compares with a golden text what comes some time after its cause.
func (s *session) settled(golden string, get func() (string, error)) error {
	if *update {
		time.Sleep(time.Second) // nothing says that no more will come
	}
	return s.eventually(func() error {
		got, err := get()
		if err != nil {
			return err
		}
		return s.golden(golden, got)
	})
}
