package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hocket-dev/hocket/engine/site"
)

// replaced makes a build see edited files of a module of the cache, which an overlay must
// not touch: a copy of the module with the edits, and a go.mod of the main module, beside
// nothing of the user's, that replaces the module by it. It returns the files that are
// not in the cache and the go.mod, "" if none is needed.
func (p *version) replaced(files map[string][]byte) (rest map[string][]byte, modFile string, err error) {
	rest = map[string][]byte{}
	copies := map[string]string{} // module root in the cache -> copy
	for name, text := range files {
		root := p.v.cached(name)
		if root == "" {
			rest[name] = text
			continue
		}
		if copies[root] == "" {
			dir := filepath.Join(p.dir, fmt.Sprint("dep", len(copies)))
			if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
				return nil, "", fmt.Errorf("copy %s: %w", p.v.Roots.Name(root), err)
			}
			copies[root] = dir
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return nil, "", err
		}
		at := filepath.Join(copies[root], rel)
		if err := os.Chmod(at, 0o666); err != nil {
			return nil, "", err
		}
		if err := os.WriteFile(at, text, 0o666); err != nil {
			return nil, "", err
		}
	}
	if len(copies) == 0 {
		return rest, "", nil
	}
	modFile, err = p.modFile(copies)
	return rest, modFile, err
}

// cached is the root of the module of the cache that holds a file, "" for others.
func (v *Verifier) cached(file string) string {
	name := v.Roots.Name(file)
	at := strings.IndexByte(name, '@')
	if site.InMain(name) || at < 0 {
		return ""
	}
	slash := strings.IndexByte(name[at:], '/')
	if slash < 0 {
		return ""
	}
	inner := name[at+slash+1:]
	return strings.TrimSuffix(strings.TrimSuffix(file, filepath.FromSlash(inner)), string(filepath.Separator))
}

// modFile writes the main module's go.mod with the copies in place of their modules.
func (p *version) modFile(copies map[string]string) (string, error) {
	from := filepath.Join(p.v.Env.Module, "go.mod")
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	f, err := modfile.Parse(from, data, nil)
	if err != nil {
		return "", err
	}
	for root, dir := range copies {
		module, version, _ := strings.Cut(p.v.Roots.Name(root+"/x"), "@")
		version, _, _ = strings.Cut(version, "/")
		old, oldVersion := module, version
		for _, r := range f.Replace { // it may stand for another one already
			if r.New.Path == module && r.New.Version == version {
				old, oldVersion = r.Old.Path, r.Old.Version
			}
		}
		if err := f.AddReplace(old, oldVersion, dir, ""); err != nil {
			return "", err
		}
		if own := filepath.Join(dir, "go.mod"); !exists(own) {
			if err := os.WriteFile(own, []byte("module "+module+"\n"), 0o666); err != nil {
				return "", err
			}
		}
	}
	for _, r := range f.Replace { // relative to another folder now
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			if err := f.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(p.v.Env.Module, r.New.Path), ""); err != nil {
				return "", err
			}
		}
	}
	text, err := f.Format()
	if err != nil {
		return "", err
	}
	to := filepath.Join(p.dir, "fix.mod")
	if sum, err := os.ReadFile(filepath.Join(p.v.Env.Module, "go.sum")); err == nil {
		if err := os.WriteFile(filepath.Join(p.dir, "fix.sum"), sum, 0o666); err != nil {
			return "", err
		}
	}
	return to, os.WriteFile(to, text, 0o666)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
