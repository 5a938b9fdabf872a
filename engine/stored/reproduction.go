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
	Split      bool   // the library of a standalone test is a file of its own
}

// PrintedTest is a test that reproduces a finding.
type PrintedTest struct {
	Dir  string // the folder of the package, where its files belong
	Name string // of the test: TestHocket...
	File string // a name for its file
	Text string
	// Library is the text of a second file, LibraryFile; "" if there is none.
	Library, LibraryFile string
}

// hocketModule is what a short test imports a package of.
const hocketModule = "github.com/hocket-dev/hocket"

// Test returns a Go test for the finding's package that reproduces the finding with
// plain go test. It is returned only if it did.
func Test(ctx context.Context, opt TestOptions, tell progress.Func) (*PrintedTest, error) {
	if tell == nil {
		tell = func(progress.Update) {}
	}
	ctx, done := process.Guard(ctx)
	defer done()
	s, err := OrderOf(ctx, opt.Dir, opt.ID, tell)
	if err != nil {
		return nil, err
	}
	if m := s.Opened.Record.Schedule.Memory; m != "" {
		return nil, fmt.Errorf("finding %s happens under the memory model %s, which no test brings about with plain go test: look for one of the data race that it is (hocket find), with atomics or a lock", opt.ID, m)
	}
	f, err := s.finding()
	if err != nil {
		return nil, err
	}
	name, err := packageName(ctx, s.target)
	if err != nil {
		return nil, err
	}
	tell(progress.Update{Phase: progress.Replaying, Target: s.Opened.Record.Package + " " + s.Opened.Record.Entry, Planned: ProofRuns, Left: -1})
	tmp, err := temp.Dir("reproduce")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	tried, err := reproduce.Count(ctx, s.target.Dir, tmp, f, ProofRuns)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("finding %s: %w", s.ID(), ctx.Err())
		}
		return nil, fmt.Errorf("finding %s: %s", s.ID(), words.OneLine(err.Error()))
	}
	if tried.Failed < EnoughProof {
		return nil, s.Unproved(tried.Failed, tried.Runs, words.FirstLine(tried.Why))
	}
	if !opt.Standalone && !requiresHocket(filepath.Join(s.Opened.Env.Module, "go.mod")) {
		tell(progress.Update{Message: "go.mod does not require " + hocketModule + ", so the test is printed in its standalone form", Left: -1})
		opt.Standalone = true
	}
	t := printed.Test{Finding: f, Package: name, Order: tried.Order, Standalone: opt.Standalone, Split: opt.Split && opt.Standalone}
	p := &PrintedTest{Dir: s.target.Dir, Name: t.Name(), File: "hocket_" + s.ID() + "_test.go"}
	if p.Text, err = t.File(); err == nil && t.Split {
		p.LibraryFile = printed.LibraryFile
		p.Library, err = t.Library()
	}
	return p, err
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
