package present

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPieces: a declaration that is parsed alone gives the spans of the whole text, in
// this package's own sources and in texts that only look like declarations.
func TestPieces(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"package p\n\nfunc f() {\n\tx := `\nfunc g() {\n\ts.n = 1\n}\n`\n\ty.z = x\n}\n\nfunc h() { a.b = 2 }\n",
		"package p\n\n/*\nfunc g() {\n\ts.n = 1\n}\n*/\nfunc h() { a.b = 2 }\n",
		"package p\n\nfunc f() {\n\ta.b = 1\n\nfunc h() { a.b = 2 }\n",
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	narrow := 0
	for _, text := range texts {
		lines := strings.Split(text, "\n")
		pieces, whole := newSyntax(text, lines), newSyntax(text, lines)
		whole.starts = nil
		for i, line := range lines {
			for col := range len(line) + 1 {
				got, want := pieces.span(i+1, line, col), whole.span(i+1, line, col)
				// Where a broken declaration hides those after it, a piece tells more.
				if got != want && want != trimmed(i+1, line) && !inComment(text, i) {
					t.Fatalf("column %d of %q: %v, want %v", col, line, got, want)
				}
				if got != trimmed(i+1, line) {
					narrow++
				}
			}
		}
	}
	if narrow == 0 {
		t.Error("no span is smaller than its line")
	}
}

// inComment reports whether a line is in what only looks like a declaration, where a
// finding has no line.
func inComment(text string, line int) bool {
	before := strings.Join(strings.Split(text, "\n")[:line], "\n")
	return strings.Count(before, "`")%2 == 1 || strings.Count(before, "/*") > strings.Count(before, "*/")
}
