package lsp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// Tests of the commands with real children on real modules.

var buggy = []string{"TestClosingTime", "TestTwoCustomers"}

// quick is a find that is long enough for these bugs.
func quick(root, entry string) object {
	return object{"uri": file(root), "entry": entry, "budget": "40s", "schedules": 100}
}

// endless is a find that only a cancel ends: a strategy that proves nothing.
func endless(root string) object {
	return object{"uri": file(root), "entry": "TestAdd", "budget": "10m", "schedules": 10_000_000, "strategy": "random"}
}

// TestThreeFindsAtOnce: one runs, two wait in sight, all are answered, and what
// they found is there when they are.
func TestThreeFindsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("three finds")
	}
	leaks(t)
	root := threeTests(t)
	c := connect(t)
	var finds []lsptest.Pending
	var l listed
	for i, entry := range append(slices.Clone(buggy), "TestAdd") {
		finds = append(finds, c.Begin("workspace/executeCommand", object{"command": "hocket.find",
			"arguments": []any{quick(root, entry)}, "workDoneToken": fmt.Sprint("token", i)}))
		// Requests are worked on at once: one after the other for the sake of order.
		l = until(t, c, root, "one more job", func(l listed) bool { return len(l.Jobs) == i+1 })
	}
	until(t, c, root, "at work", func(now listed) bool { l = now; return len(now.Jobs) == 3 && now.Jobs[0].State == "running" })
	for i, j := range l.Jobs {
		if want := map[bool]string{true: "running", false: "queued"}[i == 0]; j.State != want {
			t.Errorf("job %d is %s: %+v", i, j.State, l.Jobs)
		}
	}
	for i, p := range finds {
		ans := answer[found](t, p)
		l := list(t, c, root)
		if i == 2 {
			if len(ans.Findings) > 0 || ans.Status != "searched" && ans.Status != "clean" {
				t.Errorf("TestAdd: %+v", ans)
			}
			continue
		}
		if ans.Status != "failing" || len(ans.Findings) == 0 || ans.Report == nil || len(ans.Report.Findings) != len(ans.Findings) {
			t.Fatalf("%s: %+v", buggy[i], ans)
		}
		if !slices.Contains(entriesOf(l), buggy[i]) {
			t.Errorf("%s was answered for, but is not in the list: %+v", buggy[i], l)
		}
	}
	progressOf(t, c, "token1", "waiting for 1 job", "hocket: find TestTwoCustomers", "fails 100 of 100 replays")
	for _, f := range list(t, c, root).Findings {
		if f.State != "current" || f.Location == nil || f.Location.URI != protocol.FileURI(filepath.Join(root, "till_test.go")) && f.Location.URI != protocol.FileURI(filepath.Join(root, "till.go")) {
			t.Errorf("listed: %+v", f)
		}
	}
	c.Shutdown()
	idle(t, root, time.Second)
}

