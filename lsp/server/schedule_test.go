package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/store"
	"github.com/hocket-dev/hocket/engine/trace"
	"github.com/hocket-dev/hocket/engine/trace/tracetest"
	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// schedule is what a client reads of the answer.
type schedule struct {
	ID, Note, SVG, Markdown string
	Lanes                   []string
	Failing, Passing        []struct {
		Number, Until, Row int
		Code               string
		Location           *struct {
			Range struct{ Start struct{ Line, Character int } }
		}
	}
	Steps struct{ Failing, Passing int }
}

func askSchedule(c *lsptest.Client, arg lsptest.Object) (ans schedule) {
	c.Must("workspace/executeCommand", lsptest.Object{"command": "hocket.schedule", "arguments": []any{arg}}, &ans)
	return ans
}

// TestScheduleOfATable: a finding of which no runs were kept has the rows of its table as
// steps, and says why.
func TestScheduleOfATable(t *testing.T) {
	c, uri := crowd(t)
	ans := askSchedule(c, lsptest.Object{"uri": uri, "position": lsptest.Object{"line": 7, "character": 2}})
	if !strings.Contains(ans.Note, "can't be shown step by step") || !strings.Contains(ans.Note, "run hocket find again") || len(ans.Failing) != 8 || ans.Steps.Failing != 8 {
		t.Errorf("%+v", ans)
	}
	for i, s := range ans.Failing {
		if s.Row != i+1 || s.Location == nil || s.Location.Range.Start.Line != 7+i%2 || !strings.Contains(ans.SVG, fmt.Sprintf(`id="failing-%d"`, s.Number)) {
			t.Errorf("step %+v", s)
		}
	}
	_, err := c.Request("workspace/executeCommand", lsptest.Object{"command": "hocket.schedule", "arguments": []any{lsptest.Object{"id": "ffff"}}})
	if err == nil || !strings.Contains(err.Error(), "there is no finding ffff") {
		t.Errorf("of a finding that is not there: %v", err)
	}
	c.Shutdown()
}

// TestScheduleOfALongRun: 10,000 steps are folded to an answer that a view shows at once,
// and any part of them can be unfolded.
func TestScheduleOfALongRun(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := filepath.Join(t.TempDir(), "m")
	if err := os.MkdirAll(root, 0o777); err != nil {
		t.Fatal(err)
	}
	text := "package m\n\nvar x int\n\nfunc a() {\n\tx = 1\n}\n\nfunc b() {\n\t_ = x\n}\n"
	for name, data := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": text} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	b.WriteString("main spawn a m.go:3\nmain spawn b m.go:3\n")
	for range 5000 {
		b.WriteString("a write x=1 m.go:6\nb read x=1 m.go:10\n")
	}
	tr, err := tracetest.Build(b.String(), tracetest.Options{FuncAt: func(string, int) string { return "m.f" }})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := trace.Write(&file, tr); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	explanation, err := json.Marshal(map[string]any{"sentence": "It is long.", "compared": true, "rows": []map[string]any{
		{"goroutine": "a", "file": "m.go", "line": 6, "code": "x = 1", "failing": "runs", "passing": "-", "differs": true, "event": 4003}}})
	if err != nil {
		t.Fatal(err)
	}
	f := &report.Finding{ID: "10000000", Package: "m", Entry: "TestX", Kind: "panic", Message: "panic: m", Confirmed: report.Native, Failure: report.Place{File: "m.go", Line: 6}}
	r := &store.Record{Found: time.Now(), Module: "m", Package: "m", Entry: "TestX", Finding: f, Projection: explanation}
	if err := st.Put(r, map[string][]byte{"failing": file.Bytes(), "passing": file.Bytes()}, store.Texts{"m.go": text}); err != nil {
		t.Fatal(err)
	}
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: []string{"/none"}})
	})
	c.Initialize(lsptest.Object{"workspaceFolders": []any{lsptest.Object{"uri": "file://" + filepath.ToSlash(root), "name": "m"}}})

	start := time.Now()
	ans := askSchedule(c, lsptest.Object{"id": f.ID})
	first := time.Since(start)
	start = time.Now()
	again := askSchedule(c, lsptest.Object{"id": f.ID, "unfold": []any{lsptest.Object{"run": "failing", "from": 5000, "to": 5099}, lsptest.Object{"run": "passing", "from": 9000, "to": 9009}}})
	t.Logf("%d steps as %d, %d kB of picture; the first answer after %v, the next after %v", ans.Steps.Failing, len(ans.Failing), len(ans.SVG)/1024, first, time.Since(start))
	if ans.Note != "" || ans.Steps.Failing < 10000 || len(ans.Failing) > 500 || len(ans.Passing) > 500 {
		t.Errorf("%q: %d steps as %d, %d", ans.Note, ans.Steps.Failing, len(ans.Failing), len(ans.Passing))
	}
	rows, unfolded := 0, 0
	for _, s := range again.Failing {
		if s.Row > 0 {
			rows++
		}
		if s.Until == 0 && s.Number >= 5000 && s.Number <= 5099 {
			unfolded++
		}
	}
	if rows != 1 || unfolded != 100 {
		t.Errorf("%d rows, %d of 100 steps unfolded", rows, unfolded)
	}
	c.Shutdown()
}
