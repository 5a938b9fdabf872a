package lsptest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/lsp/lsptest"
)

// large is a Go file of 100,000 lines with 1,000 tests.
func large() string {
	var b strings.Builder
	b.WriteString("package a\n\nimport \"testing\"\n\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "func TestX%d(t *testing.T) {\n%s}\n", i, strings.Repeat("\tt.Log(\"a line of a test\")\n", 98))
	}
	return b.String()
}

func largeSession(b *testing.B) (c *lsptest.Client, uri string) {
	dir := module(b)
	c = connect(b)
	c.Initialize(lsptest.Object{"rootUri": "file://" + dir})
	uri = "file://" + filepath.ToSlash(filepath.Join(dir, "a_test.go"))
	c.Open(uri, large())
	return c, uri
}

// BenchmarkEdit: an edit, and a hover that waits for it.
func BenchmarkEdit(b *testing.B) {
	c, uri := largeSession(b)
	b.ReportAllocs()
	v := 1
	for b.Loop() {
		v++
		line := v * 7919 % 90_000
		c.Change(uri, v, lsptest.Edit{Range: &[4]int{line, 1, line, 1}, Text: "x"})
		c.Must("textDocument/hover", lsptest.At(uri, line, 2), nil)
	}
	b.StopTimer()
	c.Shutdown()
}

// BenchmarkLenses: the lenses of the same text again, as editors ask for them.
func BenchmarkLenses(b *testing.B) {
	c, uri := largeSession(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Must("textDocument/codeLens", lsptest.Object{"textDocument": lsptest.Object{"uri": uri}}, nil)
	}
	b.StopTimer()
	c.Shutdown()
}

// BenchmarkStart is from start to the answer to initialize.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := connect(b)
		c.Initialize(nil)
		c.Shutdown()
	}
}
