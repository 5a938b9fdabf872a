// Command breakcost measures the cost of concurrent breakpoints that are set
// but never hit, with one of their two places hot and the other never reached,
// on three CPU-bound programs.
//
//	go run ./bench/breakcost [-rounds 7] [-seconds 1.5] [-only sort,nbody,dedup] [-injected=false]
//
// The programs are built plain, with calls of package breakpoints that are off,
// and with the same calls on; the three are run in turn. "injected" uses
// `hocket break`: the source is not changed, and hocket runs it with and
// without the breakpoint in turn. The change against plain is the median over
// the rounds of each round's ratio, with its 95 % interval; cpu is the change
// of user and system time, and the verdict is about that: other work on the
// machine hardly affects it.
//
// By the clock a hot place pauses three times for its timeout of 100 ms, and
// then 0.5 % of the time: "ms added" are mostly those pauses, so that wall % is
// small in long runs only (-seconds 40 -rounds 3 shows it), and means little on
// a loaded machine: the load is printed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/breakpoints"
)

type options struct {
	rounds   int
	seconds  float64
	only     string
	injected bool
	source   string
}

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 7, "runs of each kind")
	flag.Float64Var(&o.seconds, "seconds", 1.5, "about how long a run takes")
	flag.StringVar(&o.only, "only", "", "names of the programs to run, separated by commas")
	flag.BoolVar(&o.injected, "injected", true, "measure hocket break too")
	flag.StringVar(&o.source, "source", "bench/breakcost/testdata", "folder of the programs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "breakcost: "+err.Error())
		os.Exit(1)
	}
}

var programs = []string{"sort", "nbody", "dedup"}

func run(ctx context.Context, w io.Writer, o options) error {
	tmp, err := os.MkdirTemp("", "hocket-breakcost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	fmt.Fprintf(w, "%d processors, load %s\n\n", runtime.NumCPU(), load())
	t := table.New(w, "program ", "kind    ", "ms      ", "ms added", "wall %", "95 % of it     ", "cpu %  ", "95 % of it     ", "at most 2 % cpu")
	for _, name := range programs {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), name) {
			continue
		}
		p := program{name: name, source: filepath.Join(o.source, name), tmp: filepath.Join(tmp, name)}
		if err := p.measure(ctx, t, o); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	fmt.Fprintf(w, "\nload %s\n", load())
	return nil
}

// load is the machine's load average, where there is one to read.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(data))[:3], " ")
}

type program struct {
	name, source, tmp string
	size              string // its argument
}

// kinds of builds and how they are run.
var kinds = []struct {
	name, tags, env string
}{
	{"plain", "", ""},
	{"off", "points", ""},
	{"set", "points", breakpoints.EnvEnable + "=all"},
}

// cost is what one run took.
type cost struct{ wall, cpu time.Duration }

func (p *program) measure(ctx context.Context, t *table.Table, o options) error {
	if err := os.MkdirAll(p.tmp, 0o755); err != nil {
		return err
	}
	for _, k := range kinds {
		build := exec.CommandContext(ctx, "go", "build", "-tags", k.tags, "-o", p.exe(k.name), "./"+filepath.ToSlash(p.source))
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("build: %v: %s", err, out)
		}
	}
	if err := p.choose(ctx, o.seconds); err != nil {
		return err
	}
	costs := make([][]cost, len(kinds))
	for round := range o.rounds {
		for i := range kinds {
			i = (i + round) % len(kinds) // each kind is first equally often
			c, err := p.once(ctx, i)
			if err != nil {
				return err
			}
			costs[i] = append(costs[i], c)
		}
	}
	for i, k := range kinds {
		p.row(t, k.name, costs[0], costs[i])
	}
	if !o.injected {
		return nil
	}
	plain, set, err := p.injected(ctx, o.rounds)
	if err != nil {
		return fmt.Errorf("injected: %w", err)
	}
	p.row(t, "injected", plain, set)
	return nil
}

func (p *program) row(t *table.Table, kind string, plain, costs []cost) {
	wall, cpu := changes(plain, costs)
	ms := medianWall(costs)
	t.Row(p.name, kind, ms, ms-medianWall(plain), wall.median, wall.interval(), cpu.median, cpu.interval(), cpu.verdict(most))
}

// most is what breakpoints that are never hit may cost, in percent.
const most = 2

func (p *program) exe(kind string) string { return filepath.Join(p.tmp, kind) }

// choose finds a size with which the plain program takes about so long.
func (p *program) choose(ctx context.Context, seconds float64) error {
	for n := 1; ; n *= 2 {
		p.size = fmt.Sprint(n)
		c, err := p.once(ctx, 0)
		if err != nil {
			return err
		}
		if took := c.wall.Seconds(); took > seconds/8 {
			p.size = fmt.Sprint(max(1, int(float64(n)*seconds/took)))
			return nil
		}
	}
}

func (p *program) once(ctx context.Context, kind int) (cost, error) {
	cmd := exec.CommandContext(ctx, p.exe(kinds[kind].name), p.size)
	cmd.Env = append(os.Environ(), kinds[kind].env)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "true true\n" {
		return cost{}, fmt.Errorf("%s: %v: %s", kinds[kind].name, err, out)
	}
	return cost{time.Since(start), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}, nil
}
