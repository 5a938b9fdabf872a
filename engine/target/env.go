package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/words"
)

// Supported lists the Go releases whose runtime Hocket knows how to edit, the
// preferred patch release of each.
var supported = []struct{ minor, toolchain string }{
	{"go1.26", "go1.26.8"},
	{"go1.27", "go1.27.3"},
}

// SupportedVersions names the releases for messages.
func SupportedVersions() string {
	var names []string
	for _, s := range supported {
		names = append(names, s.minor)
	}
	return strings.Join(names, " and ")
}

// IsSupported reports whether a version such as "go1.26.8" can be controlled.
func IsSupported(goversion string) bool {
	v := strings.TrimPrefix(goversion, "go")
	for _, s := range supported {
		minor := strings.TrimPrefix(s.minor, "go")
		if v == minor || strings.HasPrefix(v, minor+".") || strings.HasPrefix(v, minor+"rc") {
			return true
		}
	}
	return false
}

// Env is the toolchain and the main module of a folder.
type Env struct {
	Dir        string
	GoVersion  string // "go1.26.8"
	Goroot     string
	ModCache   string
	GoCache    string
	Module     string // root folder of the main module, or of the workspace's module around Dir
	ModulePath string // as its go.mod says; "" if it can't be read
	Workspace  string // go.work, "" outside workspaces
	// Extra is what must be added to the environment of go commands, for
	// instance another GOTOOLCHAIN than the folder's default.
	Extra []string
	// Note is said to the user when something was chosen for them.
	Note string
	// Link is a folder by which builds know Goroot too, if any.
	Link string

	moduleGo string // the go line of go.mod
	asks     int    // positive: go.mod asks for a newer Go than this
}

// Roots are the folders that names of places are relative to.
func (e *Env) Roots() site.Roots {
	return site.Roots{Module: e.Module, Goroot: e.Goroot, ModCache: e.ModCache, Link: e.Link}
}

// Environ is the environment for go commands of this folder.
func (e *Env) Environ() []string {
	return append(os.Environ(), e.Extra...)
}

var errNoModule = errors.New("not a module")

// LoadEnv looks at the folder dir. It never downloads anything but, where the
// local Go is not supported, a toolchain that the go command itself fetches.
func LoadEnv(ctx context.Context, dir string) (*Env, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("folder %s: %w", dir, err)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return nil, errors.New("no go command in PATH; install " + SupportedVersions() + " from https://go.dev/dl and put its bin folder into PATH")
	}
	e := &Env{Dir: abs}
	failed := e.ask(ctx)
	if err := e.caches(); failed == nil && err != nil {
		return nil, err
	}
	if failed == nil && e.asks > 0 {
		failed = fmt.Errorf("go.mod asks for go %s, this is %s", e.moduleGo, e.GoVersion)
	}
	if failed == nil && IsSupported(e.GoVersion) {
		return e, nil
	}
	if errors.Is(failed, errNoModule) {
		return nil, fmt.Errorf("%s is not inside a Go module; run hocket in a module, or make one with: go mod init NAME", abs)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return otherToolchain(ctx, e, failed)
}

// caches says what is missing where the environment names no folders for caches.
func (e *Env) caches() error {
	var missing []string
	if e.GoCache == "" {
		missing = append(missing, "GOCACHE")
	}
	if e.ModCache == "" {
		missing = append(missing, "GOMODCACHE")
	}
	if _, err := os.UserCacheDir(); err != nil {
		missing = append(missing, "XDG_CACHE_HOME")
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("there is no folder for caches, since HOME is not set and this user has no home folder; set HOME, or each of %s, to a folder that can be written", strings.Join(missing, ", "))
}

// otherToolchain serves a folder whose own Go is not supported by a supported
// one, if the module allows it and the go command can get it.
func otherToolchain(ctx context.Context, own *Env, failed error) (*Env, error) {
	why := own.GoVersion + " can't be controlled by hocket"
	if failed != nil {
		why = words.OneLine(failed.Error())
	}
	for _, s := range supported {
		e := &Env{Dir: own.Dir, Extra: []string{"GOTOOLCHAIN=" + s.toolchain}}
		if version.Compare("go"+own.moduleGo, s.toolchain) > 0 {
			continue // would be fetched in vain
		}
		if err := e.ask(ctx); err != nil || !IsSupported(e.GoVersion) {
			if errors.Is(err, errNoModule) {
				return nil, fmt.Errorf("%s is not inside a Go module; run hocket in a module, or make one with: go mod init NAME", own.Dir)
			}
			continue
		}
		e.Note = fmt.Sprintf("using %s: %s", e.GoVersion, why)
		return e, nil
	}
	if failed != nil {
		return nil, fmt.Errorf("the Go of %s: %s; hocket controls %s only", own.Dir, words.OneLine(failed.Error()), SupportedVersions())
	}
	return nil, fmt.Errorf("%s can't be controlled, only %s can, and neither could be had by the go command; install one, or set GOTOOLCHAIN=%s where downloads work",
		own.GoVersion, SupportedVersions(), supported[0].toolchain)
}

func (e *Env) ask(ctx context.Context) error {
	out, err := e.Go(ctx, "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOCACHE", "GOMOD", "GOWORK", "GO111MODULE")
	if err != nil {
		return err
	}
	var v struct{ GOVERSION, GOROOT, GOMODCACHE, GOCACHE, GOMOD, GOWORK string }
	if err := json.Unmarshal(out, &v); err != nil {
		return fmt.Errorf("read go env: %w", err)
	}
	e.GoVersion, e.Goroot, e.ModCache, e.GoCache = strings.Fields(v.GOVERSION + " ")[0], v.GOROOT, v.GOMODCACHE, v.GOCACHE
	if v.GOWORK != "off" {
		e.Workspace = v.GOWORK
	}
	switch {
	case v.GOMOD != "" && v.GOMOD != os.DevNull && v.GOMOD != "NUL":
		e.Module = filepath.Dir(v.GOMOD)
	case e.Workspace != "":
		e.Module = filepath.Dir(e.Workspace)
	default:
		return errNoModule
	}
	gomod, _ := os.ReadFile(v.GOMOD)
	e.ModulePath, e.moduleGo = field(gomod, moduleLine), field(gomod, goLine)
	// With GOTOOLCHAIN=local the go command answers even if go.mod asks for a
	// newer one.
	e.asks = version.Compare("go"+e.moduleGo, e.GoVersion)
	return nil
}

// Go runs a go command in the folder and returns its standard output. The
// error holds what the command wrote.
func (e *Env) Go(ctx context.Context, args ...string) ([]byte, error) {
	cmd := process.Go(ctx, "go", args...)
	cmd.Dir = e.Dir
	cmd.Env = e.Environ()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := process.Output(ctx, cmd)
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	if msg := strings.TrimSpace(stderr.String()); msg != "" {
		return out, errors.New(msg)
	}
	return out, err
}

var (
	moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)
	goLine     = regexp.MustCompile(`(?m)^go\s+(\S+)`)
)

func field(gomod []byte, line *regexp.Regexp) string {
	if m := line.FindSubmatch(gomod); m != nil {
		return string(m[1])
	}
	return ""
}
