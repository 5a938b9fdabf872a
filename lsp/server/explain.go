package server

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report/kinds"
	"github.com/hocket-dev/hocket/internal/atomicfile"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type explainAnswer struct {
	ID     string `json:"id"`
	Format string `json:"format"`
	Text   string `json:"text"`
	URI    string `json:"uri"` // of the file that holds the text; "" if none could be written
}

// explain says what a finding is about, in a document of its own.
func (s *Server) explain(ctx context.Context, c call, a *explainArguments) (any, error) {
	m, found, err := s.findingFor(ctx, commandExplain, c.view, a.ID, a.URI, a.Position)
	if err != nil {
		return nil, err
	}
	e := explanation{found: found, abs: m.Abs, changed: changedSince(c.view, m, found)}
	text, err := e.in(a.Format)
	if err != nil {
		return nil, protocol.Errorf(protocol.RequestFailed, "%s: %v", commandExplain, err)
	}
	ans := &explainAnswer{ID: found.Finding.ID, Format: a.Format, Text: text}
	if a.Open != nil && !*a.Open {
		return ans, nil
	}
	path, err := keepExplanation(&e, a.Format)
	if err != nil {
		s.log.Warn("an explanation is not kept", "err", err)
		return ans, nil // its text is in the answer
	}
	ans.URI = string(protocol.FileURI(path))
	s.showDocument(ctx, protocol.FileURI(path), a.Format == "html" || a.Format == "svg")
	return ans, nil
}

// showDocument opens the explanation, if the client can; external: in a browser, say.
func (s *Server) showDocument(ctx context.Context, uri protocol.URI, external bool) {
	if !s.session.showDocument {
		return
	}
	focus := true
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	if _, err := s.client.ShowDocument(ctx, &protocol.ShowDocumentParams{URI: uri, TakeFocus: &focus, External: &external}); err != nil {
		s.log.Warn("the client shows no document", "uri", uri, "err", err)
	}
}

// extensions of files, by format.
var extensions = map[string]string{"markdown": ".md", "text": ".txt", "svg": ".svg", "html": ".html", "dot": ".dot"}

// keepExplanation writes the text to the user's cache. It is replaced in one
// step, for an editor may be reading it.
func keepExplanation(e *explanation, format string) (path string, err error) {
	if e.dir, err = documents(); err != nil {
		return "", err
	}
	text, err := e.in(format)
	if err != nil {
		return "", err
	}
	return keepDocument(e.found.Finding.ID+extensions[format], text)
}

// documents is the folder of what is shown.
func documents() (dir string, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(cache, "hocket", "explanations")
	return dir, os.MkdirAll(dir, 0o777)
}

// keepDocument writes a text that is to be shown.
func keepDocument(name, text string) (path string, err error) {
	dir, err := documents()
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	return path, atomicfile.WriteCache(path, []byte(text))
}

// changedSince reports whether a source of the finding has another text now, so
// that the lines of the explanation are those of then.
func changedSince(v View, m *Module, found *engine.Stored) bool {
	for name, text := range found.Texts {
		path, ok := m.Abs(name)
		if !ok {
			return true
		}
		if f, ok := v.Files.File(protocol.FileURI(path)); !ok || f.Text != text {
			return true
		}
	}
	return found.Texts == nil
}

// explanation is a document about a finding.
type explanation struct {
	found   *engine.Stored
	abs     func(name string) (path string, ok bool)
	changed bool
	// dir is the folder of the document, from which its links start; "" if it is
	// in no file. VS Code's preview takes no file: links.
	dir string
}

func (e *explanation) in(format string) (string, error) {
	switch format {
	case "text":
		return e.text(), nil
	case "markdown":
		return e.markdown(), nil
	}
	return e.found.Picture(format)
}

const changedWords = "The sources have changed since this was found, or are not known: line numbers are those of the searched sources."

func (e *explanation) markdown() string {
	f := e.found.Finding
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n", f.Entry, strings.ReplaceAll(classOf(f), "-", " "))
	if e.changed {
		b.WriteString("*" + changedWords + "*\n\n")
	}
	b.WriteString(e.linked(e.found.Markdown()))
	if places := e.places(e.link); places != "" {
		b.WriteString("\n## Where\n\n" + places)
	}
	fmt.Fprintf(&b, "\nRun it again: `hocket replay -n 100 %s`\n", f.ID)
	if doc, ok := kinds.Get(classOf(f)); ok {
		b.WriteString("\n" + doc.Markdown(2))
	}
	return b.String()
}

