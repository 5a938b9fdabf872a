package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/hocket-dev/hocket/engine/rounds"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// Counted is the target with sources whose loops count their rounds, and how many loops
// do. Only those of the main modules: the files of others can't be replaced.
func (d *Driver) Counted(ctx context.Context, t target.Target, flags target.Flags) (target.Target, int, error) {
	files, err := d.mainFiles(ctx, t, flags)
	if err != nil {
		return t, 0, fmt.Errorf("count the loops of %s: %w", t.Package, err)
	}
	texts, loops := map[string][]byte{}, 0
	for _, name := range files {
		text, err := t.Overlay.ReadFile(name)
		if err != nil {
			return t, 0, fmt.Errorf("count the loops of %s: %w", t.Package, err)
		}
		counted, n, err := rounds.Count(name, text)
		if err != nil {
			return t, 0, err
		}
		if loops += n; n > 0 {
			texts[name] = counted
		}
	}
	copies, err := UnsavedDir()
	if err != nil {
		return t, 0, err
	}
	t.Overlay, err = t.Overlay.Including(copies, texts)
	return t, loops, err
}

// mainFiles are the Go files of main modules that a target consists of, without those
// that use cgo.
func (d *Driver) mainFiles(ctx context.Context, t target.Target, flags target.Flags) (files []string, err error) {
	args := []string{"list", "-deps", "-json=Dir,GoFiles,TestGoFiles,XTestGoFiles,Module"}
	args = append(append(args, flags.List()...), t.Overlay.Flags()...)
	out, err := d.env.Go(ctx, append(args, "--", t.Package)...)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errors.New(words.OneLine(err.Error()))
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir                                string
			GoFiles, TestGoFiles, XTestGoFiles []string
			Module                             *struct{ Main bool }
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the answer of go list: %w", err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		names := p.GoFiles
		if !t.Main && p.Dir == t.Dir {
			names = slices.Concat(names, p.TestGoFiles, p.XTestGoFiles)
		}
		for _, name := range names {
			files = append(files, filepath.Join(p.Dir, name))
		}
	}
}
