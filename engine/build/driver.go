package build

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/words"
)

// Mode is how a program is built.
type Mode string

const (
	Control Mode = "control" // with access hooks, under the controlled scheduler
	Pinned  Mode = "pinned"  // compiled as for production, under the controlled scheduler
	Debug   Mode = "debug"   // as Control, without optimisations, for a debugger
	Plain   Mode = "plain"   // as the user would
	Record  Mode = "record"  // as the user would, under Go's scheduler; it can record and follow an order
)

// Driver builds the programs of one environment and makes runners of them. Tests
// of one package share a binary. Its methods may be called by several goroutines.
type Driver struct {
	env     *target.Env
	builder *instrument.Builder

	mu       sync.Mutex
	binaries map[string]*built // by package and kind
	runners  []*process.Runner
	links    []string // of binaries, this process's own
}

// built is the result of one build, whether it succeeded or not: a package that
// does not compile is compiled once, not once for each of its tests.
type built struct {
	making sync.Mutex // held during the build
	done   bool
	bin    *instrument.Binary
	sym    *site.Index // for all runners of bin
	err    error
}

// New returns a driver for the environment.
func New(env *target.Env) (*Driver, error) {
	dir, err := CacheDir()
	if err != nil {
		return nil, err
	}
	// Where a downloaded toolchain is built through a link (instrument).
	// It is written once: others may read it by then.
	if link := filepath.Join(dir, "toolchain", env.GoVersion); env.Link != link {
		env.Link = link
	}
	prune(filepath.Join(dir, "bin"))
	return &Driver{env: env, builder: instrument.NewBuilder(dir), binaries: map[string]*built{}}, nil
}

// Unused is how old a built program must be to be removed: each change of the
// user's sources or flags leaves one behind.
const Unused = 3 * 24 * time.Hour

// unusedText is the same for programs of unsaved texts: they are not built
// again, and a day in an editor makes hundreds.
const unusedText = 12 * time.Hour

