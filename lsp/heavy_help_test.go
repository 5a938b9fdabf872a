package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/lsp"
	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

type object = lsptest.Object

// built is the program under test: made when first asked for, once.
type built struct {
	once sync.Once
	dir  string
	err  error
}

var binary built

func (b *built) make() {
	if b.dir, b.err = os.MkdirTemp("", "hocket-heavy-"); b.err != nil {
		return
	}
	if out, err := exec.Command("go", "build", "-o", b.dir, "../cmd/hocket").CombinedOutput(); err != nil {
		b.err = fmt.Errorf("build hocket: %w\n%s", err, out)
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(binary.dir)
	os.Exit(code)
}

func hocket(t *testing.T) string {
	t.Helper()
	binary.once.Do(binary.make)
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	bin := filepath.Join(binary.dir, "hocket")
	built := version.Of(bin)
	version.Build = func() string { return built }
	return bin
}

// threeTests is a fresh module with TestTwoCustomers and TestClosingTime, which
// have bugs, and TestAdd, which has none.
func threeTests(t *testing.T) (root string) {
	t.Helper()
	ar, err := txtar.ParseFile("testdata/three.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if root, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		if err := os.WriteFile(filepath.Join(root, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// connect starts a server in this process and a session with it.
func connect(t *testing.T, command ...string) *lsptest.Client {
	t.Helper()
	if len(command) == 0 {
		command = []string{hocket(t)}
	}
	c := served(t, command...)
	c.Initialize(nil)
	return c
}

// served starts a server in this process, for a client that is to initialize it.
func served(t *testing.T, command ...string) *lsptest.Client {
	return lsptest.Connect(t, func(in io.Reader, out io.Writer) error {
		return lsp.Serve(context.Background(), lsp.Options{In: in, Out: out, Command: command})
	})
}

// leaks fails the test if it leaves goroutines of this process behind.
func leaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

func file(root string) string { return string(protocol.FileURI(filepath.Join(root, "till_test.go"))) }

func run(c *lsptest.Client, command string, arg object) lsptest.Pending {
	return c.Begin("workspace/executeCommand", object{"command": command, "arguments": []any{arg}})
}

// answer decodes what a request was answered with.
func answer[T any](t *testing.T, p lsptest.Pending) T {
	t.Helper()
	raw, err := p.Wait()
	var v T
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type (
	found struct {
		Status, Message string
		Findings        []string
		Report          *engine.Report
	}
	listed struct {
		Findings []struct {
			ID, Entry, State, Headline string
			Location                   *protocol.Location
			Replay                     struct{ Runs, Failed int }
		}
		Jobs []struct{ ID, Title, State string }
	}
)

func list(t *testing.T, c *lsptest.Client, root string) listed {
	t.Helper()
	return answer[listed](t, run(c, "hocket.list", object{"uri": file(root)}))
}

// until waits for a state of the list.
func until(t *testing.T, c *lsptest.Client, root, what string, ok func(listed) bool) listed {
	t.Helper()
	for end := time.Now().Add(lsptest.Limit); ; time.Sleep(20 * time.Millisecond) {
		l := list(t, c, root)
		if ok(l) {
			return l
		}
		if time.Now().After(end) {
			t.Fatalf("never %s: %+v", what, l)
		}
	}
}

// readable fails the test if anything in the store of a module can't be read.
func readable(t *testing.T, root string) []*engine.Stored {
	t.Helper()
	f := engine.OpenModule(root).Findings()
	for _, p := range f.Problems {
		t.Errorf("the store: %v", p)
	}
	return f.All
}

func entriesOf(l listed) (entries []string) {
	for _, f := range l.Findings {
		entries = append(entries, f.Entry)
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}
