package reproduce

import (
	"context"
	"encoding/json"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// visible is the path under which the build must see an edited file. Overlays
// of the module cache are refused: its modules move to virtual folders, which
// are in the overlay only.
func (b *builder) visible(ctx context.Context, name string) (string, error) {
	if !below(name, b.env.GOMODCACHE) {
		return name, nil
	}
	out, err := output(ctx, b.in(filepath.Dir(name), `{{with .Module}}{{.Path}}{{"\t"}}{{.Dir}}{{end}}`))
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(out, "\n") // a package that is also built for the test is there twice
	path, dir, _ := strings.Cut(first, "\t")
	if path == "" {
		return "", &lostError{name + ": in no module of the build"}
	}
	folder := filepath.Join(b.dir, "mod", filepath.FromSlash(path))
	if b.moved[path] == "" {
		b.moved[path] = folder
		if err := b.move(dir, folder, path); err != nil {
			return "", err
		}
	}
	rel, err := filepath.Rel(dir, name)
	return filepath.Join(folder, rel), err
}

// raise lets a package of an older module use type parameters, if its edited
// text calls one of the generic functions of points.
func (b *builder) raise(ctx context.Context, dir, text string) error {
	if !generic.MatchString(text) {
		return nil
	}
	out, err := output(ctx, b.in(dir, `{{.ImportPath}}{{"\t"}}{{with .Module}}{{.GoVersion}}{{end}}`))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(out, "\n")
	path, language, _ := strings.Cut(first, "\t")
	path, _, _ = strings.Cut(path, " ") // "m [m.test]"
	flag := "-gcflags=" + strings.TrimSuffix(path, "_test") + "=-lang=" + typeParameters
	if path != "" && version.Compare("go"+language, typeParameters) < 0 && !strings.Contains(strings.Join(b.raised, " "), flag) {
		b.raised = append(b.raised, flag)
	}
	return nil
}

// typeParameters is the first language version that has them.
const typeParameters = "go1.18"

var generic = regexp.MustCompile(`hocketpoints_\.(Then|If|With)\(`)

// in asks for something about the build's package in a folder.
func (b *builder) in(dir, what string) *exec.Cmd {
	format := fmt.Sprintf(`{{if eq .Dir %q}}%s{{end}}`, dir, what)
	return b.command("go", append(append([]string{"list", "-e", "-deps", "-test", "-f", format}, b.f.listFlags()...), ".")...)
}

// move shows every file of a module under a virtual folder.
func (b *builder) move(from, to, path string) error {
	hasMod := false
	err := filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		hasMod = hasMod || rel == "go.mod"
		b.replace[filepath.Join(to, rel)] = name
		return err
	})
	if err == nil && !hasMod {
		err = b.add(filepath.Join(to, "go.mod"), "module "+path+"\n")
	}
	return err
}

// flags makes the build use what was written.
func (b *builder) flags(ctx context.Context) ([]string, error) {
	data, err := json.Marshal(struct{ Replace map[string]string }{b.replace})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(b.dir, "overlay.json")
	flags := append([]string{"-overlay=" + name}, b.raised...)
	if err := os.WriteFile(name, data, 0o644); err != nil || len(b.moved) == 0 {
		return flags, err
	}
	if b.env.GOWORK != "" && b.env.GOWORK != "off" {
		b.work, err = b.workfile(ctx)
		return flags, err
	}
	mod, err := b.modfile(ctx)
	return append(flags, "-modfile="+mod), err
}

// modfile is a go.mod that takes the moved modules from their virtual folders,
// and others from where the module's own does.
func (b *builder) modfile(ctx context.Context) (string, error) {
	name := filepath.Join(b.dir, "go.mod")
	if err := copyFile(name, b.env.GOMOD); err != nil {
		return "", err
	}
	sum := strings.TrimSuffix(b.env.GOMOD, ".mod") + ".sum"
	if err := copyFile(filepath.Join(b.dir, "go.sum"), sum); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	return name, b.redirect(ctx, "mod", name, filepath.Dir(b.env.GOMOD))
}

// workfile is a go.work that does so: -modfile is refused in workspace mode, and
// what go.work replaces goes before what the modules' go.mod files do.
func (b *builder) workfile(ctx context.Context) (string, error) {
	name := filepath.Join(b.dir, "go.work")
	if err := copyFile(name, b.env.GOWORK); err != nil {
		return "", err
	}
	if err := copyFile(name+".sum", b.env.GOWORK+".sum"); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	return name, b.redirect(ctx, "work", name, filepath.Dir(b.env.GOWORK))
}

func copyFile(to, from string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// redirect edits a copy of a go.mod ("mod") or go.work ("work") of the folder
// root: moved modules come from their virtual folders, relative folders become
// absolute.
func (b *builder) redirect(ctx context.Context, kind, name, root string) error {
	out, err := output(ctx, b.command("go", kind, "edit", "-json", name))
	if err != nil {
		return err
	}
	var file struct {
		Use     []struct{ DiskPath string }
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal([]byte(out), &file); err != nil {
		return fmt.Errorf("go %s edit: %w", kind, err)
	}
	args := []string{kind, "edit"}
	for _, u := range file.Use {
		if !filepath.IsAbs(u.DiskPath) {
			args = append(args, "-dropuse="+u.DiskPath, "-use="+filepath.Join(root, u.DiskPath))
		}
	}
	for _, r := range file.Replace {
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		switch {
		case b.moved[r.Old.Path] != "":
			args = append(args, "-dropreplace="+old)
		case r.New.Version == "" && !filepath.IsAbs(r.New.Path):
			args = append(args, "-replace="+old+"="+filepath.Join(root, r.New.Path))
		}
	}
	for path, folder := range b.moved {
		args = append(args, "-replace="+path+"="+folder)
	}
	_, err = output(ctx, b.command("go", append(args, name)...))
	return err
}
