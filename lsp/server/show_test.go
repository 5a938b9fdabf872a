package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// crowd is a module with one file of 5,000 lines and 50 findings in it, and a
// client that has it open and sees them.
func crowd(t testing.TB) (c *lsptest.Client, uri string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := filepath.Join(t.TempDir(), "m")
	var b strings.Builder
	b.WriteString("package m\n\nvar s struct{ n int }\n\nfunc TestX(t *testing.T) {}\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "\nfunc f%d() {\n\ts.n = %d\n\tg(s.n)\n}\n", i, i)
	}
	text := b.String()
	if err := os.MkdirAll(root, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": text} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	st, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		line := 8 + 100*i
		f := &report.Finding{ID: fmt.Sprintf("%08x", i), Package: "m", Entry: "TestX", Kind: "panic", Class: "order-violation", Message: "panic: m", Confirmed: report.Native,
			Native: &report.Count{Runs: 100, Failed: 100}, Sentence: fmt.Sprintf("`a` wrote `s.n` (line %d) before `b` read it (%d).", line, line+1),
			Failure: report.Place{Goroutine: "b", File: "m_test.go", Line: line + 1, Func: "m.f"}}
		var rows []map[string]any
		for j := range 8 {
			f.RootCause = append(f.RootCause, report.Access{Goroutine: "a", File: "m_test.go", Line: line + j%2, Column: 4, Op: "write", Var: "s.n"})
			rows = append(rows, map[string]any{"goroutine": "a", "file": "m_test.go", "line": line + j%2, "code": "s.n = 1", "failing": fmt.Sprintf("before %d", line), "passing": "-", "differs": true})
		}
		explanation, err := json.Marshal(map[string]any{"sentence": f.Sentence, "rows": rows, "compared": true})
		if err != nil {
			t.Fatal(err)
		}
		r := &store.Record{Found: time.Now(), Module: "m", Package: "m", Entry: "TestX", Finding: f, Sources: store.Sums{"m_test.go": "1"}, Projection: explanation}
		if err := st.Put(r, nil, store.Texts{"m_test.go": text}); err != nil {
			t.Fatal(err)
		}
	}
	c = lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: []string{"/none"}})
	})
	uri = "file://" + filepath.ToSlash(filepath.Join(root, "m_test.go"))
	c.Initialize(lsptest.Object{"workspaceFolders": []any{lsptest.Object{"uri": "file://" + filepath.ToSlash(root), "name": "m"}}})
	c.Open(uri, text)
	waitVersion(c, uri, 1, 100)
	return c, uri
}

// waitVersion waits for the diagnostics of a version of the document.
func waitVersion(c *lsptest.Client, uri string, version, n int) {
	c.WaitNotification("textDocument/publishDiagnostics", func(raw json.RawMessage) bool {
		var p struct {
			URI         string
			Version     int
			Diagnostics []json.RawMessage
		}
		return json.Unmarshal(raw, &p) == nil && p.URI == uri && p.Version == version && len(p.Diagnostics) == n
	})
}

// TestTyping: while the user types, the problem list is made for the last
// state, not for each key; hovers are answered in between.
func TestTyping(t *testing.T) {
	c, uri := crowd(t)
	const keys = 60
	for v := 2; v <= keys; v++ {
		c.Change(uri, v, lsptest.Edit{Range: &[4]int{0, 0, 0, 0}, Text: "// x\n"})
		if v%5 == 0 {
			var h any
			c.Must("textDocument/hover", lsptest.At(uri, 7+v-1, 2), &h)
			if h == nil {
				t.Fatalf("no hover at version %d", v)
			}
		}
	}
	waitVersion(c, uri, keys, 100)
	if n := len(c.Notifications("textDocument/publishDiagnostics")); n > keys/2 {
		t.Errorf("%d publications of %d edits", n, keys)
	}
	c.Shutdown()
}

// TestJobLenses: a job on an entry, or on its whole package, stands in the place
// of the lens that started it, and the client is told when that changes.
func TestJobLenses(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := filepath.Join(t.TempDir(), "m")
	text := "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n\nfunc TestY(t *testing.T) {}\n"
	if err := os.MkdirAll(root, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": text} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		// The job lasts until its stdin is closed or it is killed.
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: []string{"/bin/sh", "-c", "exec cat >/dev/null"}})
	})
	var refreshed atomic.Int64
	c.Handle("workspace/codeLens/refresh", func(json.RawMessage) (any, error) { refreshed.Add(1); return nil, nil })
	uri := "file://" + filepath.ToSlash(filepath.Join(root, "m_test.go"))
	c.Initialize(nil)
	c.Open(uri, text)
	titles := func() (out []string) {
		var ls []struct{ Command struct{ Title string } }
		c.Must("textDocument/codeLens", lsptest.Object{"textDocument": lsptest.Object{"uri": uri}}, &ls)
		for _, l := range ls {
			out = append(out, l.Command.Title)
		}
		return out
	}
	shows := func(want ...string) {
		t.Helper()
		end := time.Now().Add(30 * time.Second)
		for got := titles(); !slices.Equal(got, want); got = titles() {
			if time.Now().After(end) {
				t.Fatalf("lenses are %q, want %q", got, want)
			}
			time.Sleep(2 * time.Millisecond) // between looks, not instead of one
		}
	}
	const idle, searching, waiting = "find failing schedule", "searching… (cancel)", "waiting… (cancel)"
	start := func(arg lsptest.Object) {
		arg["uri"], arg["wait"] = uri, false
		c.Must("workspace/executeCommand", lsptest.Object{"command": "hocket.find", "arguments": []any{arg}}, nil)
	}
	shows(idle, idle)
	before := refreshed.Load()
	start(lsptest.Object{"entry": "TestX"})
	shows(searching, idle)
	start(lsptest.Object{"entry": "TestY"})
	shows(searching, waiting)
	c.Until("a refresh", func() bool { return refreshed.Load() > before })
	cancel := lsptest.Object{"command": "hocket.cancel", "arguments": []any{lsptest.Object{}}}
	c.Must("workspace/executeCommand", cancel, nil)
	shows(idle, idle)
	start(lsptest.Object{})
	shows(searching, searching)
	c.Must("workspace/executeCommand", cancel, nil)
	shows(idle, idle)
	c.Shutdown()
}

