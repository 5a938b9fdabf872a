package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hocket-dev/hocket/engine"
)

// buildFlags are the flags of go test that users expect: supported, ignored with a
// note, or refused with the reason.
type buildFlags struct {
	flags       engine.Flags
	overlay     string
	race, cover bool
	modfile     string
	count       string
	timeout     string
	verbose     bool
}

func (b *buildFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.flags.Tags, "tags", "", "build tags, as in go test")
	f.StringVar(&b.flags.Ldflags, "ldflags", "", "linker flags, as in go test")
	f.StringVar(&b.flags.Mod, "mod", "", "module mode, as in go test")
	f.BoolVar(&b.flags.Short, "short", false, "tests run with -short")
	f.StringVar(&b.overlay, "overlay", "", "JSON file that replaces source files, as in go test")
	f.BoolVar(&b.race, "race", false, "refused: hocket has a race detector of its own")
	f.BoolVar(&b.cover, "cover", false, "refused: -cover ignores build overlays")
	f.StringVar(&b.modfile, "modfile", "", "refused: hocket needs it for itself")
	f.StringVar(&b.count, "count", "", "ignored: use -schedules")
	f.StringVar(&b.timeout, "timeout", "", "ignored: use -budget")
	f.BoolVar(&b.verbose, "v", false, "list what runs showed and what is no finding, with the reason")
	for _, name := range []string{"race", "cover", "modfile", "count", "timeout"} {
		f.Lookup(name).Hidden = true
	}
}

// check refuses what can't work.
func (b *buildFlags) check() error {
	goflags := strings.Fields(os.Getenv("GOFLAGS"))
	has := func(flag string) bool {
		for _, f := range goflags {
			if f == "-"+flag || f == "--"+flag || strings.HasPrefix(f, "-"+flag+"=") && !strings.HasSuffix(f, "=false") {
				return true
			}
		}
		return false
	}
	switch {
	case b.race || has("race"):
		return errors.New("-race can't be combined with control of the schedule; leave it out: hocket reports data races by itself")
	case b.cover || has("cover"):
		return errors.New("-cover ignores build overlays, so nothing would be controlled; leave it out")
	case b.modfile != "" || has("modfile"):
		return errors.New("-modfile is not supported: hocket passes one of its own; put the replacements into go.mod or a go.work file")
	}
	return nil
}

// overlaid reads the overlay, which may be given in GOFLAGS too: hocket passes
// one of its own to the go command, so that one would be lost.
func (b *buildFlags) overlaid() (map[string]string, error) {
	name := b.overlay
	for _, f := range strings.Fields(os.Getenv("GOFLAGS")) {
		if value, ok := strings.CutPrefix("-"+strings.TrimLeft(f, "-"), "-overlay="); ok && name == "" {
			name = value
		}
	}
	if name == "" {
		return nil, nil
	}
	return engine.ReadOverlay(name)
}

// ignored notes which flags have no effect.
func (b *buildFlags) ignored(r reporter) {
	if b.count != "" {
		note(r, "-count is ignored; -schedules sets how often each target runs")
	}
	if b.timeout != "" {
		note(r, "-timeout is ignored; -budget limits the whole command")
	}
}

// splitArgs cuts the program's arguments after "--" off.
func splitArgs(cmd *cobra.Command, args []string) (own, program []string) {
	if n := cmd.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}
