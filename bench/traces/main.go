// Command traces measures the database of recorded runs: its size, how long a
// merge of two takes, what a question costs, and what kills leave behind.
//
//	go run ./bench/traces [-n 100000] [-kills 500] [-mode order|paths] [-dir FOLDER]
//
// The runs are made up by a model of a test (model.go), by a random schedule each:
// so many different runs no real test would give in a short time. Figures are of
// files and wall-clock times.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/pprof"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/engine/tracedb"
)

func main() {
	if path := os.Getenv("TRACES_CHILD"); path != "" {
		if err := child(path); err != nil {
			fmt.Fprintln(os.Stderr, "child: "+err.Error())
			os.Exit(1)
		}
		return
	}
	n := flag.Int("n", 100_000, "runs of each of two databases")
	kills := flag.Int("kills", 500, "kills, half of them while a run is added, half while a file is merged")
	only := flag.String("mode", "", "order or paths; empty: both")
	dir := flag.String("dir", "", "where the databases are made and left; empty: a temporary folder")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if flag.NArg() > 0 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: traces [-n 100000] [-kills 500] [-mode order|paths] [-dir FOLDER]")
		os.Exit(2)
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "traces: "+err.Error())
			os.Exit(2)
		}
		defer pprof.StopCPUProfile()
	}
	if err := all(*dir, *only, *n, *kills); err != nil {
		fmt.Fprintln(os.Stderr, "traces: "+err.Error())
		os.Exit(1)
	}
}

func all(dir, only string, n, kills int) error {
	if dir == "" {
		tmp, err := os.MkdirTemp("", "hocket-traces-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	for _, mode := range []string{"order", "paths"} {
		if only != "" && only != mode {
			continue
		}
		if err := measure(filepath.Join(dir, mode), mode, n); err != nil {
			return fmt.Errorf("%s: %w", mode, err)
		}
	}
	if kills > 0 {
		return killed(filepath.Join(dir, "kills"), kills)
	}
	return nil
}

func measure(dir, mode string, n int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	ctx := context.Background()
	var dbs, files [2]string
	for i := range dbs {
		files[i] = filepath.Join(dir, fmt.Sprint("runs", i+1))
		dbs[i] = filepath.Join(dir, fmt.Sprint("db", i+1))
		tokens, err := makeFile(files[i], mode, n, uint64(i))
		if err != nil {
			return err
		}
		took, m, err := merge(ctx, dbs[i], files[i])
		if err != nil {
			return err
		}
		fmt.Printf("%-6s %d: %d runs, %.0f tokens a run; exported %s; merged into an empty database in %s: %s\n",
			mode, i+1, m.New, float64(tokens)/float64(n), mb(files[i]), took, mb(dbs[i]))
	}
	took, m, err := merge(ctx, dbs[0], dbs[1])
	if err != nil {
		return err
	}
	fmt.Printf("%-6s 2 merged into 1 in %s: %d new of %d; %s\n", mode, took, m.New, m.Runs, mb(dbs[0]))
	took, m, err = merge(ctx, dbs[0], files[1])
	if err != nil {
		return err
	}
	fmt.Printf("%-6s 2 merged into 1 again in %s: %d new of %d\n", mode, took, m.New, m.Runs)
	return use(ctx, dbs[0], mode)
}

// use asks what a search asks, lists, and prunes.
func use(ctx context.Context, path, mode string) error {
	db, err := tracedb.Open(ctx, path, tracedb.Options{Doing: "bench/traces"})
	if err != nil {
		return err
	}
	defer db.Close()
	start := time.Now()
	groups, err := db.Groups()
	if err != nil {
		return err
	}
	listed := time.Since(start)
	run, err := db.Run("last")
	if err != nil {
		return err
	}
	var worst, sum time.Duration
	asked := 0
	th := run.Threads[1]
	for at := 0; at < len(th.Tokens); at += 1 + len(th.Tokens)/50 {
		start := time.Now()
		if _, err := db.Continue(tracedb.Query{Program: run.Program, Site: th.Site, Prefix: th.Tokens[:at], N: 10}); err != nil {
			return err
		}
		took := time.Since(start)
		worst, sum, asked = max(worst, took), sum+took, asked+1
	}
	end := since()
	p, err := db.Prune(ctx, tracedb.Policy{Keep: groups[0].Runs / 2})
	if err != nil {
		return err
	}
	fmt.Printf("%-6s %d runs, %d distinct, listed in %.2f s; ten continuations of a prefix in %.2f ms, at most %.0f ms; pruned to %d runs in %s: %.1f MB\n",
		mode, groups[0].Runs, groups[0].Distinct, listed.Seconds(), 1e3*sum.Seconds()/float64(asked), 1e3*worst.Seconds(), p.Runs, end(), float64(p.Size)/1e6)
	return nil
}

// spent is what something took: wall-clock time, and CPU time of this process.
type spent struct{ wall, cpu time.Duration }

func (s spent) String() string {
	return fmt.Sprintf("%.1f s (%.1f s of CPU)", s.wall.Seconds(), s.cpu.Seconds())
}

// since begins to count; the result ends it.
func since() func() spent {
	start, cpu := time.Now(), cpuTime()
	return func() spent { return spent{time.Since(start), cpuTime() - cpu} }
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func merge(ctx context.Context, into, from string) (spent, tracedb.Merged, error) {
	end := since()
	db, err := tracedb.Open(ctx, into, tracedb.Options{Doing: "bench/traces"})
	if err != nil {
		return spent{}, tracedb.Merged{}, err
	}
	m, err := db.Merge(ctx, from)
	if err2 := db.Close(); err == nil {
		err = err2
	}
	return end(), m, err
}

// makeFile writes n runs to an exported file, and returns how many tokens they
// have.
func makeFile(name, mode string, n int, seed uint64) (tokens int, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	w, err := tracedb.NewWriter(f)
	if err != nil {
		return 0, err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		r := makeRun(mode, i, rng)
		for _, t := range r.Threads {
			tokens += len(t.Tokens)
		}
		if err := w.Add(r); err != nil {
			return 0, err
		}
	}
	return tokens, w.Close()
}

func mb(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.1f MB", float64(info.Size())/1e6)
}
