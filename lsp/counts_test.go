package lsp_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// TestCountsAreOfAText: a bug that is found, mended by hand, searched again and undone has
// the counts of the text that is there, and a comment does not make it vanish.
func TestCountsAreOfAText(t *testing.T) {
	if testing.Short() {
		t.Skip("searches")
	}
	root := threeTests(t)
	saved, err := os.ReadFile(root + "/till_test.go")
	if err != nil {
		t.Fatal(err)
	}
	text := string(saved)
	mended := strings.Replace(text, "till.Set(till.Coins() + 1)", "till.Add(1)", 1)
	c := connect(t)
	defer c.Shutdown()
	c.Open(file(root), text)
	search := object{"uri": file(root), "entry": "TestTwoCustomers", "budget": "60s", "schedules": 100}
	if ans := answer[found](t, run(c, "hocket.find", search)); len(ans.Findings) != 1 {
		t.Fatalf("%+v", ans)
	}
	one := func() (state string, replayed int) {
		t.Helper()
		l := list(t, c, root)
		if len(l.Findings) != 1 {
			t.Fatalf("%+v", l)
		}
		return l.Findings[0].State, l.Findings[0].Replay.Failed
	}
	lens := func() string { return strings.Join(lensTitles(c, file(root)), "\n") }
	if state, n := one(); state != "current" || n == 0 || !strings.HasPrefix(lens(), "1 finding: 1 coins, want 2") || strings.Contains(lens(), "since") {
		t.Fatalf("found: %s, %d, %s", state, n, lens())
	}

	c.Change(file(root), 2, lsptest.Edit{Text: mended})
	if ans := answer[found](t, run(c, "hocket.find", search)); len(ans.Findings) != 0 {
		t.Fatalf("mended: %+v", ans)
	}
	if state, _ := one(); state != "fixed" {
		t.Errorf("mended: %s", state)
	}
	if !strings.Contains(lens(), "✓ no failure in 100 schedules ▸") && !strings.Contains(lens(), "✓ all schedules (") {
		t.Errorf("mended: %s", lens())
	}

	c.Change(file(root), 3, lsptest.Edit{Text: text})
	if state, n := one(); state != "current" || n == 0 || !strings.HasPrefix(lens(), "1 finding: 1 coins, want 2") || strings.Contains(lens(), "since") {
		t.Errorf("undone: %s, %d, %s", state, n, lens())
	}

	c.Change(file(root), 4, lsptest.Edit{Text: "// Package till is tested here.\n" + text})
	if state, n := one(); state != "current" || n == 0 || !strings.Contains(lens(), ", changed since found ▸") {
		t.Errorf("with a comment: %s, %d, %s", state, n, lens())
	}

	// Mended again, but for a comment: nothing was measured of this text.
	c.Change(file(root), 5, lsptest.Edit{Text: mended + "// The end.\n"})
	if state, _ := one(); state == "fixed" {
		t.Errorf("another text than was searched is %s", state)
	}
}
