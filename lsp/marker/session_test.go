package marker

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// session is a client at work in a workspace.
type session struct {
	t    *testing.T
	a    *archive
	c    *lsptest.Client
	root string

	text     map[string]string // of each file, as the user sees it
	version  map[string]int    // of open documents
	settings json.RawMessage
	want     map[string]bool // what was matched, for exhaustive files
	updated  bool
}

// start opens the workspace.
func start(t *testing.T, a *archive) *session {
	t.Helper()
	root := filepath.Join(t.TempDir(), "w")
	a.lay(t, root)
	s := &session{t: t, a: a, root: root, text: map[string]string{}, version: map[string]int{}, settings: json.RawMessage("{}")}
	if a.setting != "" {
		s.settings = json.RawMessage(a.setting)
	}
	for name, text := range a.files {
		s.text[name] = text
	}
	s.c = lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Version: "test", Command: a.command(t)})
	})
	s.c.Handle("workspace/configuration", func(json.RawMessage) (any, error) { return []any{s.settings}, nil })
	s.c.Initialize(s.params())
	if !a.options["closed"] {
		for _, name := range sortedKeys(a.files) {
			if strings.HasSuffix(name, ".go") {
				s.open(name)
			}
		}
	}
	return s
}

func (s *session) params() lsptest.Object {
	caps := lsptest.Capabilities()
	if s.a.options["links"] {
		caps["general"] = lsptest.Object{"markdown": lsptest.Object{"parser": "marked"}}
	} else {
		caps["general"] = lsptest.Object{}
	}
	if s.a.options["utf8"] {
		caps["general"] = lsptest.Object{"positionEncodings": []string{"utf-8"}}
	}
	format := []string{"markdown"}
	if s.a.options["plain"] {
		format = []string{"plaintext"}
	}
	caps["textDocument"] = lsptest.Object{"hover": lsptest.Object{"contentFormat": format},
		"codeAction": lsptest.Object{"codeActionLiteralSupport": lsptest.Object{"codeActionKind": lsptest.Object{"valueSet": []string{"quickfix"}}}}}
	caps["experimental"] = lsptest.Object{"hocketDebug": s.a.options["debugs"], "hocketBreakpoints": s.a.options["marks"]}
	p := lsptest.Object{"capabilities": caps}
	if !s.a.options["nofolder"] {
		p["workspaceFolders"] = []any{lsptest.Object{"uri": s.uri(""), "name": "w"}}
	}
	return p
}

func (s *session) uri(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(s.root, name))}).String()
}

// name is the file of a URI below the workspace.
func (s *session) name(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return uri
	}
	rel, err := filepath.Rel(s.root, u.Path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return uri
	}
	return filepath.ToSlash(rel)
}

func (s *session) open(name string) {
	s.version[name] = 1
	s.c.Open(s.uri(name), s.text[name])
}

// edit changes an open document, by the changed part or as a whole.
func (s *session) edit(name, old, now string, whole bool) error {
	before := s.text[name]
	at := strings.Index(before, old)
	if at < 0 || s.version[name] == 0 {
		return fmt.Errorf("%s has no %q, or is not open", name, old)
	}
	s.text[name] = before[:at] + now + before[at+len(old):]
	s.version[name]++
	e := lsptest.Edit{Text: s.text[name]}
	if !whole {
		l1, c1 := s.position(before, at)
		l2, c2 := s.position(before, at+len(old))
		e = lsptest.Edit{Range: &[4]int{l1, c1, l2, c2}, Text: now}
	}
	s.c.Change(s.uri(name), s.version[name], e)
	return nil
}

// write changes a file on disk.
func (s *session) write(name, old, now string) error {
	file := filepath.Join(s.root, filepath.FromSlash(name))
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), old) {
		return fmt.Errorf("%s has no %q", name, old)
	}
	text := strings.Replace(string(data), old, now, 1)
	if s.version[name] == 0 {
		s.text[name] = text
	}
	return os.WriteFile(file, []byte(text), 0o666)
}

func (s *session) touched(name string, kind int) {
	s.c.Notify("workspace/didChangeWatchedFiles", lsptest.Object{"changes": []any{lsptest.Object{"uri": s.uri(name), "type": kind}}})
}

// position is that of an offset, in the client's own counting.
func (s *session) position(text string, offset int) (line, character int) {
	line = strings.Count(text[:offset], "\n")
	start := strings.LastIndex(text[:offset], "\n") + 1
	return line, s.units(text[start:offset])
}

func (s *session) units(text string) int {
	if s.a.options["utf8"] {
		return len(text)
	}
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// position as the protocol has it.
type position struct{ Line, Character int }

type rang struct{ Start, End position }

// cut is the text of a range; what lies outside of the text shows as such.
func (s *session) cut(name string, r rang) string {
	lines := strings.SplitAfter(s.text[name], "\n")
	if r.Start.Line != r.End.Line || r.Start.Line >= len(lines) {
		return fmt.Sprintf("lines %d-%d", r.Start.Line+1, r.End.Line+1)
	}
	line := strings.TrimRight(lines[r.Start.Line], "\r\n")
	from, ok1 := s.offset(line, r.Start.Character)
	to, ok2 := s.offset(line, r.End.Character)
	if !ok1 || !ok2 || from >= to {
		return fmt.Sprintf("columns %d-%d of %q", r.Start.Character, r.End.Character, line)
	}
	return line[from:to]
}

func (s *session) offset(line string, character int) (int, bool) {
	n := 0
	for i, r := range line {
		if n == character {
			return i, true
		}
		n += s.units(string(r))
	}
	return len(line), n == character
}

// find is the position of a text: its first occurrence, or that on a line.
func (s *session) find(name, text string, line int) (position, error) {
	whole, base := s.text[name], 0
	if line > 0 {
		lines := strings.SplitAfter(whole, "\n")
		if line > len(lines) {
			return position{}, fmt.Errorf("%s has %d lines", name, len(lines))
		}
		for _, l := range lines[:line-1] {
			base += len(l)
		}
		whole = lines[line-1]
	}
	i := strings.Index(whole, text)
	if i < 0 {
		return position{}, fmt.Errorf("%s has no %q (line %d)", name, text, line)
	}
	l, c := s.position(s.text[name], base+i)
	return position{l, c}, nil
}
