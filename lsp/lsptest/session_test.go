package lsptest_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// childVariable makes the test binary a server, for tests of processes.
const childVariable = "HOCKET_LSPTEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		if err := lsp.Serve(context.Background(), lsp.Options{In: os.Stdin, Out: os.Stdout, Version: "child"}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func connect(t testing.TB) *lsptest.Client {
	return lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Version: "test", Command: []string{"/nonexistent"}})
	})
}

func child(t *testing.T) *lsptest.Client {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	return lsptest.Start(t, cmd)
}

func codeOf(err error) int {
	var e *lsptest.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func TestTheLifeOfASession(t *testing.T) {
	c := connect(t)
	for _, method := range []string{"textDocument/hover", "shutdown", "nonsense"} {
		if _, err := c.Request(method, nil); codeOf(err) != -32002 {
			t.Errorf("%s before initialize: %v", method, err)
		}
	}
	c.Notify("textDocument/didOpen", lsptest.Object{}) // ignored
	var result struct {
		ServerInfo   struct{ Name, Version string }
		Capabilities struct {
			PositionEncoding string
			TextDocumentSync struct {
				OpenClose bool
				Change    int
				Save      any
			}
			Workspace struct {
				WorkspaceFolders struct{ Supported, ChangeNotifications bool }
			}
		}
	}
	if err := json.Unmarshal(c.Initialize(nil), &result); err != nil {
		t.Fatal(err)
	}
	if r := result.Capabilities; result.ServerInfo.Name != "hocket" || result.ServerInfo.Version != "test" || r.PositionEncoding != "utf-16" ||
		!r.TextDocumentSync.OpenClose || r.TextDocumentSync.Change != 2 || r.TextDocumentSync.Save == nil ||
		!r.Workspace.WorkspaceFolders.Supported || !r.Workspace.WorkspaceFolders.ChangeNotifications {
		t.Errorf("initialize answered %+v", result)
	}
	if _, err := c.Request("initialize", lsptest.Object{"capabilities": lsptest.Object{}}); codeOf(err) != -32600 {
		t.Errorf("a second initialize: %v", err)
	}
	for _, params := range []any{nil, lsptest.Object{}, []int{1}} {
		if _, err := c.Request("no/such", params); codeOf(err) != -32601 {
			t.Errorf("an unknown request: %v", err)
		}
		c.Notify("no/such", params)
		c.Notify("$/such", params)
	}
	c.Must("shutdown", nil, nil)
	for _, method := range []string{"shutdown", "initialize", "no/such", "textDocument/hover"} {
		if _, err := c.Request(method, nil); codeOf(err) != -32600 {
			t.Errorf("%s after shutdown: %v", method, err)
		}
	}
	c.Notify("exit", nil)
	if err := c.Ended(); err != nil {
		t.Error(err)
	}
}

func TestInitializeAgainAfterAWrongOne(t *testing.T) {
	c := connect(t)
	for _, params := range []any{nil, []int{}, 5, "x", lsptest.Object{"capabilities": 5}} {
		if _, err := c.Request("initialize", params); codeOf(err) != -32602 {
			t.Errorf("initialize with %v: %v", params, err)
		}
	}
	c.Initialize(nil)
	c.Shutdown()
}

func TestExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*lsptest.Client)
		code int
	}{
		"exit after shutdown":          {func(c *lsptest.Client) { c.Must("shutdown", nil, nil); c.Notify("exit", nil) }, 0},
		"nothing after shutdown":       {func(c *lsptest.Client) { c.Must("shutdown", nil, nil) }, 0},
		"end of stream after shutdown": {func(c *lsptest.Client) { c.Must("shutdown", nil, nil); c.CloseInput() }, 0},
		"exit alone":                   {func(c *lsptest.Client) { c.Notify("exit", nil) }, 1},
		"end of stream alone":          {func(c *lsptest.Client) { c.CloseInput() }, 1},
	} {
		client := child(t)
		client.Initialize(nil)
		start := time.Now()
		c.end(client)
		code := 0
		var exit *exec.ExitError
		if err := client.Ended(); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
		limit := 5 * time.Second // 1 s is promised; the machine may be busy
		if name == "nothing after shutdown" {
			limit = 25 * time.Second // it waits for exit first
		}
		if d := time.Since(start); d > limit {
			t.Errorf("%s: the end took %v", name, d)
		}
	}
	client := child(t)
	client.Notify("exit", nil) // before initialize
	if err := client.Ended(); err == nil {
		t.Error("exit code 0 without a session")
	}
}

// TestTheParentIsGone: the server ends though its input stays open.
func TestTheParentIsGone(t *testing.T) {
	parent := exec.Command("sleep", "1000")
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	client := child(t)
	client.Initialize(lsptest.Object{"processId": parent.Process.Pid})
	parent.Process.Kill() //nolint:errcheck // waited for
	parent.Wait()         //nolint:errcheck // killed
	if err := client.Ended(); err == nil {
		t.Error("exit code 0")
	}
}

