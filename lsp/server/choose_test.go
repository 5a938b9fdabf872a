package server_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// A report of a child: TestX is proved, TestY was searched.
const cleanReport = `{"version":1,"package":"m","targets":[
	{"package":"m","entry":"TestX","status":"clean","note":"proved: every behaviour of 4 goroutines is covered by 7 runs","searched":{"attempts":7}},
	{"package":"m","entry":"TestY","status":"searched","searched":{"attempts":2000,"earlier":1000}}],"findings":[]}`

// TestVerdicts: what a search came to is shown above the test for the texts that were
// searched: not after an edit, in whatever file of the module, and again when it is undone.
func TestVerdicts(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := filepath.Join(t.TempDir(), "m")
	text := "package m\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { sub() }\n\nfunc TestY(t *testing.T) {}\n"
	other := "package m\n\nfunc sub() {}\n"
	if err := os.MkdirAll(root, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": text, "m.go": other} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	printed := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(printed, []byte(cleanReport), 0o666); err != nil {
		t.Fatal(err)
	}
	c := lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: []string{"/bin/sh", "-c", "cat " + printed}})
	})
	var mu sync.Mutex
	var asked [][]string
	c.Handle("window/showMessageRequest", func(raw json.RawMessage) (any, error) {
		var p struct {
			Message string
			Actions []struct{ Title string }
		}
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, err
		}
		all := []string{p.Message}
		for _, a := range p.Actions {
			all = append(all, a.Title)
		}
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, all)
		return lsptest.Object{"title": p.Actions[0].Title}, nil
	})
	uri := "file://" + filepath.ToSlash(filepath.Join(root, "m_test.go"))
	uriOther := "file://" + filepath.ToSlash(filepath.Join(root, "m.go"))
	c.Initialize(nil)
	c.Open(uri, text)
	c.Open(uriOther, other)
	lenses := func() (out []string) {
		var ls []struct{ Command struct{ Title string } }
		c.Must("textDocument/codeLens", lsptest.Object{"textDocument": lsptest.Object{"uri": uri}}, &ls)
		for _, l := range ls {
			out = append(out, l.Command.Title)
		}
		return out
	}
	shows := func(when string, want ...string) {
		t.Helper()
		end := time.Now().Add(lsptest.Limit)
		for got := lenses(); !slices.Equal(got, want); got = lenses() {
			if time.Now().After(end) {
				t.Fatalf("%s: lenses are %q, want %q", when, got, want)
			}
			time.Sleep(10 * time.Millisecond) // between looks, not instead of one
		}
	}
	const idle = "find failing schedule"
	found := []string{"✓ all schedules (7 runs) ▸", "✓ no failure in 3000 schedules ▸"}
	shows("at first", idle, idle)
	do := func(command string, arg lsptest.Object) {
		c.Must("workspace/executeCommand", lsptest.Object{"command": command, "arguments": []any{arg}}, nil)
	}
	do("hocket.find", lsptest.Object{"uri": uri})
	shows("searched", found...)
	c.Change(uriOther, 2, lsptest.Edit{Text: other + "\nvar x int\n"})
	shows("another file edited", idle, idle)
	c.Change(uriOther, 3, lsptest.Edit{Text: other})
	shows("undone", found...)
	added := filepath.Join(root, "new.go")
	if err := os.WriteFile(added, []byte("package m\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	shows("a file added by others", idle, idle)
	if err := os.Remove(added); err != nil {
		t.Fatal(err)
	}
	shows("and removed", found...)

	// The client asks nobody itself: the server does, and does what is chosen.
	do("hocket.choose", lsptest.Object{"uri": uri, "entry": "TestX"})
	want := []string{"TestX: no schedule fails, proved: every behaviour of 4 goroutines is covered by 7 runs", "Search again"}
	c.Until("the question", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(asked) == 1 && slices.Equal(asked[0], want)
	})
	told := func(raw json.RawMessage) bool {
		return strings.Contains(string(raw), "TestX: nothing found (2007 schedules tried)")
	}
	for end := time.Now().Add(lsptest.Limit); !slices.ContainsFunc(c.Notifications("window/showMessage"), told); {
		if time.Now().After(end) {
			t.Fatalf("the search that was chosen did not end\n%s", c.Transcript())
		}
		time.Sleep(10 * time.Millisecond) // between looks, not instead of one
	}
	c.Shutdown()
}