// BenchmarkShowBreaks measures the same with 20 breakpoints, and none of the
// findings that crowd makes again.
func BenchmarkShowBreaks(b *testing.B) {
	c, uri := crowd(b)
	root := filepath.Dir(strings.TrimPrefix(uri, "file://"))
	for i := range 20 {
		line := 8 + 250*i
		_, err := engine.AddBreak(context.Background(), engine.AddBreakOptions{Dir: root, Places: []string{fmt.Sprintf("m_test.go:%d", line), fmt.Sprintf("m_test.go:%d", line+1)}})
		if err != nil {
			b.Fatal(err)
		}
	}
	doc := lsptest.Object{"uri": uri}
	var lenses []any
	for end := time.Now().Add(lsptest.Limit); len(lenses) <= 100; {
		if time.Now().After(end) {
			b.Fatalf("%d lenses", len(lenses))
		}
		c.Must("textDocument/codeLens", lsptest.Object{"textDocument": doc}, &lenses)
	}
	took := map[string][]time.Duration{}
	measure := func(what string, f func()) {
		start := time.Now()
		f()
		took[what] = append(took[what], time.Since(start))
	}
	version := 1
	for b.Loop() {
		version++
		c.Change(uri, version, lsptest.Edit{Range: &[4]int{0, 0, 0, 0}, Text: "// x\n"})
		line := 7 + version - 1
		var answer any
		measure("first-hover", func() { c.Must("textDocument/hover", lsptest.At(uri, line, 2), &answer) })
		if answer == nil {
			b.Fatal("no hover")
		}
		measure("hover", func() { c.Must("textDocument/hover", lsptest.At(uri, line, 2), &answer) })
		measure("lens", func() { c.Must("textDocument/codeLens", lsptest.Object{"textDocument": doc}, &answer) })
		measure("action", func() {
			c.Must("textDocument/codeAction", lsptest.Object{"textDocument": doc, "range": lsptest.Range(line, 2, line, 3), "context": lsptest.Object{"diagnostics": []any{}}}, &answer)
		})
		measure("diagnostics", func() { waitVersion(c, uri, version, 100) })
	}
	for what, ds := range took {
		slices.Sort(ds)
		b.ReportMetric(float64(ds[len(ds)*95/100].Microseconds())/1000, what+"-p95-ms")
	}
	c.Shutdown()
}

// BenchmarkShow measures what a user waits for, through the connection: 5,000
// lines, 50 findings, and an edit before each round so that nothing is ready.
func BenchmarkShow(b *testing.B) {
	c, uri := crowd(b)
	doc := lsptest.Object{"uri": uri}
	took := map[string][]time.Duration{}
	measure := func(what string, f func()) {
		start := time.Now()
		f()
		took[what] = append(took[what], time.Since(start))
	}
	version := 1
	for b.Loop() {
		version++
		c.Change(uri, version, lsptest.Edit{Range: &[4]int{0, 0, 0, 0}, Text: "// x\n"})
		line := 7 + version - 1
		var answer any
		measure("first-hover", func() { c.Must("textDocument/hover", lsptest.At(uri, line, 2), &answer) })
		if answer == nil {
			b.Fatal("no hover")
		}
		measure("hover", func() { c.Must("textDocument/hover", lsptest.At(uri, line, 2), &answer) })
		measure("lens", func() { c.Must("textDocument/codeLens", lsptest.Object{"textDocument": doc}, &answer) })
		measure("action", func() {
			c.Must("textDocument/codeAction", lsptest.Object{"textDocument": doc, "range": lsptest.Range(line, 0, line, 3), "context": lsptest.Object{"diagnostics": []any{}}}, &answer)
		})
		measure("diagnostics", func() { waitVersion(c, uri, version, 100) })
	}
	for what, ds := range took {
		slices.Sort(ds)
		b.ReportMetric(float64(ds[len(ds)*95/100].Microseconds())/1000, what+"-p95-ms")
	}
	c.Shutdown()
}
