package protocol

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// URI names a document, in the canonical spelling of go.lsp.dev/uri, which is
// VS Code's. Documents that are not files have other schemes: untitled:, git:,
// vscode-notebook-cell: and what else editors think of.
type URI = uri.URI

// FileURI is the URI of a file.
func FileURI(path string) URI { return uri.File(filepath.Clean(path)) }

// Path is the cleaned absolute path of the file that a URI stands for. It is
// not ok if it stands for none: another scheme, another host, a path of another
// operating system.
func Path(u URI) (path string, ok bool) {
	if !u.IsFile() || u.Query() != "" || u.Fragment() != "" || strings.ContainsRune(u.Path(), 0) {
		return "", false
	}
	if host := u.Authority(); host != "" && host != "localhost" {
		return "", false
	}
	path = filepath.Clean(filepath.FromSlash(u.Path()))
	if drive := strings.TrimLeft(path, `/\`); len(drive) > 1 && drive[1] == ':' {
		path = u.FsPath()
	}
	if !filepath.IsAbs(path) {
		return "", false
	}
	return path, true
}

// SameDocument makes URIs comparable: two spellings of one file's name, such as
// file:///a/./b and file:///a/b, give the same URI.
func SameDocument(u URI) URI {
	if path, ok := Path(u); ok {
		return FileURI(path)
	}
	return u
}

// ParseURI reads a URI in any spelling.
func ParseURI(s string) (URI, error) { return uri.Parse(s) }
