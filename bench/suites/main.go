// Command suites measures hocket find on the whole test suites of published
// modules: how many of the tests it reaches, how many schedules it tries, how
// much of the processors it uses, and what it finds. Each finding is to be read
// against the module's code.
//
//	go run ./bench/suites [-bin hocket] [-budget 10m] [-keep folder] [-only name,name]
//
// The modules come from the module proxy, in their newest versions.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/engine/report"
)

var modules = []string{
	"github.com/panjf2000/ants/v2", "github.com/alitto/pond/v2", "github.com/robfig/cron/v3", "github.com/jellydator/ttlcache/v3",
	"github.com/allegro/bigcache/v3", "github.com/golang/groupcache", "github.com/gorilla/websocket", "go.etcd.io/bbolt",
}

func main() {
	bin := flag.String("bin", "hocket", "the hocket to measure")
	budget := flag.Duration("budget", 10*time.Minute, "budget of each module")
	keep := flag.String("keep", "", "copy the modules into this folder and keep them")
	only := flag.String("only", "", "names of the modules to search, separated by commas")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *bin, *keep, *only, *budget); err != nil {
		fmt.Fprintln(os.Stderr, "suites: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, bin, keep, only string, budget time.Duration) error {
	if keep == "" {
		tmp, err := os.MkdirTemp("", "hocket-suites-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		keep = tmp
	}
	for _, mod := range modules {
		name := path.Base(major.ReplaceAllString(mod, ""))
		if only != "" && !slices.Contains(strings.Split(only, ","), name) {
			continue
		}
		dir := filepath.Join(keep, name)
		version, err := fetch(ctx, mod, dir)
		if err != nil {
			return fmt.Errorf("copy %s: %w", mod, err)
		}
		if err := search(ctx, w, bin, name+" "+version, dir, budget); err != nil {
			return fmt.Errorf("search %s: %w", mod, err)
		}
	}
	return nil
}

var major = regexp.MustCompile(`/v\d+$`)

// fetch copies the newest version of a module into a folder, unless that exists.
func fetch(ctx context.Context, mod, dir string) (version string, err error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", mod+"@latest")
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return "", err
	}
	var m struct{ Dir, Version string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return m.Version, nil
	}
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"chmod", "-R", "u+w", dir}, {"go", "mod", "download"}} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		if cmd.Dir = dir; args[0] == "chmod" {
			cmd.Dir = ""
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return m.Version, nil
}

func search(ctx context.Context, w io.Writer, bin, name, dir string, budget time.Duration) error {
	cmd := exec.CommandContext(ctx, bin, "find", "-json", "-budget", budget.String(), "./...")
	cmd.Dir = dir
	start := time.Now()
	out, err := cmd.Output()
	took := time.Since(start)
	if code := (*exec.ExitError)(nil); err != nil && !errors.As(err, &code) {
		return err
	}
	var rep report.Report
	if err := json.Unmarshal(out, &rep); err != nil {
		return err
	}
	status := map[report.Status]int{}
	schedules, withheld := 0, 0
	for _, t := range rep.Targets {
		status[t.Status]++
		schedules += t.Searched.Attempts
		withheld += len(t.Withheld)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	fmt.Fprintf(w, "%s: %d of %d tests reached, %d schedules in %.0f s, %.0f %% of %d processors, %d findings, %d withheld; %v\n",
		name, len(rep.Targets)-status[report.NotReached], len(rep.Targets), schedules, took.Seconds(),
		100*used.Seconds()/took.Seconds()/float64(runtime.NumCPU()), runtime.NumCPU(), len(rep.Findings), withheld, status)
	for _, f := range rep.Findings {
		slow := ""
		if f.TimeDependent != nil {
			slow = ", time-dependent"
		}
		fmt.Fprintf(w, "    %s %s %s: %.120s (%s:%d), %s%s\n        %.300s\n", f.ID, f.Entry, f.Kind, f.Message, f.Failure.File, f.Failure.Line, f.Confirmed, slow, f.Sentence)
	}
	return nil
}