func TestACancelledContextEndsTheServer(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(ctx, lsp.Options{In: in, Out: out})
	})
	c.Initialize(nil)
	cancel()
	if err := c.Ended(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestWhatIsNoMessage: everything is answered, and the session goes on.
func TestWhatIsNoMessage(t *testing.T) {
	c := connect(t)
	c.Initialize(nil)
	frame := func(body string) string { return string(lsptest.Frame(body)) }
	for _, raw := range []string{
		frame(`{"jsonrpc":"2.0","id":`),
		frame(""),
		frame("\xff\xfe\x00"),
		frame(`[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]`),
		frame(`[]`),
		frame(`5`),
		frame(`null`),
		frame(`{"jsonrpc":"2.0","id":{},"method":"shutdown"}`),
		frame(`{"jsonrpc":"2.0","id":true,"method":"shutdown"}`),
		frame(`{"jsonrpc":"2.0","id":"é\ud800","method":7}`),
		frame(`{"jsonrpc":"1.0","id":991,"method":"shutdown"}`),
		frame(`{"jsonrpc":"2.0","id":992,"method":"textDocument/hover","params":"\xff"}`),
		frame(strings.Repeat(`{"a":`, 100_000)),
		"Content-Length: 5\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}",
		"Content-Length: 500\r\n\r\n{}",
		"Content-Length: -1\r\n\r\n{}",
		"Content-Length: 70000000\r\n\r\n{}",
		"Content-Length: 99999999999999999999\r\n\r\n{}",
		"Content-Size: 5\r\n\r\n{}",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"\x00\x01\x02",
	} {
		before := len(c.Notifications("error")) + unasked(c)
		c.Raw([]byte(raw))
		// One sound request after it comes through, perhaps after the padding that
		// a length which is too great eats.
		probe := c.Begin("no/such", nil)
		pad := 0
		for ; !probe.Answered() && pad < 400; pad++ {
			c.Raw(lsptest.Frame(`{"jsonrpc":"2.0","method":"$/padding"}`))
			time.Sleep(time.Millisecond)
		}
		if _, err := probe.Wait(); codeOf(err) != -32601 {
			t.Errorf("after %.60q: %v", raw, err)
		}
		if len(c.Notifications("error"))+unasked(c) == before {
			t.Errorf("%.60q was not answered", raw)
		}
	}
	c.Must("shutdown", nil, nil)
	c.Notify("exit", nil)
	if err := c.Ended(); err != nil {
		t.Error(err)
	}
}

func unasked(c *lsptest.Client) (n int) {
	c.Until("the lock", func() bool { n = len(c.Unasked()); return true })
	return n
}

func TestIDsOfAllKinds(t *testing.T) {
	c := connect(t)
	c.Initialize(nil)
	for _, id := range []string{`"a"`, `""`, `"\ud83d\ude00"`, `0`, `-7`, `1.5`, `1e3`, `123456789012345678901234567890`, `"1"`} {
		c.Raw(lsptest.Frame(`{"jsonrpc":"2.0","id":` + id + `,"method":"no/such"}`))
		c.Until("the answer to "+id, func() bool {
			return strings.Contains(strings.Join(c.Unasked(), "\n"), `"id":`+id+`,"error":{"code":-32601`)
		})
	}
	// The same id twice is two requests.
	for range 2 {
		c.Raw(lsptest.Frame(`{"jsonrpc":"2.0","id":"twice","method":"no/such"}`))
	}
	c.Until("two answers", func() bool { return strings.Count(strings.Join(c.Unasked(), "\n"), `"id":"twice"`) == 2 })
	// null is no id.
	c.Raw(lsptest.Frame(`{"jsonrpc":"2.0","id":null,"method":"exit"}`))
	if err := c.Ended(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Error(err)
	}
}

func TestAMessageThatIsTooLong(t *testing.T) {
	c := connect(t)
	c.Initialize(nil)
	const size = 65 << 20
	c.Raw(lsptest.Frame(`{"a":"` + strings.Repeat("x\\n", size/3) + `"}`))
	if _, err := c.Request("no/such", nil); codeOf(err) != -32601 {
		t.Error(err)
	}
	if got := c.Notifications("error"); len(got) != 1 || !strings.Contains(string(got[0]), "the limit is") {
		t.Errorf("%d errors: %s", len(got), got)
	}
	c.Shutdown()
}

func TestSettings(t *testing.T) {
	c := connect(t)
	asked := make(chan string, 10)
	answer := make(chan any, 10)
	c.Handle("workspace/configuration", func(p json.RawMessage) (any, error) {
		asked <- string(p)
		return []any{<-answer}, nil
	})
	registered := make(chan string, 1)
	c.Handle("client/registerCapability", func(p json.RawMessage) (any, error) {
		registered <- string(p)
		return nil, nil
	})
	answer <- lsptest.Object{"find": lsptest.Object{"budgets": "5s", "schedules": "many"}, "hover.enable": false, "trace": lsptest.Object{"server": "off"}}
	c.Initialize(nil)
	if got := <-asked; !strings.Contains(got, `"section":"hocket"`) {
		t.Errorf("asked for %s", got)
	}
	if got := <-registered; !strings.Contains(got, `"**/*.go"`) || !strings.Contains(got, "didChangeConfiguration") {
		t.Errorf("registered %s", got)
	}
	for _, want := range []string{"unknown setting hocket.find.budgets: did you mean hocket.find.budget?", "setting hocket.find.schedules: must be an integer"} {
		c.WaitNotification("window/showMessage", func(p json.RawMessage) bool { return strings.Contains(string(p), want) })
	}
	// Told once, however often they are pulled.
	for range 3 {
		answer <- lsptest.Object{"find": lsptest.Object{"budgets": "5s"}}
		c.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": nil})
		<-asked
	}
	answer <- lsptest.Object{"find": lsptest.Object{"bugdet": "5s"}}
	c.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": lsptest.Object{}})
	c.WaitNotification("window/showMessage", func(p json.RawMessage) bool { return strings.Contains(string(p), "bugdet") })
	if n := len(c.Notifications("window/showMessage")); n != 3 {
		t.Errorf("%d messages", n)
	}
	c.Shutdown()
}

// TestSettingsOfAClientThatCanNotBeAsked: it sends them.
func TestSettingsOfAClientThatCanNotBeAsked(t *testing.T) {
	c := connect(t)
	c.Initialize(lsptest.Object{"capabilities": lsptest.Object{}, "initializationOptions": lsptest.Object{"a": 1}})
	c.WaitNotification("window/showMessage", func(p json.RawMessage) bool { return strings.Contains(string(p), "hocket.a:") })
	for _, settings := range []any{nil, 5, []int{}, lsptest.Object{"hocket": lsptest.Object{"b": 1}}, lsptest.Object{"c": 1}, lsptest.Object{"hocket": 7}} {
		c.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": settings})
	}
	for _, want := range []string{"hocket.b:", "hocket.c:", "must be an object"} {
		c.WaitNotification("window/showMessage", func(p json.RawMessage) bool { return strings.Contains(string(p), want) })
	}
	c.Shutdown()
}

func TestTrace(t *testing.T) {
	var file strings.Builder
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Trace: &file})
	})
	c.Initialize(nil)
	c.Notify("$/setTrace", lsptest.Object{"value": "verbose"})
	c.Request("no/such", nil) //nolint:errcheck // it is traced
	c.WaitNotification("$/logTrace", func(p json.RawMessage) bool { return strings.Contains(string(p), "request 2 no/such") })
	c.WaitNotification("$/logTrace", func(p json.RawMessage) bool { return strings.Contains(string(p), "-32601") })
	c.Notify("$/setTrace", lsptest.Object{"value": "off"})
	c.Shutdown()
	for _, want := range []string{"<- request 1 initialize", "-> response 1", "<- notification initialized", "-> response 2", "<- notification exit"} {
		if !strings.Contains(file.String(), want) {
			t.Errorf("no %q in the trace:\n%s", want, file.String())
		}
	}
	if strings.Contains(file.String(), "$/logTrace") {
		t.Error("traces are traced")
	}
}

