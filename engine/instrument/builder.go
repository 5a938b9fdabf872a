// Package instrument builds the user's program for Hocket: under control
// (compiler hooks and an overlaid runtime), and with points injected at a few
// places (package points).
//
// Invariants:
//   - No file of the user's is changed, and none is read beyond what go build
//     reads; everything goes through go build -overlay and compiler flags.
//   - An edit of the Go distribution's sources applies exactly once or the
//     build fails with the name of the place.
//   - Programs are built with CGO_ENABLED=0: no C compiler is needed.
package instrument

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hocket-dev/hocket/internal/process"
)

// Binary is a built program.
type Binary struct {
	Path   string // of the executable
	Target Target
	Toolchain
	Pinned bool // compiled as for production: no hooks at plain accesses
	Debug  bool // the user's packages are compiled without optimisation
	// Recording: Go's own scheduler, with a runtime that can record and follow an order.
	Recording bool
	// Blind lists calls whose accesses no trace contains, such as
	// "os.ReadFile": they rule out proofs.
	Blind []string
	// Content identifies what the executable holds: the builder leaves it empty.
	Content string
	// Collects: the program could tell when memory is collected.
	Collects bool
}

// Toolchain is the Go distribution that a module is built with.
type Toolchain struct {
	GOROOT  string // where its sources are read; a link if it lies below the module cache
	Version string // "go1.26.8"
	ModPath string // GOMODCACHE
	env     []string
	goCmd   string
}

// Builder builds programs. Overlays and binaries go below its folder.
type Builder struct {
	dir string

	mu       sync.Mutex
	overlays map[string]string // kind of build and toolchain GOROOT -> overlay description
}

// NewBuilder returns a builder that keeps its files in dir, an absolute path.
func NewBuilder(dir string) *Builder {
	return &Builder{dir: dir, overlays: map[string]string{}}
}

// Control builds the target for controlled runs. Tests of one package share a
// binary, so Entry does not matter to the result.
func (b *Builder) Control(ctx context.Context, t Target) (*Binary, error) {
	return b.control(ctx, t, Binary{})
}

// Debug builds the target for controlled runs under a debugger: as Control,
// but variables of the user's packages are where their declarations say, and
// each line has code of its own. Places of hooks differ from Control's.
func (b *Builder) Debug(ctx context.Context, t Target) (*Binary, error) {
	return b.control(ctx, t, Binary{Debug: true})
}

// Pinned builds the target as for production, under the controlled runtime:
// synchronisation is under control, plain accesses are compiled without hooks.
func (b *Builder) Pinned(ctx context.Context, t Target) (*Binary, error) {
	return b.control(ctx, t, Binary{Pinned: true})
}

// Plain builds the target as a go build does, with the texts of its overlay.
func (b *Builder) Plain(ctx context.Context, t Target) (*Binary, error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, err
	}
	bin := &Binary{Target: t, Toolchain: *tc}
	flags := t.Overlay.Flags()
	bin.Path = filepath.Join(b.dir, "bin", "plain-"+binaryName(t, tc, fmt.Sprint(flags), *bin))
	if err := os.MkdirAll(filepath.Dir(bin.Path), 0o777); err != nil {
		return nil, err
	}
	return bin, t.Compile(ctx, tc.goCmd, bin.Path, flags, tc.env)
}

// control builds the variant that the kind's Pinned and Debug select.
func (b *Builder) control(ctx context.Context, t Target, kind Binary) (*Binary, error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, err
	}
	overlay, err := b.overlay(tc)
	if err != nil {
		return nil, err
	}
	// A binary of unsaved texts has a name of its own.
	if overlay, err = t.Overlay.With(overlay); err != nil {
		return nil, err
	}
	out := filepath.Join(b.dir, "bin", binaryName(t, tc, overlay, kind))
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return nil, err
	}
	flags := []string{"-overlay", overlay, "-trimpath=false"}
	if !kind.Pinned {
		flags = append(flags, gcflags(kind.Debug)...)
	}
	if err := t.Compile(ctx, tc.goCmd, out, flags, append(slices.Clone(tc.env), "CGO_ENABLED=0")); err != nil {
		if be := (*BuildError)(nil); errors.As(err, &be) {
			if cgo := tc.cgo(ctx, t); cgo != nil {
				return nil, cgo
			}
		}
		return nil, err
	}
	calls, err := tc.blind(ctx, t)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", t.ImportPath, err)
	}
	kind.Collects = slices.ContainsFunc(calls, tellsCollection)
	if !kind.Pinned {
		kind.Blind = calls
	}
	kind.Path, kind.Target, kind.Toolchain = out, t, *tc
	return &kind, nil
}