func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // there is nothing yet
	}
	for _, e := range entries {
		limit := Unused
		if strings.Contains(e.Name(), instrument.Unsaved+"-") {
			limit = unusedText
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > limit {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// Runner builds a target, unless that has been done, and returns its runner. Who
// asks for a program that is being built waits for it; others don't.
func (d *Driver) Runner(ctx context.Context, t target.Target, flags target.Flags, mode Mode) (*process.Runner, error) {
	it := Target(d.env, t, flags)
	b, err := d.built(ctx, it, mode, fmt.Sprint(mode, " ", t.Package, " ", t.Main))
	if err != nil {
		return nil, err
	}
	own := *b.bin
	own.Target = it
	p, err := process.New(&own, b.sym)
	if err == nil {
		d.mu.Lock()
		d.runners = append(d.runners, p)
		d.mu.Unlock()
	}
	return p, err
}

// Program builds a target, unless that has been done, for who runs it by other means.
// The file is there until the driver is closed.
func (d *Driver) Program(ctx context.Context, t target.Target, flags target.Flags, mode Mode) (*instrument.Binary, error) {
	it := Target(d.env, t, flags)
	b, err := d.built(ctx, it, mode, fmt.Sprint(mode, " ", t.Package, " ", t.Main))
	if err != nil {
		return nil, err
	}
	own := *b.bin
	own.Target = it
	return &own, nil
}

// RecordFlags are what a go command in a folder is given so that all that it builds
// records.
func (d *Driver) RecordFlags(ctx context.Context, dir string) (flags, env []string, err error) {
	return d.builder.RecordFlags(ctx, instrument.Target{Dir: dir, Env: d.env.Extra})
}

// built returns what the build of a program gave.
func (d *Driver) built(ctx context.Context, it instrument.Target, mode Mode, key string) (*built, error) {
	d.mu.Lock()
	b := d.binaries[key]
	if b == nil {
		b = &built{}
		d.binaries[key] = b
	}
	d.mu.Unlock()
	b.making.Lock()
	defer b.making.Unlock()
	if !b.done {
		bin, err := d.build(ctx, it, mode)
		if ctx.Err() != nil {
			return nil, ctx.Err() // the next to ask may have more time
		}
		b.done, b.bin, b.err = true, bin, d.explain(err, it.Dir)
		if err == nil {
			bin.Content = sum(bin.Path)
			d.own(bin)
			b.sym = site.NewIndex(bin.Path)
		}
	}
	return b, b.err
}

// sum identifies the content of a program, "" if it can't be read.
func sum(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (d *Driver) build(ctx context.Context, t instrument.Target, mode Mode) (*instrument.Binary, error) {
	switch mode {
	case Control:
		return d.builder.Control(ctx, t)
	case Pinned:
		return d.builder.Pinned(ctx, t)
	case Debug:
		return d.builder.Debug(ctx, t)
	case Record:
		return d.builder.Record(ctx, t)
	case Plain:
		return d.builder.Plain(ctx, t)
	}
	return nil, fmt.Errorf("unknown build mode %q", mode)
}

// own links a built program under a name of this process's own: the go command
// replaces the original when another hocket builds the target from sources that
// were changed meanwhile. Where links can't be created the name stays; links of
// a process that was killed are pruned like the programs.
func (d *Driver) own(bin *instrument.Binary) {
	link := bin.Path + "~" + rand.Text()[:12] // each as long: programs see it
	if os.Link(bin.Path, link) == nil {
		bin.Path = link
		d.mu.Lock()
		d.links = append(d.links, link)
		d.mu.Unlock()
	}
}

// Target returns t in the form for package instrument.
func Target(env *target.Env, t target.Target, flags target.Flags) instrument.Target {
	it := instrument.Target{Dir: t.Dir, ImportPath: t.Package, Test: !t.Main, Entry: t.Entry, Env: env.Extra, Args: t.Args, Overlay: t.Overlay}
	if flags.Tags != "" {
		it.Flags = append(it.Flags, "-tags="+flags.Tags)
	}
	if flags.Ldflags != "" {
		it.Flags = append(it.Flags, "-ldflags="+flags.Ldflags)
	}
	if flags.Mod != "" {
		it.Flags = append(it.Flags, "-mod="+flags.Mod)
	}
	if flags.Modfile != "" {
		it.Flags = append(it.Flags, "-modfile="+flags.Modfile)
	}
	if it.Test {
		// The last -test.run counts: this one keeps expressions for subtests.
		first := []string{"-test.run=" + t.TestRun}
		if flags.Short {
			first = append(first, "-test.short")
		}
		it.Args = append(first, t.Args...)
	}
	return it
}

// compilerError is an error at a place, with the indented lines that belong to it:
// what the go command suggests, or which types don't agree.
var compilerError = regexp.MustCompile(`(?m)^(\S+\.go)(:\d+(?::\d+)?: .*(?:\n[ \t].*)*)$`)

// explain describes a failed build in dir in one line: the first error of the
// compiler, or all that the go command said.
func (d *Driver) explain(err error, dir string) error {
	var be *instrument.BuildError
	if !errors.As(err, &be) {
		return err
	}
	text := words.OneLine(be.Output)
	if m := compilerError.FindStringSubmatch(be.Output); m != nil {
		file := m[1]
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		text = d.env.Roots().Name(be.Target.Overlay.Original(file)) + words.OneLine(m[2])
	}
	if strings.Contains(be.Output, "no space left on device") {
		text = "no space left on device; free some, or set GOCACHE and XDG_CACHE_HOME to another disk"
	}
	return fmt.Errorf("does not compile: %s", text)
}

// Close removes the files of the programs' runs.
func (d *Driver) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.runners {
		p.Close()
	}
	for _, link := range d.links {
		os.Remove(link)
	}
}
