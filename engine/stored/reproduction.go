package stored

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hocket-dev/hocket/breakpoints/reproduce"
	"github.com/hocket-dev/hocket/breakpoints/reproduce/printed"
	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
	"github.com/hocket-dev/hocket/internal/words"
)

// TestOptions says for which finding to print a test.
type TestOptions struct {
	Dir        string // "" is the current folder
	ID         string // or the start of one
	Standalone bool   // needs nothing but the standard library
}

// hocketModule is what a short test imports a package of.
const hocketModule = "github.com/hocket-dev/hocket"

// Test returns a Go test file for the finding's package that reproduces the
// finding with plain go test. It is returned only if it did.
func Test(ctx context.Context, opt TestOptions, tell progress.Func) (string, error) {
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	s, err := OrderOf(ctx, opt.Dir, opt.ID, tell)
	if err != nil {
		return "", err
	}
	f, err := s.finding()
	if err != nil {
		return "", err
	}
	name, err := packageName(ctx, s.target)
	if err != nil {
		return "", err
	}
	tell(progress.Update{Phase: progress.Replaying, Target: s.Opened.Record.Package + " " + s.Opened.Record.Entry, Planned: ProofRuns, Left: -1})
	tmp, err := temp.Dir("reproduce")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	tried, err := reproduce.Count(ctx, s.target.Dir, tmp, f, ProofRuns)
	if err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("finding %s: %w", s.ID(), ctx.Err())
		}
		return "", fmt.Errorf("finding %s: %s", s.ID(), words.OneLine(err.Error()))
	}
	if tried.Failed < EnoughProof {
		return "", s.Unproved(tried.Failed, tried.Runs, words.FirstLine(tried.Why))
	}
	if !opt.Standalone && !requiresHocket(filepath.Join(s.Opened.Env.Module, "go.mod")) {
		tell(progress.Update{Message: "go.mod does not require " + hocketModule + ", so the test is printed in its standalone form", Left: -1})
		opt.Standalone = true
	}
	return printed.Test{Finding: f, Package: name, Order: tried.Order, Standalone: opt.Standalone}.File()
}

// packageName is the package's, without "_test".
func packageName(ctx context.Context, t instrument.Target) (string, error) {
	args := append([]string{"list", "-e", "-find", "-f", "{{.Name}}"}, slices.Concat(t.Flags, t.Overlay.Flags())...)
	cmd := process.Go(ctx, "go", append(args, ".")...)
	cmd.Dir, cmd.Env = t.Dir, t.Environ()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := process.Output(ctx, cmd)
	name := strings.TrimSpace(string(out))
	if err == nil && name == "" {
		err = errors.New("it has no name")
	}
	if err != nil {
		return "", fmt.Errorf("look at the package in %s: %w %s", filepath.Base(t.Dir), err, words.OneLine(errs.String()))
	}
	return name, nil
}

// requiresHocket reports whether the module requires Hocket: only then can a
// test import the library.
func requiresHocket(gomod string) bool {
	data, err := os.ReadFile(gomod)
	if err != nil {
		return false
	}
	f, err := modfile.ParseLax(gomod, data, nil)
	if err != nil {
		return false
	}
	for _, r := range f.Require {
		if r.Mod.Path == hocketModule {
			return true
		}
	}
	return f.Module != nil && f.Module.Mod.Path == hocketModule
}
