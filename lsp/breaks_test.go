package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// bank is a module whose deposits get lost when two of them meet.
var bank = map[string]string{
	"go.mod": "module bank\n\ngo 1.26\n",
	"bank.go": `package bank

type account struct{ balance int }

func (a *account) deposit(n int) {
	b := a.balance
	a.balance = b + n
}
`,
	"bank_test.go": `package bank

import (
	"testing"
	"time"
)

func TestDeposits(t *testing.T) {
	a, done := &account{}, make(chan bool)
	for i := range 2 {
		go func() {
			time.Sleep(time.Duration(i) * 20 * time.Millisecond)
			a.deposit(1)
			done <- true
		}()
	}
	<-done
	<-done
	if a.balance != 2 {
		t.Fatal("lost a deposit")
	}
}
`,
}

type breakpoint struct {
	ID, If, Message string
	Sides           []struct {
		URI   string
		Range protocol.Range
		Lost  string
	}
	Last *struct{ Runs, Hits, Failed int }
}

// TestBreakpointsAtWork: two places of a text that is not saved are found to
// conflict, made a breakpoint with a condition, and run: the bug that never
// shows fails each time, and the marks say so.
func TestBreakpointsAtWork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs programs")
	}
	leaks(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range bank {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := marking(t)
	uri := string(protocol.FileURI(filepath.Join(root, "bank.go")))
	c.Open(uri, "// Not saved.\n\n"+bank["bank.go"])
	write := object{"line": 8, "character": 2}

	known := answer[struct {
		Package string
		Pairs   []struct{ Kind string }
		Note    string
	}](t, run(c, "hocket.conflicts", object{"uri": uri}))
	if known.Package != "bank" || len(known.Pairs) == 0 || known.Pairs[0].Kind == "" {
		t.Fatalf("conflicts: %+v", known)
	}
	if titles := lensTitles(c, uri); !slices.ContainsFunc(titles, func(s string) bool { return strings.HasPrefix(s, "conflicts with ") }) {
		t.Errorf("lenses: %q", titles)
	}
	set := answer[struct {
		Pending    struct{ Text string }
		Candidates []struct {
			Label string
			Range protocol.Range
		}
	}](t, run(c, "hocket.break.set", object{"uri": uri, "position": write}))
	if set.Pending.Text != "a.balance = b + n" || len(set.Candidates) == 0 {
		t.Fatalf("set: %+v", set)
	}
	_, err = run(c, "hocket.break.pair", object{"uri": uri, "position": write, "if": "t1.a == t2.nothing"}).Wait()
	if err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a condition on what is not there: %v", err)
	}
	b := answer[breakpoint](t, run(c, "hocket.break.pair", object{"uri": uri, "position": write, "if": "t1.a == t2.a"}))
	if b.If != "t1.a == t2.a" || len(b.Sides) != 2 || b.Sides[0].Range.Start.Line != 8 || b.Sides[0].Lost != "" {
		t.Fatalf("pair: %+v", b)
	}
	ran := answer[struct {
		engine.BreakRun
		Message string
	}](t, run(c, "hocket.break.run", object{"uri": uri, "id": b.ID, "entry": "TestDeposits", "runs": 10}))
	if ran.Runs != 10 || ran.Hits < 9 || ran.Failed < 9 || ran.Plain.Failed > 2 || ran.Message == "" {
		t.Errorf("run: %+v", ran)
	}
	c.WaitNotification("hocket/breakpoints", func(raw json.RawMessage) bool {
		var n struct{ Breakpoints []breakpoint }
		return json.Unmarshal(raw, &n) == nil && len(n.Breakpoints) == 1 && n.Breakpoints[0].Last != nil && n.Breakpoints[0].Last.Runs == 10
	})
	// The client draws the outcome itself, after the line: the lens does not say it again.
	if titles := lensTitles(c, uri); !slices.Contains(titles, "b1 side 1 of 2") || slices.ContainsFunc(titles, func(s string) bool { return strings.Contains(s, "hit ") }) {
		t.Errorf("lenses after the run: %q", titles)
	}
	cancelled(t, c, root, uri)
	c.Shutdown()
	if text, err := os.ReadFile(filepath.Join(root, "bank.go")); err != nil || string(text) != bank["bank.go"] {
		t.Errorf("the file was changed: %v", err)
	}
}

// cancelled: a long run ends soon after it is cancelled.
func cancelled(t *testing.T, c *lsptest.Client, root, uri string) {
	t.Helper()
	long := run(c, "hocket.break.run", object{"uri": uri, "entry": "TestDeposits", "runs": 100_000})
	until(t, c, root, "at work", func(l listed) bool { return len(l.Jobs) == 1 && l.Jobs[0].State == "running" })
	c.Must("workspace/executeCommand", object{"command": "hocket.cancel", "arguments": []any{object{}}}, nil)
	if _, err := long.Wait(); err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("the cancelled run: %v", err)
	}
}

// marking is a client that shows breakpoints, with the program under test.
func marking(t *testing.T) *lsptest.Client {
	t.Helper()
	c := served(t, hocket(t))
	caps := lsptest.Capabilities()
	caps["experimental"] = object{"hocketBreakpoints": true, "hocketDebug": true}
	c.Initialize(object{"capabilities": caps})
	return c
}

func lensTitles(c *lsptest.Client, uri string) (titles []string) {
	var ls []struct{ Command struct{ Title string } }
	c.Must("textDocument/codeLens", object{"textDocument": object{"uri": uri}}, &ls)
	for _, l := range ls {
		titles = append(titles, l.Command.Title)
	}
	return titles
}
