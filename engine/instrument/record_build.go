package instrument

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// RecordCommand is the first argument with which this program serves as the tool
// that a go command starts in a recording build (RecordTool).
const RecordCommand = "record-tool"

// Record builds the target as the user would, with a runtime that records the order
// of synchronisation, or follows one, where the environment asks for it.
func (b *Builder) Record(ctx context.Context, t Target) (*Binary, error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, err
	}
	flags, err := b.recordFlags(tc, t)
	if err != nil {
		return nil, err
	}
	kind := Binary{Recording: true}
	out := filepath.Join(b.dir, "bin", binaryName(t, tc, strings.Join(flags, " "), kind))
	if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
		return nil, err
	}
	if err := t.Compile(ctx, tc.goCmd, out, flags, tc.env); err != nil {
		return nil, err
	}
	kind.Path, kind.Target, kind.Toolchain = out, t, *tc
	return &kind, nil
}

// RecordFlags are the flags of a go command that make what it builds record, and what
// to add to its environment.
func (b *Builder) RecordFlags(ctx context.Context, t Target) (flags, env []string, err error) {
	tc, err := b.Toolchain(ctx, t)
	if err != nil {
		return nil, nil, err
	}
	flags, err = b.recordFlags(tc, t)
	return flags, tc.env, err
}

func (b *Builder) recordFlags(tc *Toolchain, t Target) ([]string, error) {
	if err := recordable(t); err != nil {
		return nil, err
	}
	overlay, err := b.writtenOverlay(tc, "record", recordOverlay)
	if err != nil {
		return nil, err
	}
	if overlay, err = t.Overlay.With(overlay); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	if strings.ContainsAny(self, `'"`) {
		return nil, fmt.Errorf("recording needs a path of this program without quotes: %s", self)
	}
	return []string{"-overlay=" + overlay, "-toolexec='" + self + "' " + RecordCommand}, nil
}

func orHost(goos, goarch string) string {
	return cmp.Or(goos, runtime.GOOS) + "/" + cmp.Or(goarch, runtime.GOARCH)
}

// recordable says why a target can't be recorded.
func recordable(t Target) error {
	goos, goarch := "", ""
	var goflags string
	for _, v := range t.Environ() {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "GOOS":
			goos = value
		case "GOARCH":
			goarch = value
		case "GOFLAGS":
			goflags = value
		}
	}
	if platform := orHost(goos, goarch); !slices.Contains([]string{"linux/amd64", "linux/arm64"}, platform) {
		return fmt.Errorf("recording needs linux on amd64 or arm64; this is %s", platform)
	}
	for _, f := range append(strings.Fields(goflags), t.Flags...) {
		name, value, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		switch {
		case value == "false":
		case name == "race", name == "msan", name == "asan", name == "cover", name == "toolexec":
			return fmt.Errorf("a recording build can't be combined with -%s; leave it out, of GOFLAGS too", name)
		}
	}
	return nil
}