// gcflags makes the compiler call the race hooks at possibly shared accesses
// (cmd/compile -race), except in packages whose accesses are either covered by
// sync's and runtime's own events or of no interest: there, atomics stay
// machine instructions and no switch points arise.
//
// For a debugger only what is outside std loses its optimisation: an atomic
// method of std that is not inlined would be a switch point in packages where
// it is none, and schedules would not hold.
func gcflags(debug bool) []string {
	const hooks = "-race -d=checkptr=0"
	out := []string{"-gcflags=all=" + hooks}
	if debug {
		out = []string{"-gcflags=all=" + hooks + " -N -l", "-gcflags=std=" + hooks}
	}
	for _, p := range []string{
		"runtime/...", "internal/...", "sync", "os", "os/exec", "os/signal", "syscall",
		"testing", "testing/internal/...", "time", "fmt", "strconv", "unicode/...", "flag", "io/fs", "path/...",
		"reflect", "errors", "math/...", "unsafe", "crypto/...", "vendor/...", "regexp/...", "net", "compress/...",
	} {
		out = append(out, "-gcflags="+p+"=")
	}
	return out
}

// Unsaved is in the names of programs built of texts that are not on disk: each
// text has a program of its own.
const Unsaved = "-unsaved"

func binaryName(t Target, tc *Toolchain, overlay string, kind Binary) string {
	h := sha256.New()
	fmt.Fprintln(h, t.Dir, t.ImportPath, t.Test, t.Flags, t.Env, tc.Version, overlay, kind.Pinned)
	if kind.Debug {
		fmt.Fprintln(h, "debug")
	}
	if kind.Recording {
		fmt.Fprintln(h, "recording")
	}
	base := filepath.Base(t.ImportPath)
	if t.Test {
		base += ".test"
	}
	if t.Overlay != nil {
		base += Unsaved
	}
	return base + "-" + hex.EncodeToString(h.Sum(nil))[:12]
}

// overlay writes the overlay of a toolchain for control once.
func (b *Builder) overlay(tc *Toolchain) (string, error) {
	return b.writtenOverlay(tc, "control", overlayFiles)
}

// writtenOverlay writes what a kind of build changes in a toolchain once.
func (b *Builder) writtenOverlay(tc *Toolchain, kind string, make func(goroot string) (map[string][]byte, error)) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := kind + " " + tc.GOROOT
	if o := b.overlays[key]; o != "" {
		return o, nil
	}
	files, err := make(tc.GOROOT)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", kind, tc.Version, err)
	}
	o, err := writeOverlay(filepath.Join(b.dir, "overlay", tc.Version), tc.GOROOT, files)
	if err != nil {
		return "", fmt.Errorf("write the runtime overlay: %w", err)
	}
	b.overlays[key] = o
	return o, nil
}

// Toolchain asks the go command which distribution builds the target.
func (b *Builder) Toolchain(ctx context.Context, t Target) (*Toolchain, error) {
	cmd := process.Go(ctx, "go", "env", "-json", "GOROOT", "GOVERSION", "GOMODCACHE")
	cmd.Dir = t.Dir
	cmd.Env = t.Environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := process.Output(ctx, cmd)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("no go command in PATH: install Go 1.26 or 1.27")
		}
		return nil, fmt.Errorf("go env in %s: %w: %s", t.Dir, err, strings.TrimSpace(stderr.String()))
	}
	var v struct{ GOROOT, GOVERSION, GOMODCACHE string }
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	tc := &Toolchain{GOROOT: v.GOROOT, Version: v.GOVERSION, ModPath: v.GOMODCACHE, goCmd: "go"}
	if v.GOMODCACHE != "" && strings.HasPrefix(v.GOROOT, v.GOMODCACHE+string(filepath.Separator)) {
		// Overlays of files below the module cache are refused: go
		// through a link outside it.
		link := filepath.Join(b.dir, "toolchain", v.GOVERSION)
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			return nil, err
		}
		if at, err := os.Readlink(link); err != nil || at != v.GOROOT {
			os.Remove(link)
			if err := os.Symlink(v.GOROOT, link); err != nil && !errors.Is(err, os.ErrExist) {
				return nil, err
			}
		}
		tc.GOROOT = link
		tc.goCmd = filepath.Join(link, "bin", "go")
		tc.env = []string{"GOROOT=" + link, "GOTOOLCHAIN=local"}
	}
	return tc, nil
}

// Command returns a go command of this toolchain in the target's folder. Run it
// with the functions of package internal/process.
func (tc *Toolchain) Command(ctx context.Context, t Target, args ...string) *exec.Cmd {
	cmd := process.Go(ctx, tc.goCmd, args...)
	cmd.Dir = t.Dir
	cmd.Env = append(t.Environ(), tc.env...)
	return cmd
}