// progressOf checks what the client was told: a begin, reports, one end, in
// this order.
func progressOf(t *testing.T, c *lsptest.Client, token, first, title, last string) {
	t.Helper()
	var kinds []string
	var begin, end struct{ Title, Message string }
	for _, raw := range c.Notifications("$/progress") {
		var p struct {
			Token string
			Value struct{ Kind, Title, Message string }
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		if p.Token != token {
			continue
		}
		kinds = append(kinds, p.Value.Kind)
		switch p.Value.Kind {
		case "begin":
			begin.Title, begin.Message = p.Value.Title, p.Value.Message
		case "end":
			end.Message = p.Value.Message
		}
	}
	if n := len(kinds); n < 3 || kinds[0] != "begin" || kinds[n-1] != "end" || slices.Contains(kinds[1:n-1], "end") {
		t.Errorf("progress came as %v", kinds)
	}
	if begin.Message != first || begin.Title != title || !strings.Contains(end.Message, last) {
		t.Errorf("progress began with %+v and ended with %q", begin, end.Message)
	}
}

// TestTwoServers: two editors search the same module at once.
func TestTwoServers(t *testing.T) {
	if testing.Short() {
		t.Skip("four finds")
	}
	leaks(t)
	root := threeTests(t)
	clients := []*lsptest.Client{connect(t), connect(t)}
	var finds []lsptest.Pending
	for i, c := range clients {
		finds = append(finds, run(c, "hocket.find", quick(root, buggy[i])), run(c, "hocket.find", quick(root, buggy[1-i])))
	}
	for _, p := range finds {
		if ans := answer[found](t, p); ans.Status != "failing" {
			t.Errorf("%+v", ans)
		}
	}
	for _, c := range clients {
		if l := list(t, c, root); !slices.Equal(entriesOf(l), buggy) {
			t.Errorf("listed: %+v", l)
		}
		c.Shutdown()
	}
	readable(t, root)
	idle(t, root, time.Second)
}

// TestCancel ends what runs and what waits, in each of the ways there are.
func TestCancel(t *testing.T) {
	leaks(t)
	root := threeTests(t)
	c := connect(t)
	cancelled := func(what string, p lsptest.Pending) {
		t.Helper()
		_, err := p.Wait()
		var e *lsptest.Error
		if !errors.As(err, &e) || e.Code != -32800 {
			t.Errorf("%s answered %v, want -32800", what, err)
		}
	}
	long := run(c, "hocket.find", endless(root))
	queued := run(c, "hocket.find", quick(root, buggy[0]))
	untilRuns(t, root)
	queued.Cancel()
	cancelled("queued", queued)
	if l := list(t, c, root); len(l.Jobs) != 1 {
		t.Errorf("jobs %+v", l.Jobs)
	}
	long.Cancel()
	cancelled("running", long)
	idle(t, root, time.Second)

	// By its progress, whose token the server makes.
	byProgress := run(c, "hocket.find", endless(root))
	until(t, c, root, "one job", func(l listed) bool { return len(l.Jobs) == 1 })
	c.Notify("window/workDoneProgress/cancel", object{"token": openToken(t, c)})
	cancelled("by its progress", byProgress)

	// By its id, as a lens does; the request that does not wait was answered.
	arg := endless(root)
	arg["wait"] = false
	job := answer[struct{ Job string }](t, run(c, "hocket.find", arg)).Job
	joined := run(c, "hocket.find", endless(root))
	until(t, c, root, "one job", func(l listed) bool { return len(l.Jobs) == 1 && l.Jobs[0].ID == job })
	untilRuns(t, root)
	if n := answer[struct{ Cancelled int }](t, run(c, "hocket.cancel", object{"job": job})).Cancelled; n != 1 {
		t.Errorf("cancelled %d jobs", n)
	}
	cancelled("a request for the same", joined)
	until(t, c, root, "no job", func(l listed) bool { return len(l.Jobs) == 0 })
	idle(t, root, time.Second)
	readable(t, root)

	// The end of the session in the middle of a job.
	run(c, "hocket.find", endless(root))
	untilRuns(t, root)
	c.Shutdown()
	idle(t, root, time.Second)
}

// TestClientGone: the stream ends in the middle of a job, without a word.
func TestClientGone(t *testing.T) {
	leaks(t)
	root := threeTests(t)
	c := connect(t)
	run(c, "hocket.find", endless(root))
	untilRuns(t, root)
	c.CloseInput()
	if err := c.Ended(); !errors.Is(err, lsp.ErrNoShutdown) {
		t.Errorf("the server ended with %v", err)
	}
	idle(t, root, time.Second)
	readable(t, root)
}

// openToken waits for a progress that has begun and not ended.
func openToken(t *testing.T, c *lsptest.Client) (token any) {
	t.Helper()
	for end := time.Now().Add(lsptest.Limit); ; time.Sleep(5 * time.Millisecond) {
		begun := map[any]bool{}
		for _, raw := range c.Notifications("$/progress") {
			var p struct {
				Token any
				Value struct{ Kind string }
			}
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatal(err)
			}
			if begun[p.Token] = true; p.Value.Kind == "end" {
				delete(begun, p.Token)
			}
		}
		for token := range begun {
			return token
		}
		if time.Now().After(end) {
			t.Fatal("no progress is shown")
		}
	}
}

// TestServerKilled: nothing of its job is left, the store is readable, and a
// server that works on the same module goes on.
func TestServerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("a find beside a kill")
	}
	root := threeTests(t)
	server := exec.Command(hocket(t), "lsp")
	c := lsptest.Start(t, server)
	c.Initialize(nil)
	run(c, "hocket.find", endless(root))
	untilRuns(t, root)
	job := childOf(t, server.Process.Pid)

	other := connect(t)
	find := run(other, "hocket.find", quick(root, buggy[0]))
	until(t, other, root, "searching", func(l listed) bool { return len(l.Jobs) == 1 && l.Jobs[0].State == "running" })
	for len(sessionOf(job)) < 2 { // the job and, but for moments between two, the user's program
		if err := syscall.Kill(job, 0); err != nil {
			t.Fatalf("the job has ended: %v", err)
		}
		time.Sleep(time.Millisecond)
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(3 * time.Second); len(sessionOf(job)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still running 3 s after the server was killed: %v\n%s", sessionOf(job), strings.Join(processesIn(root), "\n"))
		}
	}
	readable(t, root)
	if ans := answer[found](t, find); ans.Status != "failing" {
		t.Errorf("the other server: %+v", ans)
	}
	other.Shutdown()
	idle(t, root, time.Second)
	if all := readable(t, root); len(all) == 0 {
		t.Error("nothing is stored")
	}
}

