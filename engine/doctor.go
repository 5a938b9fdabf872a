package engine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/engine/solve/z3"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/version"
	"github.com/hocket-dev/hocket/internal/words"
)

// State of a check: OK, Missing (something optional) or Broken.
type State string

const (
	OK      State = "ok"
	Missing State = "missing" // optional
	Broken  State = "broken"  // nothing can be found before this is fixed
)

// Check is one thing that hocket needs or can use.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"`
	Remedy string `json:"way_out,omitempty"`
}

// Diagnosis is the doctor's answer.
type Diagnosis struct {
	OK     bool    `json:"ok"`
	Hocket string  `json:"hocket"`
	Go     string  `json:"go"`
	Mode   string  `json:"mode"` // how programs are controlled here
	Checks []Check `json:"checks"`
}

// enoughDisk is what the instrumented standard library and a few test
// binaries take in the build cache.
const enoughDisk = 1 << 30

// Doctor checks the environment of a folder ("" is the current one). It builds
// nothing. Where the folder has no Go that can be used, what does not depend on it is
// checked all the same.
func Doctor(ctx context.Context, dir string) *Diagnosis {
	d := &Diagnosis{OK: true, Hocket: version.Version(), Mode: "none"}
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		d.add(Check{Name: "go", State: Broken, Detail: words.OneLine(err.Error())})
	} else {
		d.Go, d.Mode = env.GoVersion, "runtime overlay"
		d.add(Check{Name: "go", State: OK, Detail: fmt.Sprintf("%s in %s, %s", env.GoVersion, env.Goroot, cmp.Or(env.Note, "the folder's own"))})
		d.add(overlaySource(env))
		d.add(disk("cache", env.GoCache))
	}
	d.add(platform())
	d.add(Check{Name: "cgo", State: OK, Detail: "not used: programs are built with CGO_ENABLED=0, no C compiler is needed"})
	dlv, err := Delve()
	if err != nil {
		dlv = "dlv"
	}
	d.add(tool(ctx, "dlv", dlv, "version", DelveInstall, "hocket replay -debug and hocket break run -debug"))
	d.add(libz3())
	return d
}

func (d *Diagnosis) add(c Check) {
	d.Checks = append(d.Checks, c)
	d.OK = d.OK && c.State != Broken
}

func platform() Check {
	p := runtime.GOOS + "/" + runtime.GOARCH
	switch p {
	case "linux/amd64":
		return Check{Name: "platform", State: OK, Detail: p}
	case "linux/arm64", "darwin/arm64":
		return Check{Name: "platform", State: OK, Detail: p + ": compiles, but is not tested"}
	}
	return Check{Name: "platform", State: Broken, Detail: p + " is not supported", Remedy: "use linux/amd64"}
}

// overlaySource checks that the sources of package runtime, which the
// controlled build edits, are there: some distributions leave them out.
func overlaySource(env *target.Env) Check {
	file := filepath.Join(env.Goroot, "src", "runtime", "proc.go")
	if _, err := os.Stat(file); err != nil {
		return Check{Name: "overlay", State: Broken, Detail: "the Go installation has no sources of package runtime", Remedy: "install Go from https://go.dev/dl"}
	}
	return Check{Name: "overlay", State: OK, Detail: "sources of package runtime found; no file of the installation is changed"}
}

func disk(name, dir string) Check {
	var st syscall.Statfs_t
	if err := syscall.Statfs(existing(dir), &st); err != nil {
		return Check{Name: name, State: Missing, Detail: fmt.Sprintf("free space of %s is unknown: %v", dir, err)}
	}
	free := int64(st.Bavail) * int64(st.Bsize)
	c := Check{Name: name, State: OK, Detail: fmt.Sprintf("%s, %.1f GB free", dir, float64(free)/(1<<30))}
	if free < enoughDisk {
		c.State, c.Remedy = Broken, "free at least 1 GB, or set GOCACHE to a folder on another disk"
	}
	return c
}

// existing is dir or its nearest parent that exists.
func existing(dir string) string {
	for dir != "" && dir != filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

// tool checks for a program, by its name or path.
func tool(ctx context.Context, name, file, versionArg, remedy, use string) Check {
	path, err := exec.LookPath(file)
	if err != nil {
		return Check{Name: name, State: Missing, Detail: "not in PATH; needed for " + use, Remedy: remedy}
	}
	return Check{Name: name, State: OK, Detail: path + ": " + firstLine(ctx, path, versionArg)}
}

// libz3 looks for Z3 as a library, which is how hocket uses it.
func libz3() Check {
	version, err := z3.Available()
	if err != nil {
		return Check{Name: "z3", State: Missing, Detail: words.OneLine(err.Error()) + "; searches do not need it: only Hocket's own tests use it, to check the native solver", Remedy: z3.HowToInstall}
	}
	return Check{Name: "z3", State: OK, Detail: "libz3 " + version + "; only Hocket's own tests use it, to check the native solver"}
}

func firstLine(ctx context.Context, path string, arg string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, arg).Output()
	if err != nil {
		return "can't be run: " + err.Error()
	}
	line, rest, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if line == "Delve Debugger" { // its version is printed on a line of its own
		line, _, _ = strings.Cut(rest, "\n")
	}
	return line
}

// VersionInfo names the versions that matter for a finding.
type VersionInfo struct{ Hocket, Go, Z3 string }

// Versions asks for the versions of hocket, the folder's Go and Z3.
func Versions(ctx context.Context, dir string) VersionInfo {
	v := VersionInfo{Hocket: version.Version(), Go: "not found", Z3: "not found"}
	if path, err := exec.LookPath("go"); err == nil {
		cmd := exec.CommandContext(ctx, path, "env", "GOVERSION")
		cmd.Dir = dir
		if out, err := cmd.Output(); err == nil {
			v.Go = strings.TrimPrefix(strings.TrimSpace(string(out)), "go")
		}
	}
	if version, err := z3.Available(); err == nil {
		v.Z3 = version
	}
	return v
}
