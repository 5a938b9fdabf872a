// Command correct measures false reports: it copies the external tests of
// packages of the standard library and of golang.org/x/sync into a module,
// without what needs those packages' insides, and searches all of them. They
// are taken for correct, so each finding is to be read.
//
//	go run ./bench/correct [-bin hocket] [-budget 20m] [-keep folder] [-v] [package ...]
//	go run ./bench/correct [-bin hocket] [-budget 20m] [-keep folder] [-v] FILE.txtar
//
// The second form takes a module of correct tests from an archive, such as that of the
// programs with connections, engine/run/process/testdata/programs/network.txtar. Each
// test that finds something, and each that was not reached or gave no verdict, is
// printed, with -v every test, then the sums.
package main

import (
	"cmp"
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
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/hocket-dev/hocket/engine/report"
)

// usual are the packages without arguments: what uses goroutines, clocks,
// networks, files and processes.
var usual = []string{
	"context", "sync", "sync/atomic", "time", "io", "io/fs", "os", "os/exec", "os/signal", "bufio", "bytes",
	"net/http/httptest", "net/http/cookiejar", "net/rpc", "net/rpc/jsonrpc", "net/textproto", "testing/synctest", "testing/iotest",
	"testing/fstest", "container/list", "container/ring", "errors", "log", "log/slog", "expvar", "iter", "maps", "slices", "unique", "weak",
	"text/tabwriter", "encoding/json", "encoding/gob", "sort", "strings", "strconv", "mime/multipart", "database/sql",
	"golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore", "golang.org/x/sync/singleflight",
}

func main() {
	bin := flag.String("bin", "hocket", "the hocket to measure")
	budget := flag.Duration("budget", 20*time.Minute, "budget of the one find")
	schedules := flag.Int("schedules", 100, "schedules of each test")
	verbose := flag.Bool("v", false, "print a line for each test")
	keep := flag.String("keep", "", "lay the module out in this folder and keep it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pkgs := flag.Args()
	if len(pkgs) == 0 {
		pkgs = usual
	}
	if err := run(ctx, os.Stdout, *bin, *keep, pkgs, *budget, *schedules, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "correct: "+err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, bin, keep string, pkgs []string, budget time.Duration, schedules int, verbose bool) error {
	dir := keep
	if dir == "" {
		tmp, err := os.MkdirTemp("", "hocket-correct-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	if err := layOut(ctx, w, dir, pkgs); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, bin, "find", "-json", "-budget", budget.String(), "-schedules", fmt.Sprint(schedules), "./...")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	start := time.Now()
	out, err := cmd.Output()
	if code := (*exec.ExitError)(nil); err != nil && !errors.As(err, &code) {
		return err
	}
	var rep report.Report
	if err := json.Unmarshal(out, &rep); err != nil {
		return fmt.Errorf("read the answer of %s find: %w", filepath.Base(bin), err)
	}
	print(w, &rep, time.Since(start), verbose)
	return nil
}

// layOut fills the folder with the module to search.
func layOut(ctx context.Context, w io.Writer, dir string, pkgs []string) error {
	if len(pkgs) == 1 && strings.HasSuffix(pkgs[0], ".txtar") {
		archive, err := txtar.ParseFile(pkgs[0])
		if err != nil {
			return err
		}
		files, err := txtar.FS(archive)
		if err != nil {
			return fmt.Errorf("%s: %w", pkgs[0], err)
		}
		return os.CopyFS(dir, files)
	}
	m := &module{ctx: ctx, dir: dir}
	if err := m.init(); err != nil {
		return err
	}
	for _, pkg := range pkgs {
		tests, err := m.copy(pkg)
		if err != nil {
			return fmt.Errorf("copy the tests of %s: %w", pkg, err)
		}
		fmt.Fprintf(w, "%-28s %3d tests copied\n", pkg, tests)
	}
	return nil
}

func print(w io.Writer, rep *report.Report, took time.Duration, verbose bool) {
	status := map[report.Status]int{}
	schedules := 0
	for _, t := range rep.Targets {
		status[t.Status]++
		schedules += t.Searched.Attempts
		switch {
		case verbose:
			fmt.Fprintf(w, "%-15s %-28s %4d schedules %5.1f s  %s\n", t.Status, path.Base(t.Package)+" "+t.Entry, t.Searched.Attempts, float64(t.Searched.TotalMS)/1000, cmp.Or(t.Error, t.Note))
		case t.Status != report.Clean && t.Status != report.Searched:
			fmt.Fprintf(w, "%-15s %s %s: %.200s\n", t.Status, t.Package, t.Entry, t.Error)
		}
	}
	for _, f := range rep.Findings {
		fmt.Fprintf(w, "FINDING %s %s: %s, %s (%s:%d)\n    %s\n", f.Package, f.Entry, f.Message, f.Confirmed, f.Failure.File, f.Failure.Line, f.Sentence)
	}
	fmt.Fprintf(w, "\n%d tests, %d findings, %d schedules, %.0f s\n", len(rep.Targets), len(rep.Findings), schedules, took.Seconds())
	for s, n := range status {
		fmt.Fprintf(w, "  %-15s %d\n", s, n)
	}
}