// TestChildCrashes costs its own request only.
func TestChildCrashes(t *testing.T) {
	leaks(t)
	root := threeTests(t)
	c := connect(t, "/bin/sh", "-c", "echo 'panic: it broke' >&2; exit 2", "hocket")
	_, err := run(c, "hocket.find", quick(root, buggy[0])).Wait()
	var e *lsptest.Error
	if !errors.As(err, &e) || e.Code != -32803 || e.Message != "hocket: find TestClosingTime: crashed (panic: it broke); hocket bug says how to report it" {
		t.Errorf("answered %v", err)
	}
	arg := quick(root, buggy[0])
	arg["wait"], arg["show"] = false, true
	answer[struct{ Job string }](t, run(c, "hocket.find", arg))
	c.WaitNotification("window/showMessage", func(raw json.RawMessage) bool {
		return strings.Contains(string(raw), "it broke") && strings.Contains(string(raw), `"type":1`)
	})
	if l := list(t, c, root); len(l.Findings) != 0 {
		t.Errorf("listed %+v", l)
	}
	c.Shutdown()
}

// TestErrors: what can't be done is reported in one line with what to do, and runs
// nothing.
func TestErrors(t *testing.T) {
	leaks(t)
	root := threeTests(t)
	outside := t.TempDir()
	c := connect(t, "/nowhere/hocket")
	uri := file(root)
	for _, x := range []struct {
		command string
		arg     any
		code    int
		want    string
	}{
		{"hocket.find", object{"uri": uri, "entrie": "x"}, -32602, `unknown field "entrie"`},
		{"hocket.find", object{"uri": "untitled:Untitled-1"}, -32602, "is not a file on this machine; save it"},
		{"hocket.find", object{"uri": string(protocol.FileURI(filepath.Join(outside, "a_test.go")))}, -32602, "is not inside a Go module; open a file of a module, or make one with: go mod init NAME"},
		{"hocket.find", object{"uri": string(protocol.FileURI(filepath.Join(root, "none", "a_test.go")))}, -32602, "does not exist; save the file first"},
		{"hocket.find", object{"uri": uri, "position": object{"line": 1}}, -32602, "line 2 of till_test.go is not in a test, example or main function; put the cursor in one"},
		{"hocket.find", object{"uri": uri, "position": object{"character": 1}}, -32602, "position has no line"},
		{"hocket.replay", object{"uri": uri, "id": "abc"}, -32803, "there is no finding abc in " + root},
		{"hocket.explain", object{"uri": uri, "position": object{"line": 9}}, -32803, "there is no finding at line 10 of till_test.go"},
		{"hocket.explain", object{}, -32602, "id is missing"},
		{"hocket.dump", object{}, -32602, "hocket.dump: uri is missing"},
		{"hocket.dump", object{"uri": uri}, -32602, "till_test.go is no core dump; hocket.from takes other artefacts of a failure"},
		{"hocket.dump", object{"uri": "untitled:core"}, -32602, "untitled:core is not a file on this machine"},
		{"hocket.dance", object{}, -32602, `unknown command "hocket.dance"; the commands are hocket.find`},
		{"hocket.find", object{"uri": uri, "entry": "TestAdd"}, -32803, "can't be started"},
	} {
		_, err := c.Request("workspace/executeCommand", object{"command": x.command, "arguments": []any{x.arg}})
		var e *lsptest.Error
		if !errors.As(err, &e) || e.Code != x.code || !strings.Contains(e.Message, x.want) || strings.Contains(e.Message, "\n") {
			t.Errorf("%s %v answered %v; want %d %q", x.command, x.arg, err, x.code, x.want)
		}
	}
	if ans := answer[struct{ Cancelled int }](t, run(c, "hocket.cancel", object{"job": "job-77"})); ans.Cancelled != 0 {
		t.Errorf("cancelled %d jobs", ans.Cancelled)
	}
	c.Shutdown()
}

// TestUnsavedText: what the editor shows is searched, and what is found is about
// it; nothing is written into the module but its store.
func TestUnsavedText(t *testing.T) {
	if testing.Short() {
		t.Skip("a find")
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	root := threeTests(t)
	path := filepath.Join(root, "till_test.go")
	saved, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	edited := "// edited\n" + strings.Replace(string(saved), "till.Add(1)", "till.Set(till.Coins() + 1)", 1)
	c := connect(t)
	c.Open(file(root), string(saved))
	c.Change(file(root), 2, lsptest.Edit{Text: edited})
	line := strings.Count(edited[:strings.LastIndex(edited, "till.Set")], "\n")
	ans := answer[found](t, run(c, "hocket.find", object{"uri": file(root), "position": object{"line": line, "character": 0}, "budget": "40s", "schedules": 100}))
	if ans.Status != "failing" || !strings.HasPrefix(ans.Message, "TestAdd: ") {
		t.Errorf("%+v", ans)
	}
	for _, f := range list(t, c, root).Findings {
		if f.State != "current" || f.Location == nil {
			t.Errorf("listed: %+v", f)
		}
	}
	c.Shutdown()
	if now, err := os.ReadFile(path); err != nil || string(now) != string(saved) {
		t.Errorf("the file on disk was changed: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "hocket-unsaved-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
