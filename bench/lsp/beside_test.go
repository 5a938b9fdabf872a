package lsp

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

var (
	moduleFlag = flag.String("module", "github.com/nats-io/nats.go@v1.55.0", "the module to open")
	goplsFlag  = flag.String("gopls", "", "a gopls; empty: v0.23.0 is installed into a temporary folder")
	rounds     = flag.Int("rounds", 3, "starts of each server")
	edits      = flag.Int("edits", 100, "edits in a round")
	asks       = flag.Int("asks", 200, "hovers and lenses in a round")
	findings   = flag.Int("findings", 1, "findings in the file, each of a bug and a test of its own")
	lines      = flag.Int("lines", 0, "make the file at least so long")
)

// sample is what was measured of one server, over all rounds.
type sample struct {
	ready, diagnostics, hover, lens []time.Duration
	edited                          []time.Duration // lenses asked for right after an edit
	memory                          int64           // highest, bytes
}

// contender is one server.
type contender struct {
	name string
	args []string
	// edit changes the document so that its diagnostics change; n counts from 0.
	edit func(s *session, n int)
	got  sample
}

func BenchmarkBesideGopls(b *testing.B) {
	for b.Loop() {
		beside(b)
	}
}

func beside(b *testing.B) {
	p := prepare(b)
	servers := []*contender{
		{name: "hocket", args: []string{p.hocket, "lsp"}, edit: (*session).lineAbove},
		{name: "gopls", args: []string{p.gopls}, edit: (*session).typeError},
	}
	for range *rounds {
		for _, c := range servers {
			round(b, p, c)
		}
	}
	fmt.Println()
	t := table.New(os.Stdout, "server  ", "start to hover", "edit to diagnostics p50", "p95    ", "hover p50", "p95    ", "lens p50", "p95    ", "after an edit p95", "memory MB")
	for _, c := range servers {
		g := &c.got
		t.Row(c.name, ms(at(g.ready, 50)), ms(at(g.diagnostics, 50)), ms(at(g.diagnostics, 95)),
			ms(at(g.hover, 50)), ms(at(g.hover, 95)), ms(at(g.lens, 50)), ms(at(g.lens, 95)), ms(at(g.edited, 95)), fmt.Sprint(g.memory>>20))
		b.ReportMetric(at(g.diagnostics, 95).Seconds()*1000, c.name+"-diagnostics-p95-ms")
		b.ReportMetric(at(g.hover, 95).Seconds()*1000, c.name+"-hover-p95-ms")
		b.ReportMetric(at(g.lens, 95).Seconds()*1000, c.name+"-lens-p95-ms")
		b.ReportMetric(float64(g.memory>>20), c.name+"-MB")
	}
}

// session is one round with one server.
type session struct {
	*lsptest.Client
	p       *prepared
	uri     string
	version int
	seen    int // diagnostics looked at
}

func round(b *testing.B, p *prepared, c *contender) {
	start := time.Now()
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir = p.dir
	s := &session{Client: lsptest.Start(b, cmd), p: p, uri: "file://" + filepath.ToSlash(p.file), version: 1}
	s.Initialize(lsptest.Object{"rootUri": "file://" + p.dir,
		"workspaceFolders": []any{lsptest.Object{"uri": "file://" + p.dir, "name": "m"}},
		// gopls has its lens of tests off by default.
		"initializationOptions": lsptest.Object{}})
	s.Open(s.uri, p.text)
	s.hover(b)
	c.got.ready = append(c.got.ready, time.Since(start))
	s.published(b, settles) // gopls analyses all dependencies the first time
	for n := range *edits {
		begun := time.Now()
		s.version++
		c.edit(s, n)
		s.lens()
		c.got.edited = append(c.got.edited, time.Since(begun))
		s.published(b, limit)
		c.got.diagnostics = append(c.got.diagnostics, time.Since(begun))
	}
	for range *asks {
		begun := time.Now()
		s.hover(b)
		c.got.hover = append(c.got.hover, time.Since(begun))
		begun = time.Now()
		s.lens()
		c.got.lens = append(c.got.lens, time.Since(begun))
	}
	c.got.memory = max(c.got.memory, memory(cmd.Process.Pid))
	s.Shutdown()
}

// How long to wait for diagnostics: of an edit, and the first ones.
const (
	limit   = time.Minute
	settles = 10 * time.Minute
)

// published waits for diagnostics of the current version.
func (s *session) published(b *testing.B, limit time.Duration) {
	method := "textDocument/publishDiagnostics"
	for end := time.Now().Add(limit); ; time.Sleep(200 * time.Microsecond) {
		for _, params := range s.Notifications(method)[s.seen:] {
			s.seen++
			var d struct {
				URI     string
				Version int
			}
			if json.Unmarshal(params, &d) == nil && d.URI == s.uri && d.Version == s.version {
				return
			}
		}
		if time.Now().After(end) {
			b.Fatalf("no diagnostics of version %d within %v:\n%s", s.version, limit, s.Transcript())
		}
	}
}

// hover asks about the line with the bug, where both servers have something to
// say.
func (s *session) hover(b *testing.B) {
	var got json.RawMessage
	line := s.p.line
	if s.version > 1 {
		line += s.above()
	}
	s.Must("textDocument/hover", lsptest.At(s.uri, line, s.p.column), &got)
	if len(got) == 0 || string(got) == "null" {
		b.Fatalf("no hover at line %d:\n%s", line+1, s.Transcript())
	}
}

func (s *session) lens() {
	s.Must("textDocument/codeLens", lsptest.Object{"textDocument": lsptest.Object{"uri": s.uri}}, nil)
}

// above counts the lines that the edits have put before the bug by now.
func (s *session) above() int { return (s.version - 1) % 2 }

// lineAbove puts a line before the finding, or takes it away again.
func (s *session) lineAbove(n int) {
	if n%2 == 0 {
		s.Change(s.uri, s.version, lsptest.Edit{Range: &[4]int{s.p.insert, 0, s.p.insert, 0}, Text: "// a line\n"})
	} else {
		s.Change(s.uri, s.version, lsptest.Edit{Range: &[4]int{s.p.insert, 0, s.p.insert + 1, 0}})
	}
}

// typeError does the same with a line that does not type-check.
func (s *session) typeError(n int) {
	if n%2 == 0 {
		s.Change(s.uri, s.version, lsptest.Edit{Range: &[4]int{s.p.insert, 0, s.p.insert, 0}, Text: "var hocketBenchWrong int = \"x\"\n"})
	} else {
		s.Change(s.uri, s.version, lsptest.Edit{Range: &[4]int{s.p.insert, 0, s.p.insert + 1, 0}})
	}
}

func at(d []time.Duration, percent int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return d[(len(d)-1)*percent/100]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
