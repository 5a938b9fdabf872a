package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine"
	"github.com/hocket-dev/hocket/engine/trace"
)

// record runs one test of a published module under control and keeps its trace in
// a file in dir. A run that passed is what a search starts from.
func record(ctx context.Context, module, pattern, test, dir string) (file string, events int, err error) {
	src := filepath.Join(dir, "module")
	if err := copyModule(ctx, module, src); err != nil {
		return "", 0, err
	}
	p, err := harness.OpenProgram(ctx, engine.FindOptions{Dir: src, Patterns: []string{pattern}, Run: "^" + test + "$"})
	if err != nil {
		return "", 0, fmt.Errorf("%s of %s: %w", test, module, err)
	}
	defer p.Close()
	t, err := p.Record(ctx, 1)
	if err != nil {
		return "", 0, fmt.Errorf("%s of %s: %w", test, module, err)
	}
	file = filepath.Join(dir, "run.trace")
	f, err := os.Create(file)
	if err != nil {
		return "", 0, err
	}
	err = trace.Write(f, t)
	return file, len(t.Events), errors.Join(err, f.Close())
}

// copyModule puts a copy of a module into dir: what is downloaded is read-only.
func copyModule(ctx context.Context, module, dir string) error {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go mod download %s: %w: %s%s", module, err, out, errs.Bytes())
	}
	var info struct{ Dir string }
	if err := json.Unmarshal(out, &info); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return os.Chmod(path, 0o644)
	})
}
