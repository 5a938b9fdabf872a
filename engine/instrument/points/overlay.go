package points

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints"
	"github.com/hocket-dev/hocket/engine/instrument"
)

// Build is what the go command needs to build the target with points.
type Build struct {
	Go    string   // the go command to run
	Flags []string // -overlay, perhaps -modfile
	Env   []string // to add to the environment
	// Moved holds, by the folder that the program's line tables name, the
	// folder where the files of that dependency are.
	Moved   map[string]string
	Skipped []Skip
	Shared  [][]int // points that are at one place: one visit is one of all of them
}

// Prepare writes edited sources and an overlay for them into dir (absolute,
// outside of any module). With the same places it writes the same files, so
// that the go command's cache serves later builds.
func Prepare(ctx context.Context, t instrument.Target, dir string, places []Place) (*Build, error) {
	tool, err := findToolchain(ctx, t, dir)
	if err != nil {
		return nil, err
	}
	o := overlay{dir: dir, replace: map[string]string{}, origins: map[string]string{}}
	if err := t.Overlay.Add(o.replace); err != nil {
		return nil, err
	}
	b := &Build{Go: tool.goCmd, Env: tool.env, Moved: o.origins}
	if err := o.addRuntime(tool.goroot); err != nil {
		return nil, err
	}
	byFile, order := groupByFile(places)
	mods := &modules{target: t, tool: tool}
	generic := map[string]bool{} // folders of packages that call generic functions of ours
	for _, name := range order {
		if why := NoGo(name); why != "" {
			return nil, errors.New(why)
		}
		dest, err := mods.placeOf(ctx, name, &o)
		if err != nil {
			b.Skipped = append(b.Skipped, skipAll(byFile[name], err)...)
			continue
		}
		src, err := t.Overlay.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read source for points: %w", err)
		}
		out, shared, skipped, err := inject(name, src, byFile[name])
		if err != nil {
			return nil, err
		}
		b.Shared = append(b.Shared, shared...)
		b.Skipped = append(b.Skipped, skipped...)
		if isGeneric(out) {
			generic[filepath.Dir(name)] = true
		}
		if err := o.add(dest, out); err != nil {
			return nil, err
		}
	}
	raised, err := mods.raise(ctx, generic)
	if err != nil {
		return nil, err
	}
	var env []string
	b.Flags, env, err = o.flags(mods)
	b.Flags, b.Env = append(b.Flags, raised...), append(b.Env, env...)
	return b, err
}

// NoGo says why places of a file get no point, "" if they may: a //line comment, as
// generators write them, can give lines of a Go file the name of another file.
func NoGo(name string) string {
	if strings.HasSuffix(name, ".go") {
		return ""
	}
	return filepath.Base(name) + " is no Go file: a //line comment of a generated one names it"
}

// isGeneric reports whether an edited file calls one of our generic functions.
func isGeneric(text []byte) bool {
	for _, fn := range []string{"Then", "If", "With", "Func", "Closing"} {
		if bytes.Contains(text, []byte(alias+"."+fn+"(")) {
			return true
		}
	}
	return false
}

func groupByFile(places []Place) (map[string][]Place, []string) {
	by := map[string][]Place{}
	var order []string
	for _, p := range places {
		if by[p.File] == nil {
			order = append(order, p.File)
		}
		by[p.File] = append(by[p.File], p)
	}
	slices.Sort(order)
	return by, order
}

func skipAll(places []Place, err error) []Skip {
	var s []Skip
	for _, p := range places {
		s = append(s, Skip{p, err.Error()})
	}
	return s
}

// overlay collects replaced files.
type overlay struct {
	dir     string
	replace map[string]string
	origins map[string]string // of moved modules, by their virtual folders
}

// add replaces the file dest by the given text, kept in a file named after its content.
func (o *overlay) add(dest string, text []byte) error {
	sum := sha256.Sum256(append([]byte(dest+"\x00"), text...))
	name := filepath.Join(o.dir, fmt.Sprintf("%x-%s", sum[:8], filepath.Base(dest)))
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return fmt.Errorf("write overlay: %w", err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return fmt.Errorf("write overlay: %w", err)
	}
	o.replace[dest] = name
	return nil
}

// addRuntime puts package breakpoints below GOROOT/src.
func (o *overlay) addRuntime(goroot string) error {
	entries, err := breakpoints.Source.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == "source.go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := breakpoints.Source.ReadFile(e.Name())
		if err != nil {
			return err
		}
		if err := o.add(filepath.Join(goroot, "src", ImportPath, e.Name()), text); err != nil {
			return err
		}
	}
	return nil
}

// flags returns the flags that the build needs, and the additions to its
// environment.
func (o *overlay) flags(mods *modules) (flags, env []string, err error) {
	flags, env, err = mods.redirection(o.dir)
	if err != nil {
		return nil, nil, err
	}
	data, err := json.MarshalIndent(struct{ Replace map[string]string }{o.replace}, "", "\t")
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(o.dir, "overlay.json")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return nil, nil, fmt.Errorf("write overlay: %w", err)
	}
	return append(flags, "-overlay="+name), env, nil
}
