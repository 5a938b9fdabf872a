// Command paths measures what recording paths costs: CPU time and log of each
// program of a folder, beside the plain program and one with -race.
//
//	go run ./bench/paths [-n 7] [-only name,name] [-race=false] [FOLDER]
//
// Each round runs every build once, one after another, so that other load of the
// machine meets all alike; the figure is the median of the rounds' ratios of CPU time
// (user and system), in brackets the ratio of the least. FOLDER holds a main package
// in each subfolder; without it, the programs of this command are taken.
package main

import (
	"bytes"
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/engine/tracedb"
)

//go:embed programs
var programs embed.FS

func main() {
	rounds := flag.Int("n", 7, "rounds")
	only := flag.String("only", "", "names of programs, with commas between; empty: all")
	race := flag.Bool("race", true, "with -race beside it, which needs cgo")
	flag.Parse()
	if flag.NArg() > 1 || *rounds < 1 {
		fmt.Fprintln(os.Stderr, "usage: paths [-n 7] [-only name,name] [-race=false] [FOLDER]")
		os.Exit(2)
	}
	if err := all(context.Background(), flag.Arg(0), *only, *rounds, *race); err != nil {
		fmt.Fprintln(os.Stderr, "paths: "+err.Error())
		os.Exit(1)
	}
}

func all(ctx context.Context, folder, only string, rounds int, race bool) error {
	tmp, err := os.MkdirTemp("", "hocket-paths-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if folder == "" {
		sub, err := fs.Sub(programs, "programs")
		if err != nil {
			return err
		}
		folder = filepath.Join(tmp, "programs")
		if err := os.CopyFS(folder, sub); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module example.com/programs\n\ngo 1.26\n"), 0o666); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var ratios []float64
	fmt.Printf("%-10s %8s %18s %18s  %10s %9s %7s %7s %9s\n", "", "plain", "paths", "-race", "recorded", "branches", "of", "log", "a branch")
	for _, e := range entries {
		if !e.IsDir() || only != "" && !slices.Contains(strings.Split(only, ","), e.Name()) {
			continue
		}
		p := &measured{name: e.Name(), dir: filepath.Join(folder, e.Name()), tmp: tmp, race: race}
		if err := p.measure(ctx, rounds); err != nil {
			fmt.Printf("%-10s %v\n", e.Name(), err)
			continue
		}
		ratios = append(ratios, p.ratio(p.paths))
	}
	if len(ratios) > 0 {
		slices.Sort(ratios)
		fmt.Printf("median %+.0f %%, worst %+.0f %%\n", 100*(ratios[len(ratios)/2]-1), 100*(ratios[len(ratios)-1]-1))
	}
	return nil
}

// measured is one program; times are CPU, a round each.
type measured struct {
	name, dir, tmp       string
	race                 bool
	plain, paths, races  []time.Duration
	records, raw, packed int
}

func (p *measured) measure(ctx context.Context, rounds int) error {
	plain, raced := filepath.Join(p.tmp, p.name), filepath.Join(p.tmp, p.name+".race")
	if err := p.build(ctx, plain); err != nil {
		return err
	}
	if p.race {
		if err := p.build(ctx, raced, "-race"); err != nil {
			return err
		}
	}
	rec, err := harness.BuildPaths(ctx, p.dir, "", nil)
	if err != nil {
		return err
	}
	defer rec.Close()
	for i := range rounds + 1 {
		cpu, err := p.run(ctx, plain)
		if err != nil {
			return err
		}
		r, err := rec.Run(ctx, harness.PathOptions{Size: 1 << 30, Unread: i > 0})
		if err != nil {
			return err
		}
		if r.Outcome != tracedb.Passed {
			return fmt.Errorf("recording: %s %s", r.Outcome, r.Failure)
		}
		if i == 0 { // the first warms up
			if r.Log.Full {
				return fmt.Errorf("the log was full")
			}
			p.records, p.raw = r.Log.Records, int(r.Log.Bytes)
			if p.packed, err = packed(r.Run); err != nil {
				return err
			}
			continue
		}
		p.plain, p.paths = append(p.plain, cpu), append(p.paths, r.CPU)
		if p.race {
			if cpu, err = p.run(ctx, raced); err != nil {
				return err
			}
			p.races = append(p.races, cpu)
		}
	}
	p.print(len(rec.Program.Sites), rec.Places)
	return nil
}

func (p *measured) build(ctx context.Context, out string, flags ...string) error {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build"}, flags...), "-o", out, ".")...)
	cmd.Dir = p.dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %v: %w: %s", flags, err, bytes.TrimSpace(text))
	}
	return nil
}

func (p *measured) run(ctx context.Context, bin string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, bin)
	cmd.Env = append(os.Environ(), "GORACE=exitcode=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", bin, err, bytes.TrimSpace(text))
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

// packed is the size of an exported file with the run.
func packed(r *tracedb.Run) (int, error) {
	var b bytes.Buffer
	w, err := tracedb.NewWriter(&b)
	if err != nil {
		return 0, err
	}
	if err := w.Add(r); err != nil {
		return 0, err
	}
	err = w.Close()
	return b.Len(), err
}

func (p *measured) print(recorded, places int) {
	race := "-"
	if len(p.races) > 0 {
		race = fmt.Sprintf("%.1fx (%.1fx)", p.ratio(p.races), least(p.races)/least(p.plain))
	}
	fmt.Printf("%-10s %7.2fs %+8.0f %% (%+.0f %%) %18s  %10d %9d %7d %6.1fM %8.4fB\n", p.name, least(p.plain), 100*(p.ratio(p.paths)-1), 100*(least(p.paths)/least(p.plain)-1),
		race, p.records, recorded, places, float64(p.raw)/1e6, float64(p.packed)/float64(max(1, p.records)))
}

func least(ds []time.Duration) float64 { return slices.Min(ds).Seconds() }

// ratio is the median of the rounds' ratios to the plain program.
func (p *measured) ratio(ds []time.Duration) float64 {
	var rs []float64
	for i := range ds {
		rs = append(rs, ds[i].Seconds()/p.plain[i].Seconds())
	}
	slices.Sort(rs)
	return rs[len(rs)/2]
}
