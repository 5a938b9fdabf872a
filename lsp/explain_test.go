package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// TestReplayAndExplain goes on from a find on the position of a test.
func TestReplayAndExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("a find and a replay")
	}
	root := threeTests(t)
	c := connect(t)
	src, err := os.ReadFile(filepath.Join(root, "till_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Count(string(src[:strings.Index(string(src), "go func")]), "\n")
	ans := answer[found](t, run(c, "hocket.find", object{"uri": file(root), "position": object{"line": line, "character": 2},
		"budget": "40s", "schedules": 100, "show": true}))
	if ans.Status != "failing" || !strings.HasPrefix(ans.Message, "TestTwoCustomers: ") {
		t.Fatalf("%+v", ans)
	}
	c.WaitNotification("window/showMessage", func(raw json.RawMessage) bool {
		return strings.Contains(string(raw), "TestTwoCustomers") && strings.Contains(string(raw), `"type":2`)
	})
	id := ans.Findings[0]

	again := answer[struct {
		ID, Level, Message, Note string
		Runs, Failed             int
	}](t, run(c, "hocket.replay", object{"id": id, "runs": 10}))
	if again.ID != id || again.Level != "controlled" || again.Runs != 10 || again.Failed != 10 ||
		!strings.HasPrefix(again.Message, "TestTwoCustomers: 10 of 10 replays failed at level controlled: ") {
		t.Errorf("replay: %+v", again)
	}
	if l := list(t, c, root); len(l.Findings) == 0 || l.Findings[0].Replay.Runs != 10 {
		t.Errorf("the newest replay is not in the list: %+v", l)
	}
	c.Open(file(root), string(src)+"\n// unsaved\n")
	onDisk := answer[struct{ Note string }](t, run(c, "hocket.replay", object{"uri": file(root), "position": object{"line": line}, "runs": 1}))
	if !strings.Contains(onDisk.Note, "unsaved text of till_test.go was left out") {
		t.Errorf("replay beside unsaved text: %+v", onDisk)
	}
	c.Close(file(root))
	steps(t, c, root, id)
	explains(t, c, root, id)
	showsSteps(t, c, root, id)
	c.Shutdown()
}

// steps goes through the runs of a finding, and asks what happens without a switch.
func steps(t *testing.T, c *lsptest.Client, root, id string) {
	t.Helper()
	type location struct {
		URI   string
		Range struct{ Start struct{ Line, Character int } }
	}
	type step struct {
		Number, Until, Row, Lane, Switch, Twin int
		Goroutine, Code, Happens, Role         string
		Location                               *location
		Elsewhere                              []struct{ Location location }
	}
	type schedule struct {
		ID, Title, State, Note, SVG, Markdown string
		Lanes                                 []string
		Failing, Passing                      []step
		Switches                              []struct{ Number, After, Before int }
		Steps                                 struct{ Failing int }
	}
	ans := answer[schedule](t, run(c, "hocket.schedule", object{"id": id, "uri": file(root)}))
	if ans.ID != id || ans.Note != "" || ans.State != "" || len(ans.Failing) < 5 || len(ans.Passing) < 3 || len(ans.Switches) < 2 {
		t.Fatalf("%+v", ans)
	}
	rows, fails := 0, false
	for _, s := range ans.Failing {
		if s.Until > 0 {
			continue
		}
		if s.Location == nil || !strings.HasPrefix(s.Location.URI, strings.TrimSuffix(file(root), "till_test.go")) || s.Goroutine != ans.Lanes[s.Lane] || !strings.Contains(ans.SVG, fmt.Sprintf(`data-run="failing" data-step="%d"`, s.Number)) {
			t.Errorf("step %+v", s)
		}
		if s.Row > 0 {
			rows++
		}
		fails = fails || s.Role == "fails"
	}
	if rows < 3 || !fails || !strings.Contains(ans.Markdown, "| step | goroutine |") {
		t.Errorf("%d rows, fails %v:\n%s", rows, fails, ans.Markdown)
	}
	all := answer[schedule](t, run(c, "hocket.schedule", object{"id": id, "uri": file(root), "unfold": []object{{"run": "failing", "from": 1, "to": 9999}}}))
	if len(all.Failing) != ans.Steps.Failing {
		t.Errorf("%d of %d steps with all unfolded", len(all.Failing), ans.Steps.Failing)
	}
	c.Open(file(root), "// moved\n\n"+read(t, root))
	moved := answer[schedule](t, run(c, "hocket.schedule", object{"id": id, "uri": file(root)}))
	if was, is := ans.Failing[0].Location.Range.Start.Line, moved.Failing[0].Location.Range.Start.Line; is != was+2 {
		t.Errorf("two lines above it a step of line %d is at %d", was, is)
	}
	c.Close(file(root))
	type counted struct {
		ID, Without, Message, Note string
		Runs, Failed               int
	}
	for _, s := range ans.Switches[1:2] {
		got := answer[counted](t, run(c, "hocket.whatIf", object{"id": id, "uri": file(root), "switch": s.Number}))
		if got.ID != id || got.Runs == 0 || got.Failed == got.Runs || !strings.HasPrefix(got.Message, "TestTwoCustomers: without switch 2 (") {
			t.Errorf("without switch %d: %+v", s.Number, got)
		}
	}
}

// showsSteps: a client without a view of its own gets a document.
func showsSteps(t *testing.T, c *lsptest.Client, root, id string) {
	t.Helper()
	shown := make(chan string, 1)
	c.Handle("window/showDocument", func(raw json.RawMessage) (any, error) {
		shown <- string(raw)
		return object{"success": true}, nil
	})
	run(c, "hocket.schedule", object{"id": id, "uri": file(root), "show": true})
	if raw := <-shown; !strings.Contains(raw, id+"-steps.md") {
		t.Errorf("shown: %s", raw)
	}
}

func read(t *testing.T, root string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, "till_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func explains(t *testing.T, c *lsptest.Client, root, id string) {
	t.Helper()
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	shown := make(chan string, 1)
	c.Handle("window/showDocument", func(raw json.RawMessage) (any, error) {
		shown <- string(raw)
		return object{"success": true}, nil
	})
	type explained struct{ ID, Format, Text, URI string }
	ans := answer[explained](t, run(c, "hocket.explain", object{"id": id, "uri": file(root)}))
	path := filepath.Join(cache, "hocket", "explanations", id+".md")
	data, err := os.ReadFile(path)
	if err != nil || ans.URI != string(protocol.FileURI(path)) || ans.Format != "markdown" {
		t.Errorf("%v; %+v", err, ans)
	}
	// Links of the document start at its folder, those of the answer anywhere.
	rel, err := filepath.Rel(filepath.Dir(path), filepath.Join(root, "till_test.go"))
	if err != nil || !strings.HasPrefix(string(data), "# TestTwoCustomers: ") || !strings.Contains(string(data), "]("+filepath.ToSlash(rel)+"#L") {
		t.Errorf("%v; the document has no links to %s:\n%s", err, rel, data)
	}
	select {
	case raw := <-shown:
		if !strings.Contains(raw, ans.URI) || !strings.Contains(raw, `"takeFocus":true`) {
			t.Errorf("shown: %s", raw)
		}
	default:
		t.Error("no document was shown")
	}
	for _, want := range []string{"# TestTwoCustomers: ", "](" + string(protocol.FileURI(filepath.Join(root, "till_test.go"))) + "#L", "hocket replay -n 100 " + id, "How to fix it: "} {
		if !strings.Contains(ans.Text, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, ans.Text)
		}
	}
	if strings.Contains(ans.Text, "have changed since") {
		t.Errorf("nothing has changed:\n%s", ans.Text)
	}
	page := answer[explained](t, run(c, "hocket.explain", object{"id": id, "uri": file(root), "format": "html"}))
	if data, err := os.ReadFile(filepath.Join(cache, "hocket", "explanations", id+".html")); err != nil || string(data) != page.Text ||
		!strings.Contains(page.Text, "<svg ") || !strings.Contains(page.Text, ">till_test.go</figcaption>") {
		t.Errorf("%v; as a page: %+v", err, page)
	}
	if raw := <-shown; !strings.Contains(raw, `"external":true`) {
		t.Errorf("the page is not for a browser: %s", raw)
	}
	text := answer[explained](t, run(c, "hocket.explain", object{"id": id, "uri": file(root), "format": "text", "open": false}))
	if text.URI != "" || strings.Contains(text.Text, "](") || !strings.Contains(text.Text, "How to fix it") {
		t.Errorf("as text: %+v", text)
	}
}
