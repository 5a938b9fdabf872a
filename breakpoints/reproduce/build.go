package reproduce

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/hocket-dev/hocket/breakpoints/breakfile"
)

// lostError: a statement can't be found, or can't have its point.
type lostError struct{ why string }

func (e *lostError) Error() string { return e.why }

// untriedError: there is nothing here that could be built.
type untriedError struct{ why string }

func (e *untriedError) Error() string { return e.why }

// builder builds the package in the working folder with points.
type builder struct {
	f       Finding
	dir     string // for all that is written
	pkgDir  string
	env     goEnv
	replace map[string]string // of the overlay
	moved   map[string]string // module path -> virtual folder
	work    string            // the go.work to use, "" the one there is
	where   []where           // of the statements, today
	blocked []string          // of the judge, today
	raised  []string          // flags for packages whose language version has no type parameters, as points use
}

// where is a statement's place in today's sources.
type where struct {
	file string // absolute
	at   breakfile.Location
}

func (w where) String() string { return fmt.Sprintf("%s:%d", filepath.Base(w.file), w.at.Line) }

// goEnv is what the go command says of itself in the package's folder.
type goEnv struct{ GOROOT, GOMODCACHE, GOWORK, GOMOD, GOVERSION string }

// test says that the finding is of a test, not of a main program.
func (f *Finding) test() bool { return f.Entry != "main" }

// build returns the program's file.
func (b *builder) build(ctx context.Context) (string, error) {
	out, err := output(ctx, b.command("go", "env", "-json", "GOROOT", "GOMODCACHE", "GOWORK", "GOMOD", "GOVERSION"))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal([]byte(out), &b.env); err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	goCmd, err := b.toolchain()
	if err != nil {
		return "", err
	}
	b.replace, b.moved = map[string]string{}, map[string]string{}
	for name, text := range pointsSource() {
		if err := b.add(filepath.Join(b.env.GOROOT, "src", pointsPath, name), text); err != nil {
			return "", err
		}
	}
	if err := b.edit(ctx); err != nil {
		return "", err
	}
	flags, err := b.flags(ctx)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(b.dir, "reproduce.exe")
	args := []string{"build", "-o", bin}
	if b.f.test() {
		args = []string{"test", "-c", "-vet=off", "-o", bin}
	}
	_, err = output(ctx, b.command(goCmd, append(append(append(args, b.f.Flags...), flags...), ".")...))
	return bin, err
}

// command is one of the go command, or the program.
func (b *builder) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = b.pkgDir
	for _, kv := range os.Environ() {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "GOCOVERDIR", "PWD": // of this process's own
		default:
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, insideVariable+"="+b.f.ID, "PWD="+b.pkgDir)
	if b.work != "" {
		cmd.Env = append(cmd.Env, "GOWORK="+b.work)
	}
	if b.env.GOROOT != "" && name != "go" && strings.HasPrefix(name, b.env.GOROOT) {
		cmd.Env = append(cmd.Env, "GOROOT="+b.env.GOROOT, "GOTOOLCHAIN=local")
	}
	return cmd
}

// toolchain is the go command to use. A downloaded toolchain lies below the
// module cache, where the go command refuses overlays; it is used through a
// symbolic link from elsewhere, always the same, so that its builds are kept.
func (b *builder) toolchain() (string, error) {
	if !below(b.env.GOROOT, b.env.GOMODCACHE) {
		return "go", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	link := filepath.Join(cache, "hocket", "toolchain", b.env.GOVERSION)
	if have, err := os.Readlink(link); err != nil || have != b.env.GOROOT {
		os.Remove(link)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return "", err
		}
		if err := os.Symlink(b.env.GOROOT, link); err != nil && !os.IsExist(err) {
			return "", err
		}
	}
	b.env.GOROOT = link
	return filepath.Join(link, "bin", "go"), nil
}

