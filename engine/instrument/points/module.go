package points

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/internal/process"
)

// errStd means that a place is in the standard library.
var errStd = errors.New("in the standard library")

// toolchain is the go command as it works in the target's directory.
type toolchain struct {
	goCmd, goroot, modcache, gowork, gomod string
	env                                    []string
}

// findToolchain asks the go command for its folders. A downloaded toolchain
// lies below the module cache, where the go command refuses overlays; it is
// used through a symbolic link from elsewhere.
func findToolchain(ctx context.Context, t instrument.Target, dir string) (*toolchain, error) {
	out, err := goOutput(ctx, t, "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOWORK", "GOMOD")
	if err != nil {
		return nil, err
	}
	var env struct{ GOROOT, GOMODCACHE, GOWORK, GOMOD string }
	if err := json.Unmarshal(out, &env); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	tc := &toolchain{goCmd: "go", goroot: env.GOROOT, modcache: env.GOMODCACHE, gowork: env.GOWORK, gomod: env.GOMOD}
	if !below(env.GOROOT, env.GOMODCACHE) {
		return tc, nil
	}
	link := filepath.Join(dir, "goroot")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if have, err := os.Readlink(link); err != nil || have != env.GOROOT {
		_ = os.Remove(link) // absent or stale; Symlink tells if it stays
		if err := os.Symlink(env.GOROOT, link); err != nil {
			return nil, fmt.Errorf("link toolchain: %w", err)
		}
	}
	tc.goroot, tc.goCmd = link, filepath.Join(link, "bin", "go")
	tc.env = []string{"GOROOT=" + link, "GOTOOLCHAIN=local"}
	return tc, nil
}

func goOutput(ctx context.Context, t instrument.Target, goCmd string, args ...string) ([]byte, error) {
	cmd := process.Go(ctx, goCmd, args...)
	cmd.Dir, cmd.Env = t.Dir, t.Environ()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := process.Output(ctx, cmd)
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w: %s", args[0], t.Dir, err, strings.TrimSpace(errs.String()))
	}
	return out, nil
}

func below(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// known is what go list says of a package of the build.
type known struct {
	importPath, dir string
	module          string // its module's path, "" for std
	moduleDir       string
	language        string // the version in the module's go.mod, such as "1.16"; "" if it has none
}

// modules moves modules of the module cache to virtual folders, which exist
// only in the overlay: overlays of the module cache itself are refused.
type modules struct {
	target instrument.Target
	tool   *toolchain
	known  []known           // asked for when needed
	moved  map[string]string // module path -> virtual folder
}

// placeOf gives the path under which the build must see an edited file.
func (m *modules) placeOf(ctx context.Context, name string, o *overlay) (string, error) {
	switch {
	case below(name, filepath.Join(m.tool.goroot, "src")) && !below(name, m.tool.modcache):
		return "", errStd
	case !below(name, m.tool.modcache):
		return name, nil
	}
	mod, err := m.find(ctx, name)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(o.dir, "mod", filepath.FromSlash(mod.module))
	if m.moved[mod.module] == "" {
		if err := o.move(mod.moduleDir, folder); err != nil {
			return "", err
		}
		if m.moved == nil {
			m.moved = map[string]string{}
		}
		m.moved[mod.module] = folder
		o.origins[folder] = mod.moduleDir
	}
	rel, err := filepath.Rel(mod.moduleDir, name)
	return filepath.Join(folder, rel), err
}

// list asks for the packages of the build, once.
func (m *modules) list(ctx context.Context) ([]known, error) {
	if m.known != nil {
		return m.known, nil
	}
	format := `{{.ImportPath}}{{"\t"}}{{.Dir}}{{"\t"}}{{with .Module}}{{.Path}}{{"\t"}}{{.Dir}}{{"\t"}}{{.GoVersion}}{{else}}{{"\t\t"}}{{end}}`
	args := append([]string{"list", "-e", "-deps", "-test", "-f", format}, slices.Concat(m.target.Flags, m.target.Overlay.Flags())...)
	out, err := goOutput(ctx, m.target, m.tool.goCmd, append(args, ".")...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 5 {
			path, _, _ := strings.Cut(f[0], " ") // "m [m.test]"
			m.known = append(m.known, known{path, f[1], f[2], f[3], f[4]})
		}
	}
	return m.known, nil
}

// find returns a package of the module that a file belongs to.
func (m *modules) find(ctx context.Context, name string) (known, error) {
	all, err := m.list(ctx)
	if err != nil {
		return known{}, err
	}
	for _, p := range all {
		if p.moduleDir != "" && below(name, p.moduleDir) {
			return p, nil
		}
	}
	return known{}, fmt.Errorf("in no module of the build: %s", name)
}

// generics is the first language version with type parameters.
const generics = "go1.18"

// raise returns the flags with which the packages of the given folders are
// compiled as of a language version that has type parameters: points use them,
// and modules may ask for an earlier one. Nothing else changed its meaning
// between those versions.
func (m *modules) raise(ctx context.Context, dirs map[string]bool) ([]string, error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	all, err := m.list(ctx)
	if err != nil {
		return nil, err
	}
	var flags []string
	for _, p := range all {
		flag := "-gcflags=" + strings.TrimSuffix(p.importPath, "_test") + "=-lang=" + generics
		if dirs[p.dir] && version.Compare("go"+p.language, generics) < 0 && !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return flags, nil
}

// move shows every file of a module under a virtual folder.
func (o *overlay) move(from, to string) error {
	hasMod := false
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		hasMod = hasMod || rel == "go.mod"
		o.replace[filepath.Join(to, rel)] = name
		return nil
	})
	if err == nil && !hasMod {
		err = o.add(filepath.Join(to, "go.mod"), []byte("module "+filepath.Base(to)+"\n"))
	}
	return err
}

