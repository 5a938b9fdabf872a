package server

import (
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/lsp/files"
)

// outlineKey is what outlines are kept under.
type outlineKey struct{}

// outlineOf is what can be searched in a document. Editors ask for lenses at
// every turn, so the text is parsed once.
func outlineOf(f *files.File) []engine.Entry {
	return f.Derived(outlineKey{}, func() any { return engine.Outline(f.Path, []byte(f.Text)) }).([]engine.Entry)
}
