package server

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
	"github.com/hocket-dev/hocket/lsp/protocol"
)

// spy is a feature that tells which modules the server watches at each refresh,
// and answers test/module with the root of a document's module.
func spy(s *Server) *feature {
	type roots struct {
		Roots []string `json:"roots"`
	}
	return &feature{
		name: "spy",
		refresh: func(ctx context.Context, _ View) {
			var r roots
			for _, m := range s.Modules() {
				r.Roots = append(r.Roots, m.Root())
			}
			slices.Sort(r.Roots)
			s.conn.Notify(ctx, "test/modules", r) //nolint:errcheck // the test waits for it
		},
		requests: map[string]prepareFunc{"test/module": onRequest(s, func(ctx context.Context, _ View, p *protocol.TextDocumentIdentifier) (any, error) {
			m, ok := s.ModuleOf(p.URI)
			if !ok {
				return "none", nil
			}
			return map[string]any{"root": m.Root(), "findings": len(m.Findings(ctx).All)}, nil
		})},
	}
}

func waitForModules(c *lsptest.Client, roots ...string) {
	slices.Sort(roots)
	want, _ := json.Marshal(map[string]any{"roots": roots}) //nolint:errcheck // strings
	c.WaitNotification("test/modules", func(p json.RawMessage) bool { return string(p) == string(want) })
}

func TestModulesComeAndGo(t *testing.T) {
	dir := tree(t, "a/go.mod", "b/go.mod", "../other/go.mod", "x.go")
	a, b, other := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(filepath.Dir(dir), "other")
	uri := func(parts ...string) string { return string(protocol.FileURI(filepath.Join(parts...))) }
	folder := lsptest.Object{"uri": uri(dir), "name": "w"}
	c := withFeature(t, spy)
	c.Initialize(lsptest.Object{"workspaceFolders": []any{folder}})
	waitForModules(c, a, b)
	c.Open(uri(other, "deep", "o.go"), "package o\n") // the file need not exist
	waitForModules(c, a, b, other)
	c.Open("untitled:x", "package x\n")
	c.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{"added": []any{}, "removed": []any{folder}}})
	waitForModules(c, other)
	c.Notify("workspace/didChangeWorkspaceFolders", lsptest.Object{"event": lsptest.Object{"added": []any{folder}, "removed": []any{}}})
	waitForModules(c, a, b, other)
	c.Close(uri(other, "deep", "o.go"))
	waitForModules(c, a, b)
	for u, want := range map[string]string{
		uri(a, "y.go"):    `{"findings":0,"root":"` + a + `"}`,
		uri(dir, "x.go"):  `"none"`,
		"untitled:x":      `"none"`,
		"git:" + a + "/y": `"none"`,
	} {
		if got, err := c.Request("test/module", lsptest.Object{"uri": u}); string(got) != want || err != nil {
			t.Errorf("the module of %s is %s, %v; want %s", u, got, err, want)
		}
	}
	c.Shutdown()
}

// TestAModuleThatIsMade: a file without a module gets one.
func TestAModuleThatIsMade(t *testing.T) {
	dir := tree(t, "x.go")
	c := withFeature(t, spy)
	c.Initialize(lsptest.Object{"rootUri": string(protocol.FileURI(dir))})
	u := string(protocol.FileURI(filepath.Join(dir, "x.go")))
	if got, _ := c.Request("test/module", lsptest.Object{"uri": u}); string(got) != `"none"` {
		t.Errorf("before: %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := c.Request("test/module", lsptest.Object{"uri": u}); !strings.Contains(string(got), dir) {
		t.Errorf("after: %s", got)
	}
	c.Shutdown()
}

// TestAModuleForgottenBeforeItWasRead: whoever holds it gets its findings.
func TestAModuleForgottenBeforeItWasRead(t *testing.T) {
	dir := tree(t, "go.mod")
	c := withFeature(t, func(s *Server) *feature {
		return &feature{name: "test", requests: map[string]prepareFunc{"test/forget": onRequest(s, func(ctx context.Context, _ View, _ *none) (any, error) {
			for range 200 {
				m := s.workspace.modules.open(dir)
				s.workspace.modules.keep(nil)
				if m.Findings(ctx) == nil {
					return nil, ctx.Err()
				}
			}
			return "read", nil
		})}}
	})
	c.Initialize(nil)
	if got, err := c.Request("test/forget", nil); string(got) != `"read"` || err != nil {
		t.Error(string(got), err)
	}
	c.Shutdown()
}
