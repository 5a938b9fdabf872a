package recordings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/progress"
	"github.com/hocket-dev/hocket/engine/record"
	"github.com/hocket-dev/hocket/engine/report"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/target"
	"github.com/hocket-dev/hocket/internal/process"
	"github.com/hocket-dev/hocket/internal/temp"
	"github.com/hocket-dev/hocket/internal/words"
)

// Command runs a go command so that what it builds and runs is recorded. Its output is
// the caller's; the report has its exit code.
func Command(ctx context.Context, dir string, args []string, tell progress.Func) (*report.Recorded, error) {
	ctx, done := process.Guard(ctx)
	defer done()
	if len(args) < 2 || filepath.Base(args[0]) != "go" || !slices.Contains([]string{"test", "run", "build", "install"}, args[1]) {
		return nil, fmt.Errorf("after -- comes a go command that builds: go test, go run, go build or go install")
	}
	for _, a := range args[2:] {
		if a == "--" || a == "-args" || a == "--args" {
			break
		}
		if name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "="); a != name && slices.Contains([]string{"race", "msan", "asan", "toolexec"}, name) {
			return nil, fmt.Errorf("-%s can't be combined with recording; leave it out", name)
		}
	}
	r := &recorder{tell: tell, start: time.Now(), update: progress.Update{Phase: progress.Recording, Left: -1},
		report: &report.Recorded{Version: report.Version, Targets: []*report.RecordedTarget{}, Runs: []*report.RecordedRun{}}}
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	if r.dir, err = runsFolder(env); err != nil {
		return nil, err
	}
	d, err := build.New(env)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	flags, more, err := d.RecordFlags(ctx, env.Dir)
	if err != nil {
		return nil, err
	}
	logs, err := temp.DirIn("/dev/shm", "record")
	if err != nil {
		if logs, err = temp.DirIn("", "record"); err != nil {
			return nil, fmt.Errorf("make a folder for logs: %w", err)
		}
	}
	defer os.RemoveAll(logs)
	if args[1] == "test" {
		flags = append(flags, "-vet=off", "-count=1") // what is cached is not run
	}
	cmd := process.Go(ctx, args[0], args[1:]...)
	cmd.Dir = env.Dir
	cmd.Env = append(append(env.Environ(), more...), "GOFLAGS="+goflags(flags), rt.EnvRecord+"="+logs)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = process.Run(ctx, cmd)
	code := 0
	var ee *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &ee):
		code = max(ee.ExitCode(), 1)
	case ctx.Err() == nil:
		return nil, fmt.Errorf("run %s: %w", strings.Join(args, " "), err)
	}
	r.report.Exit, r.report.Cut = &code, ctx.Err() != nil
	r.collect(logs)
	Prune(r.dir)
	return r.report, nil
}

// goflags adds flags to those of the environment. Each is quoted.
func goflags(flags []string) string {
	out := os.Getenv("GOFLAGS")
	for _, f := range flags {
		if name, value, ok := strings.Cut(f, "="); ok && strings.ContainsAny(value, " '") {
			f = fmt.Sprintf("%s=%s", name, value)
			f = `"` + f + `"`
		}
		out += " " + f
	}
	return strings.TrimSpace(out)
}

// collect keeps the runs of all logs in a folder.
func (r *recorder) collect(logs string) {
	files, _ := filepath.Glob(filepath.Join(logs, "*.hklog"))
	byPackage := map[string]*report.RecordedTarget{}
	for _, f := range files {
		run, err := record.ReadLog(f)
		if err != nil {
			r.say("a log can't be read: " + words.OneLine(err.Error()))
			continue
		}
		run.Judge()
		t := byPackage[run.Package]
		if t == nil {
			t = &report.RecordedTarget{Package: run.Package}
			byPackage[run.Package] = t
			r.report.Targets = append(r.report.Targets, t)
		}
		t.Add(r.keep(run, false))
		t.Orders++
	}
}

// Collect keeps the runs of logs in a folder, which recording programs have left there.
func Collect(ctx context.Context, dir, logs string, tell progress.Func) (*report.Recorded, error) {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return nil, err
	}
	r := &recorder{tell: tell, start: time.Now(), report: &report.Recorded{Version: report.Version, Targets: []*report.RecordedTarget{}, Runs: []*report.RecordedRun{}}}
	if r.dir, err = runsFolder(env); err != nil {
		return nil, err
	}
	if files, _ := filepath.Glob(filepath.Join(logs, "*.hklog")); len(files) == 0 {
		return nil, fmt.Errorf("%s: there are no logs of a recording program in this folder", logs)
	}
	r.collect(logs)
	return r.report, nil
}