func (e *explanation) text() string {
	f := e.found.Finding
	var b strings.Builder
	if e.changed {
		b.WriteString(changedWords + "\n\n")
	}
	if e.found.Explanation != nil {
		b.WriteString(e.found.Explanation.Text())
	} else {
		b.WriteString(f.Headline() + "\n")
	}
	plain := func(name string, line int) string { return fmt.Sprintf("%s:%d", name, line) }
	if places := e.places(plain); places != "" {
		b.WriteString("\n" + places)
	}
	evidence := f.Evidence()
	fmt.Fprintf(&b, "\n%s%s.\nRun it again: hocket replay -n 100 %s\n", strings.ToUpper(evidence[:1]), evidence[1:], f.ID)
	if doc, ok := kinds.Get(classOf(f)); ok {
		fmt.Fprintf(&b, "\n%s: %s\n\nHow to fix it: %s\n", doc.ID, doc.Text, doc.Fix)
	}
	return b.String()
}

// classOf is what the documentation says most about: the class of the mistake,
// else the kind of failure.
func classOf(f *engine.Finding) string {
	if f.Class == "" || f.Class == "other" {
		return f.Kind
	}
	return f.Class
}

// places lists the accesses of the root cause, and who waits where.
func (e *explanation) places(link func(name string, line int) string) string {
	var b strings.Builder
	for i, a := range e.found.Finding.RootCause {
		fmt.Fprintf(&b, "%d. %s: %s at %s", i+1, a.Goroutine, strings.TrimSpace(a.Op+" "+a.Var), link(a.File, a.Line))
		if a.Call != nil {
			fmt.Fprintf(&b, ", called at %s", link(a.Call.File, a.Call.Line))
		}
		b.WriteString("\n")
	}
	for _, w := range e.found.Finding.Blocked {
		fmt.Fprintf(&b, "- %s at %s: %s\n", w.Who(), link(w.File, w.Line), w.On)
	}
	return b.String()
}

// link is a place as a link to the file, or in words if it can't be found.
func (e *explanation) link(name string, line int) string {
	return e.labelled(fmt.Sprintf("%s:%d", name, line), name, line)
}

func (e *explanation) labelled(label, name string, line int) string {
	path, ok := e.abs(name)
	if !ok {
		return label
	}
	if _, err := os.Stat(path); err != nil {
		return label // a file of the build, such as _testmain.go
	}
	to := string(protocol.FileURI(path))
	if rel, err := filepath.Rel(e.dir, path); e.dir != "" && err == nil {
		to = (&url.URL{Path: filepath.ToSlash(rel)}).String()
	}
	return fmt.Sprintf("[%s](%s#L%d)", label, to, line)
}

var (
	// tableRow is a line of the explanation's table: order, goroutine, line.
	tableRow = regexp.MustCompile(`(?m)^(\| (\d+) \| .*? \| )([^ |]+)( \| .*)$`)
	// codePlace is a place in backticks, as in the headline.
	codePlace = regexp.MustCompile("`([^` ]+):([0-9]+)`")
)

// linked turns the places of the engine's markdown into links.
func (e *explanation) linked(markdown string) string {
	if p := e.found.Explanation; p != nil {
		markdown = tableRow.ReplaceAllStringFunc(markdown, func(row string) string {
			m := tableRow.FindStringSubmatch(row)
			n, err := strconv.Atoi(m[2])
			if err != nil || n < 1 || n > len(p.Rows) {
				return row
			}
			r := p.Rows[n-1]
			return m[1] + e.labelled(m[3], r.File, r.Line) + m[4]
		})
	}
	return codePlace.ReplaceAllStringFunc(markdown, func(s string) string {
		m := codePlace.FindStringSubmatch(s)
		line, err := strconv.Atoi(m[2])
		if err != nil {
			return s
		}
		return e.labelled(s, m[1], line)
	})
}