// TestOpeningWritesNothing: a folder with modules is opened and files in it are
// edited; the tree stays as it was.
func TestOpeningWritesNothing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/go.mod": "module a\n\ngo 1.26\n", "a/a_test.go": "package a\n", "b/c/go.mod": "module b\n", "go.work": "go 1.26\nuse ./a\n",
		"node_modules/x/go.mod": "module x\n",
	} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o755) //nolint:errcheck // WriteFile tells
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := func() (names []string) {
		filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error { //nolint:errcheck // it returns none
			names = append(names, path)
			return nil
		})
		return names
	}
	before := tree()
	c := connect(t)
	uri := "file://" + filepath.ToSlash(dir)
	c.Initialize(lsptest.Object{"workspaceFolders": []any{lsptest.Object{"uri": uri, "name": "x"}}})
	c.Open(uri+"/a/a_test.go", "package a\n\nfunc TestX(t *testing.T) {}\n")
	c.Change(uri+"/a/a_test.go", 2, lsptest.Edit{Range: &[4]int{0, 0, 0, 0}, Text: "// x\n"})
	c.Save(uri + "/a/a_test.go")
	c.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{
		"added": []any{lsptest.Object{"uri": "untitled:x", "name": "y"}}, "removed": []any{lsptest.Object{"uri": uri, "name": "x"}}}})
	c.Close(uri + "/a/a_test.go")
	c.Shutdown()
	if after := tree(); strings.Join(before, "\n") != strings.Join(after, "\n") {
		t.Errorf("the tree was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}
