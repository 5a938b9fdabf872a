// Command conflicts measures the static conflict pairs: on cases, whether the
// true pair is among the first three; on modules, time, memory and the number
// of pairs per thousand lines.
//
//	go run ./bench/conflicts -cases DIR
//	go run ./bench/conflicts [-modules PATH@VERSION,...] [-tests=false]
//
// A case is a folder with a main package or test, truth.json (its root_cause
// names lines), and optionally the same without the bug in fixed/. Modules come
// from the proxy that the go command uses.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine"
)

const standard = "golang.org/x/sync@v0.24.0,github.com/hashicorp/golang-lru/v2@v2.0.7,github.com/sourcegraph/conc@v0.3.0," +
	"github.com/cenkalti/backoff/v4@v4.3.0,github.com/patrickmn/go-cache@v2.1.0+incompatible,github.com/nats-io/nats.go@v1.37.0"

func main() {
	cases := flag.String("cases", "", "folder of cases")
	modules := flag.String("modules", standard, "modules to measure")
	profile := flag.String("cpuprofile", "", "write a CPU profile")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *profile != "" {
		f, err := os.Create(*profile)
		fail(err)
		fail(pprof.StartCPUProfile(f))
		defer pprof.StopCPUProfile()
	}
	if *cases != "" {
		fail(onCases(ctx, *cases))
		return
	}
	fail(onModules(ctx, strings.Split(*modules, ",")))
}

func fail(err error) {
	if err != nil {
		pprof.StopCPUProfile()
		fmt.Fprintln(os.Stderr, "conflicts:", err)
		os.Exit(1)
	}
}

type truth struct {
	RootCause []struct{ Line int } `json:"root_cause"`
	Weak      bool                 `json:"weak_memory"`
}

func onCases(ctx context.Context, dir string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*", "truth.json"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("no */truth.json in %s (%v)", dir, err)
	}
	out := table.New(os.Stdout, "case            ", "true pair's rank", "suspicious", "all", "without the bug", "    ms")
	first := 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var tr truth
		if err := json.Unmarshal(data, &tr); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		at := filepath.Dir(name)
		rep, err := engine.Conflicts(ctx, engine.ConflictOptions{Dir: at})
		if err != nil {
			return err
		}
		rank := rankOf(rep, tr)
		if rank > 0 && rank <= 3 && !tr.Weak {
			first++
		}
		shown, _ := rep.Suspicious()
		without := "-"
		if _, err := os.Stat(filepath.Join(at, "fixed")); err == nil {
			fixed, err := engine.Conflicts(ctx, engine.ConflictOptions{Dir: filepath.Join(at, "fixed")})
			if err != nil {
				return err
			}
			s, _ := fixed.Suspicious()
			without = fmt.Sprint(len(s))
		}
		out.Row(filepath.Base(at), rank, len(shown), len(rep.Pairs), without, int(rep.MS))
	}
	fmt.Printf("among the first 3: %d of those that sequential consistency lets fail\n", first)
	return nil
}

// rankOf the first pair both of whose places are in lines of the truth.
func rankOf(rep *engine.ConflictReport, tr truth) int {
	for _, p := range rep.Pairs {
		if !slices.ContainsFunc(p.Sides, func(s engine.ConflictSide) bool {
			return !slices.ContainsFunc(tr.RootCause, func(r struct{ Line int }) bool { return r.Line == s.Line })
		}) {
			return p.Rank
		}
	}
	return 0
}

func onModules(ctx context.Context, modules []string) error {
	tmp, err := os.MkdirTemp("", "conflicts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	out := table.New(os.Stdout, "module                                    ", "  lines", "    ms", "heap MB", "suspicious", "per 1,000 lines", "   all", "incomplete")
	for i, m := range modules {
		dir := filepath.Join(tmp, fmt.Sprint(i))
		if err := fetch(ctx, m, dir); err != nil {
			return err
		}
		stop := peak()
		rep, err := engine.Conflicts(ctx, engine.ConflictOptions{Dir: dir, Patterns: []string{"./..."}})
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		shown := 0
		for _, p := range rep.Pairs {
			if p.Score >= 0.5 {
				shown++
			}
		}
		out.Row(m, rep.Lines, int(rep.MS), stop(), shown, fmt.Sprintf("%.2f", 1000*float64(shown)/float64(max(rep.Lines, 1))), len(rep.Pairs), len(rep.Errors))
	}
	return nil
}

// fetch puts a copy of a module into dir.
func fetch(ctx context.Context, module, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go mod download %s: %w", module, err)
	}
	var got struct{ Path, Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return err
	}
	if err := copyTree(got.Dir, dir); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "init", got.Path}, {"mod", "tidy", "-e"}} {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && args[1] == "init" {
			continue
		}
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s in %s: %s", strings.Join(args, " "), module, out)
		}
	}
	return nil
}

func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
}

// peak measures the largest heap, in MB, until the returned function is called.
func peak() func() int {
	done, out := make(chan struct{}), make(chan int)
	go func() {
		var most uint64
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-done:
				out <- int(most >> 20)
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() int { close(done); return <-out }
}
