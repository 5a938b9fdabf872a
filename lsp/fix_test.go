package lsp_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type codeAction struct {
	Title       string
	Kind        string
	IsPreferred bool
	Command     *protocol.Command
	Edit        *protocol.WorkspaceEdit
}

// TestFix: a finding, its fix as a quick fix, applied, searched again, and undone.
func TestFix(t *testing.T) {
	if testing.Short() {
		t.Skip("finds and fixes")
	}
	root := threeTests(t)
	saved, err := os.ReadFile(root + "/till_test.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(saved)
	c := served(t, hocket(t))
	can := lsptest.Capabilities()
	can["textDocument"] = object{"codeAction": object{"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"quickfix"}}}}}
	c.Initialize(object{"capabilities": can})
	c.Open(file(root), text)
	ans := answer[found](t, run(c, "hocket.find", object{"uri": file(root), "entry": "TestTwoCustomers", "budget": "60s", "schedules": 100}))
	if ans.Status != "failing" || len(ans.Findings) == 0 {
		t.Fatalf("%+v", ans)
	}
	id := ans.Findings[0]
	if got := fixes(actions(t, c, root, text)); len(got) != 0 {
		t.Fatalf("before one is known: %+v", got)
	}
	fixed := answer[struct {
		ID, Message string
		Verified    int
	}](t, run(c, "hocket.fix", object{"id": id, "uri": file(root), "budget": "120s"}))
	if fixed.ID != id || fixed.Verified == 0 || !strings.Contains(fixed.Message, "verified fix") {
		t.Fatalf("%+v", fixed)
	}
	got := fixes(actions(t, c, root, text))
	if len(got) == 0 || got[0].Edit == nil || !got[0].IsPreferred || got[0].Command.Command != "hocket.find" ||
		!strings.Contains(got[0].Title, "proved") && !strings.Contains(got[0].Title, "searched") {
		t.Fatalf("%+v", got)
	}
	for _, a := range got[1:] {
		if a.IsPreferred {
			t.Errorf("two are preferred: %+v", got)
		}
	}

	var hints []struct{ Label string }
	c.Must("textDocument/inlayHint", object{"textDocument": object{"uri": file(root)}, "range": object{
		"start": object{"line": 0, "character": 0}, "end": object{"line": strings.Count(text, "\n"), "character": 0}}}, &hints)
	if len(hints) == 0 || !strings.HasPrefix(hints[0].Label, "atomic with ") {
		t.Errorf("the region is not shown: %+v", hints)
	}

	// The client is told to apply it.
	var applied protocol.ApplyWorkspaceEditParams
	c.Handle("workspace/applyEdit", func(raw json.RawMessage) (any, error) {
		return object{"applied": true}, json.Unmarshal(raw, &applied)
	})
	done := answer[struct{ Applied bool }](t, run(c, "hocket.applyFix", object{"id": id, "uri": file(root)}))
	if !done.Applied || len(applied.Edit.Changes[protocol.URI(file(root))]) == 0 {
		t.Fatalf("%+v, %+v", done, applied)
	}
	before := map[protocol.URI]string{}
	after := text
	for uri, edits := range applied.Edit.Changes {
		before[uri] = onDisk(t, uri)
		changed := edited(before[uri], edits)
		if string(uri) == file(root) {
			after = changed
			c.Change(file(root), 2, lsptest.Edit{Text: changed})
			continue
		}
		c.Open(string(uri), before[uri])
		c.Change(string(uri), 2, lsptest.Edit{Text: changed})
	}
	if got := fixes(actions(t, c, root, after)); len(got) > 0 && got[0].Edit != nil {
		t.Errorf("a fix of another text is offered: %+v", got)
	}
	if _, err := run(c, "hocket.applyFix", object{"id": id, "uri": file(root)}).Wait(); err == nil || !strings.Contains(err.Error(), "for the text as it is") {
		t.Errorf("a fix of another text is applied: %v", err)
	}
	again := answer[found](t, run(c, "hocket.find", object{"uri": file(root), "entry": "TestTwoCustomers", "budget": "60s", "schedules": 100}))
	if len(again.Findings) > 0 || again.Status != "searched" && again.Status != "clean" {
		t.Errorf("with the fix: %+v", again)
	}

	// Undone, it is there again.
	for uri, text := range before {
		c.Change(string(uri), 3, lsptest.Edit{Text: text})
	}
	if got := fixes(actions(t, c, root, text)); len(got) == 0 || got[0].Edit == nil {
		t.Errorf("after undoing it: %+v", got)
	}
	c.Shutdown()
	for uri, text := range before {
		if onDisk(t, uri) != text {
			t.Errorf("%s was changed on disk", uri)
		}
	}
}

// onDisk is the text that is saved of a document.
func onDisk(t *testing.T, uri protocol.URI) string {
	t.Helper()
	path, _ := protocol.Path(uri)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// actions are those offered anywhere in the document.
func actions(t *testing.T, c *lsptest.Client, root, text string) (all []codeAction) {
	t.Helper()
	c.Must("textDocument/codeAction", object{"textDocument": object{"uri": file(root)}, "context": object{"diagnostics": []any{}},
		"range": object{"start": object{"line": 0, "character": 0}, "end": object{"line": strings.Count(text, "\n"), "character": 0}}}, &all)
	return all
}

// fixes are the actions that fix.
func fixes(all []codeAction) (list []codeAction) {
	for _, a := range all {
		if a.Edit != nil {
			list = append(list, a)
		}
	}
	return list
}

// edited applies edits of whole lines to a text.
func edited(text string, edits []protocol.TextEdit) string {
	lines := strings.SplitAfter(text, "\n")
	at := func(p protocol.Position) int {
		n := int(p.Character)
		for _, l := range lines[:p.Line] {
			n += len(l)
		}
		return n
	}
	for i := len(edits) - 1; i >= 0; i-- {
		text = text[:at(edits[i].Range.Start)] + edits[i].NewText + text[at(edits[i].Range.End):]
	}
	return text
}