func below(name, dir string) bool {
	rel, err := filepath.Rel(dir, name)
	return dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// add replaces the file name by a text.
func (b *builder) add(name, text string) error {
	own := filepath.Join(b.dir, fmt.Sprintf("%d-%s", len(b.replace), filepath.Base(name)))
	b.replace[name] = own
	return os.WriteFile(own, []byte(text), 0o644)
}

// edit finds the statements and puts points to them.
func (b *builder) edit(ctx context.Context) error {
	files := map[string]*source{}
	for _, s := range b.f.Statements {
		w, err := b.find(ctx, s.Place)
		if err != nil {
			return err
		}
		b.where = append(b.where, w)
		src := files[w.file]
		if src == nil {
			if src, err = readSource(w.file); err != nil {
				return err
			}
			files[w.file] = src
		}
		if err := src.edit(s, w.at.Line, w.at.Column, w.at.Changed); err != nil {
			return &lostError{fmt.Sprintf("%s (%s:%d): %v", s.Place.Text, s.Place.File, w.at.Line, err)}
		}
	}
	for _, p := range b.f.Judge.Blocked {
		w, err := b.find(ctx, p)
		if err != nil {
			return err
		}
		b.blocked = append(b.blocked, ShortPlace(w.file, w.at.Line, w.at.EndLine))
	}
	if err := b.hold(files); err != nil {
		return err
	}
	for name, src := range files {
		dest, err := b.visible(ctx, name)
		if err != nil {
			return err
		}
		text := src.edited()
		if err := b.add(dest, text); err != nil {
			return err
		}
		if err := b.raise(ctx, filepath.Dir(name), text); err != nil {
			return err
		}
	}
	return nil
}

func readSource(name string) (*source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return parseSource(name, text)
}

// hold makes the function in which the program begins linger at its end.
func (b *builder) hold(files map[string]*source) error {
	fn, _, _ := strings.Cut(b.f.Entry, "/")
	names, err := filepath.Glob(filepath.Join(escapeGlob(b.pkgDir), "*.go"))
	if err != nil {
		return err
	}
	found := false
	for _, name := range names {
		if st, err := os.Stat(name); err == nil && st.Size() == 0 {
			b.replace[name] = "" // a file that is being written
			continue
		}
		if strings.HasSuffix(name, "_test.go") != b.f.test() {
			continue
		}
		src := files[name]
		if src == nil {
			if src, err = readSource(name); err != nil {
				continue // the compiler will say what is wrong, if it is of the build
			}
		}
		if src.linger(fn) {
			files[name], found = src, true
		}
	}
	if !found {
		return &lostError{"function " + fn + " is not in the package any more"}
	}
	return nil
}

// escapeGlob keeps what has a meaning in patterns.
func escapeGlob(dir string) string {
	if filepath.Separator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// find looks for a statement in the files of its folder.
func (b *builder) find(ctx context.Context, p breakfile.Place) (where, error) {
	dir, err := b.folder(ctx, p.File)
	if err != nil {
		return where{}, err
	}
	names, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.go"))
	if err != nil {
		return where{}, err
	}
	texts := map[string][]byte{}
	slash := strings.LastIndex(p.File, "/") + 1
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil {
			texts[p.File[:slash]+filepath.Base(name)] = text
		}
	}
	file, at, err := breakfile.LocateIn(p, texts)
	if err != nil {
		return where{}, &lostError{fmt.Sprintf("%s (%s:%d, in %s): %v", p.Text, p.File, p.Line, p.Func, err)}
	}
	return where{filepath.Join(dir, filepath.Base(filepath.FromSlash(file))), at}, nil
}

// folder is where the package of a place is: "dir/file.go" in the module of the
// working folder, "module@version/dir/file.go" in a dependency.
func (b *builder) folder(ctx context.Context, file string) (string, error) {
	module, rest, isDep := strings.Cut(file, "@")
	if !isDep {
		if b.env.GOMOD == "" || b.env.GOMOD == os.DevNull {
			return "", &untriedError{"the folder in which it runs is in no module: the sources are needed, run it by go test"}
		}
		return filepath.Join(filepath.Dir(b.env.GOMOD), filepath.Dir(filepath.FromSlash(file))), nil
	}
	_, rest, _ = strings.Cut(rest, "/")
	pkg := module
	if i := strings.LastIndex(rest, "/"); i >= 0 {
		pkg += "/" + rest[:i]
	}
	dir, err := b.list(ctx, "{{.Dir}}", pkg)
	if err == nil && dir == "" {
		err = &lostError{fmt.Sprintf("package %s is not in the build any more (%s)", pkg, file)}
	}
	return dir, err
}

func (b *builder) list(ctx context.Context, format, pkg string) (string, error) {
	out, err := output(ctx, b.command("go", append(append([]string{"list", "-e", "-f", format}, b.f.listFlags()...), pkg)...))
	return strings.TrimSpace(out), err
}

// listFlags are the flags of the build that go list takes too; all do.
func (f *Finding) listFlags() []string { return f.Flags }
