package points

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// workspace reports whether the build takes its modules from a go.work file.
func (tc *toolchain) workspace() bool { return tc.gowork != "" && tc.gowork != "off" }

// writeWorkfile writes a go.work that takes the moved modules from their virtual
// folders, and all else from where the workspace's own does; -modfile is refused
// in workspace mode, but another go.work is not.
func (m *modules) writeWorkfile(dir string) (string, error) {
	data, err := m.target.Overlay.ReadFile(m.tool.gowork)
	if err != nil {
		return "", fmt.Errorf("read go.work: %w", err)
	}
	work, err := modfile.ParseWork(m.tool.gowork, data, nil)
	if err != nil {
		return "", fmt.Errorf("read go.work: %w", err)
	}
	if err := m.redirect(work); err != nil {
		return "", err
	}
	work.SortBlocks()
	work.Cleanup()
	name := filepath.Join(dir, "go.work")
	if err := os.WriteFile(name, modfile.Format(work.Syntax), 0o644); err != nil {
		return "", err
	}
	sums, err := m.target.Overlay.ReadFile(m.tool.gowork + ".sum")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return name, os.WriteFile(name+".sum", sums, 0o644)
}

// redirect makes folders absolute, and moved modules come from their own. What
// go.work replaces goes before what the modules' go.mod files do.
func (m *modules) redirect(work *modfile.WorkFile) error {
	root := filepath.Dir(m.tool.gowork)
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(root, filepath.FromSlash(path))
	}
	var uses []*modfile.Use
	for _, u := range work.Use {
		uses = append(uses, &modfile.Use{Path: absolute(u.Path), ModulePath: u.ModulePath})
	}
	work.SetUse(uses)
	for _, r := range work.Replace {
		var err error
		switch {
		case m.moved[r.Old.Path] != "":
			err = work.DropReplace(r.Old.Path, r.Old.Version)
		case r.New.Version == "":
			err = work.AddReplace(r.Old.Path, r.Old.Version, absolute(r.New.Path), "")
		}
		if err != nil {
			return err
		}
	}
	for path, folder := range m.moved {
		if err := work.AddReplace(path, "", folder, ""); err != nil {
			return err
		}
	}
	return nil
}
