package instrument

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/engine/rt"
)

// recordOverlay returns the files of a recording build that differ from the Go
// distribution at goroot, as overlayFiles does for control.
func recordOverlay(goroot string) (map[string][]byte, error) {
	out := map[string][]byte{}
	src := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
	}
	for name, apply := range recordEdits() {
		text, err := src(name)
		if err != nil {
			return nil, fmt.Errorf("this Go distribution lacks a file that recording needs: %w", err)
		}
		e, err := newSourceEdit(name, text)
		if err != nil {
			return nil, err
		}
		apply(e)
		if out[name], err = e.bytes(); err != nil {
			return nil, fmt.Errorf("this Go version's runtime is not known to Hocket's recorder: %w", err)
		}
	}
	if err := addRecorder(out); err != nil {
		return nil, err
	}
	users, err := filesOf(goroot, "sync", "internal/sync")
	if err != nil {
		return nil, err
	}
	const fileLock = "internal/poll/fd_mutex.go"
	if err := addRawAtomics(src, append(users, fileLock), out); err != nil {
		return nil, err
	}
	if !bytes.Contains(out[fileLock], []byte(rawAtomics)) {
		return nil, fmt.Errorf("%s does not import sync/atomic: this Go version is not known to Hocket's recorder", fileLock)
	}
	return out, addRecordedAtomics(src, out)
}

// filesOf lists the Go files of packages of the distribution, tests left out.
func filesOf(goroot string, pkgs ...string) ([]string, error) {
	var out []string
	for _, pkg := range pkgs {
		entries, err := os.ReadDir(filepath.Join(goroot, "src", filepath.FromSlash(pkg)))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if n := e.Name(); strings.HasSuffix(n, ".go") && !strings.HasSuffix(n, "_test.go") {
				out = append(out, pkg+"/"+n)
			}
		}
	}
	return out, nil
}

// addRecorder adds engine/rt/record, and its constants to each package that has
// operations.
func addRecorder(out map[string][]byte) error {
	err := fs.WalkDir(rt.Record, "record", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := rt.Record.ReadFile(p)
		if err != nil {
			return err
		}
		out[strings.TrimPrefix(p, "record/")] = bytes.Replace(text, []byte(overlayTag), nil, 1)
		return nil
	})
	if err != nil {
		return err
	}
	for _, pkg := range []string{"runtime", "sync", "sync/atomic", "internal/poll"} {
		layout, err := prefixed(rt.RecordLayout, path.Base(pkg))
		if err != nil {
			return err
		}
		out[pkg+"/hk_layout.go"] = layout
	}
	return nil
}
