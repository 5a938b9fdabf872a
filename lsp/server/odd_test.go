package server_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// oddModule is a module with a test, and a client whose server runs a program
// of sh for its jobs.
func oddModule(t *testing.T, job string) (c *lsptest.Client, root, uri string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root = filepath.Join(t.TempDir(), "m")
	if err := os.MkdirAll(filepath.Join(root, ".hocket", "findings"), 0o777); err != nil {
		t.Fatal(err)
	}
	text := "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"
	for name, data := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": text} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c = lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: []string{"/bin/sh", "-c", job, "sh"}})
	})
	return c, root, "file://" + filepath.ToSlash(filepath.Join(root, "m_test.go"))
}

// TestACommandRightAfterInitialized has the client's settings, though they are
// pulled after that.
func TestACommandRightAfterInitialized(t *testing.T) {
	c, _, uri := oddModule(t, `echo "$*" >&2; exit 2`) // its last line is its error
	asked, answer := make(chan struct{}), make(chan struct{})
	c.Handle("workspace/configuration", func(json.RawMessage) (any, error) {
		close(asked)
		<-answer
		return []any{lsptest.Object{"build": lsptest.Object{"tags": "theirs"}, "find": lsptest.Object{"budget": "7s"}}}, nil
	})
	c.Initialize(nil)
	find := c.Begin("workspace/executeCommand", lsptest.Object{"command": "hocket.find", "arguments": []any{lsptest.Object{"uri": uri, "entry": "TestX"}}})
	<-asked
	close(answer) // the server reads the find before it
	_, err := find.Wait()
	if err == nil || !strings.Contains(err.Error(), "-tags=theirs") || !strings.Contains(err.Error(), "-budget=7s") {
		t.Errorf("the find had other settings than the user's: %v", err)
	}
	c.Shutdown()
}

// TestTheNewestSettingsHold though the client takes its time with those that were
// asked for before.
func TestTheNewestSettingsHold(t *testing.T) {
	c, _, uri := oddModule(t, `echo "$*" >&2; exit 2`)
	asked, changed := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	c.Handle("workspace/configuration", func(json.RawMessage) (any, error) {
		budget := "9s"
		if calls.Add(1) == 1 {
			budget = "7s"
			close(asked)
			select { // the second request, if it does not wait for this answer
			case <-changed:
				time.Sleep(50 * time.Millisecond) // until that one's answer is applied
			case <-time.After(200 * time.Millisecond):
			}
		} else {
			close(changed)
		}
		return []any{lsptest.Object{"find": lsptest.Object{"budget": budget}}}, nil
	})
	c.Initialize(nil)
	<-asked
	c.Notify("workspace/didChangeConfiguration", lsptest.Object{"settings": nil})
	<-changed
	find := func() string {
		_, err := c.Request("workspace/executeCommand", lsptest.Object{"command": "hocket.find", "arguments": []any{lsptest.Object{"uri": uri, "entry": "TestX"}}})
		if err == nil {
			t.Fatal("a job that fails has an answer")
		}
		return err.Error()
	}
	for end := time.Now().Add(10 * time.Second); !strings.Contains(find(), "-budget=9s"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("older settings replaced newer ones: %s", find())
		}
	}
	c.Shutdown()
}

// TestFindingsThatCannotBeRead are reported once, by name and with what to do.
func TestFindingsThatCannotBeRead(t *testing.T) {
	c, root, _ := oddModule(t, "exit 2")
	write := func(name, data string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, ".hocket", "findings", name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("0badcafe.json", "\x00{")
	c.Initialize(lsptest.Object{"workspaceFolders": []any{lsptest.Object{"uri": "file://" + filepath.ToSlash(root), "name": "m"}}})
	says := func(all ...string) func(json.RawMessage) bool {
		return func(p json.RawMessage) bool {
			for _, s := range all {
				if !strings.Contains(string(p), s) {
					return false
				}
			}
			return true
		}
	}
	c.WaitNotification("window/showMessage", says("a finding is not shown", "0badcafe.json is corrupt", "delete it"))
	write("1badcafe.json", "{}")
	c.WaitNotification("window/showMessage", says("2 findings are not shown"))
	c.Shutdown()
	if n := len(c.Notifications("window/showMessage")); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// TestAReplayThatFailsNamesWhatItLeftOut: the text that it lacks may be why.
func TestAReplayThatFailsNamesWhatItLeftOut(t *testing.T) {
	c, uri := crowd(t)
	replay := func() string {
		_, err := c.Request("workspace/executeCommand", lsptest.Object{"command": "hocket.replay", "arguments": []any{lsptest.Object{"uri": uri, "id": "00000000"}}})
		if err == nil {
			t.Fatal("a job whose program is missing has an answer")
		}
		return err.Error()
	}
	const left = "unsaved text of m_test.go was left out"
	if got := replay(); strings.Contains(got, left) {
		t.Errorf("everything is saved: %s", got)
	}
	c.Change(uri, 2, lsptest.Edit{Range: &[4]int{0, 0, 0, 0}, Text: "// x\n"})
	if got := replay(); !strings.Contains(got, left) {
		t.Errorf("not told: %s", got)
	}
	c.Shutdown()
}