// redirection makes the build take the moved modules from their virtual folders:
// flags and environment for the go command.
func (m *modules) redirection(dir string) (flags, env []string, err error) {
	switch {
	case len(m.moved) == 0:
		return nil, nil, nil
	case m.tool.workspace():
		name, err := m.writeWorkfile(dir)
		return nil, []string{"GOWORK=" + name}, err
	}
	name, err := m.writeModfile(dir)
	return []string{"-modfile=" + name}, nil, err
}

// writeModfile writes a go.mod that takes the moved modules from their virtual
// folders.
func (m *modules) writeModfile(dir string) (string, error) {
	data, err := m.target.Overlay.ReadFile(m.tool.gomod)
	if err != nil {
		return "", fmt.Errorf("read go.mod: %w", err)
	}
	mod, err := modfile.Parse(m.tool.gomod, data, nil)
	if err != nil {
		return "", fmt.Errorf("read go.mod: %w", err)
	}
	if err := absoluteReplaces(mod, filepath.Dir(m.tool.gomod)); err != nil {
		return "", err
	}
	for path, folder := range m.moved {
		for _, r := range mod.Replace {
			if r.Old.Path == path {
				if err := mod.DropReplace(path, r.Old.Version); err != nil {
					return "", err
				}
			}
		}
		if err := mod.AddReplace(path, "", folder, ""); err != nil {
			return "", err
		}
	}
	mod.Cleanup()
	out, err := mod.Format()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "points.mod")
	if err := os.WriteFile(name, out, 0o644); err != nil {
		return "", err
	}
	sums, err := m.target.Overlay.ReadFile(filepath.Join(filepath.Dir(m.tool.gomod), "go.sum"))
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	return name, os.WriteFile(filepath.Join(dir, "points.sum"), sums, 0o644)
}

// absoluteReplaces makes relative folders absolute: they are relative to the
// main module, whichever file go.mod is read from.
func absoluteReplaces(mod *modfile.File, root string) error {
	for _, r := range mod.Replace {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			abs := filepath.Join(root, filepath.FromSlash(r.New.Path))
			if err := mod.AddReplace(r.Old.Path, r.Old.Version, abs, ""); err != nil {
				return err
			}
		}
	}
	return nil
}
