package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/hocket-dev/hocket/bench/harness"
	"github.com/hocket-dev/hocket/bench/papers"
	"github.com/hocket-dev/hocket/bench/table"
	"github.com/hocket-dev/hocket/engine/build"
	"github.com/hocket-dev/hocket/engine/rt"
	"github.com/hocket-dev/hocket/engine/target"
)

// told is what the papers say that recording paths costs: Table 1 of Cortex, Table 2 of
// CLAP, and the text of Symbiosis, which is 1 to 34 % in all.
var told = map[string]string{
	"account": "Cortex 18.1 %", "critical": "Cortex 17.3 %", "exmcr": "Cortex 17.1 %", "pingpong": "Cortex 18.9 %", "piper": "Cortex 18.6 %",
	"airline": "Cortex 9.1 %", "garage": "Cortex 6.7 %", "bubblesort": "Cortex 13.4 %", "manager": "Cortex 16.4 %", "loader": "Cortex 2.4 %",
	"stringbuf": "Cortex 19.9 %", "ticketorder": "Cortex 9.5 %", "bufwriter": "Cortex 20.4 %", "pool": "Cortex 2.5 %",
	"cache4j-s": "Cortex 18.4 %", "cache4j-m": "Cortex 20 %", "cache4j-l": "Cortex 21.7 %",
	"crasher": "Symbiosis 25.4 %", "pbzip2-m": "Symbiosis 1.3 %, CLAP 9.3 %", "pfscan": "CLAP 92.6 %",
	"TestSwarm": "CLAP 48.5 %", "TestAget": "CLAP 17 %", "TestApache": "CLAP 19 %", "TestRacey": "CLAP 269 %",
}

// least is how much processor time a plain run is to take: tests are repeated until then.
const least = 150 * time.Millisecond

// papers measures what both ways of recording cost on the programs of the papers, with
// their bugs fixed so that they pass, beside -race, by turns.
func (o *options) papers(ctx context.Context) error {
	only, err := regexp.Compile(o.run)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("/dev/shm", "hocket-papers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	type program struct{ name, dir, test string }
	var all []program
	made, err := papers.Programs(tmp, "")
	if err != nil {
		return err
	}
	for _, p := range made {
		all = append(all, program{p.Name, p.Fixed, p.Entry})
	}
	for _, test := range []string{"TestSimRace", "TestAget", "TestSwarm", "TestApache", "TestRacey", "TestBakery", "TestDekker", "TestPeterson"} {
		all = append(all, program{test, "bench/record/testdata/clap", test})
	}
	out := table.New(o.w, "program       ", "times", "plain  ", "order   ", "paths   ", "-race   ", "the papers")
	for _, p := range all {
		if !only.MatchString(p.name) {
			continue
		}
		m := &paper{test: p.test, tmp: tmp, cpu: map[string][]time.Duration{}}
		if err := m.measure(ctx, p.dir, o.rounds); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			fmt.Fprintf(o.w, "%s: %v\n", p.name, err)
			continue
		}
		plain := m.cpu["plain"]
		out.Row(p.name, m.times, median(plain).Round(time.Millisecond), more(plain, m.cpu["order"]), more(plain, m.cpu["paths"]), more(plain, m.cpu["race"]), told[p.name])
	}
	return nil
}

// paper is one program of the papers; times are processor time, a round each.
type paper struct {
	test, tmp string
	times     int // that the test runs in a process
	cpu       map[string][]time.Duration
}

func (m *paper) measure(ctx context.Context, dir string, rounds int) error {
	env, err := target.LoadEnv(ctx, dir)
	if err != nil {
		return err
	}
	bins := map[string]string{}
	for way, flag := range map[string]string{"plain": "-race=false", "race": "-race"} {
		bins[way] = filepath.Join(m.tmp, way)
		cmd := exec.CommandContext(ctx, "go", "test", "-c", flag, "-o", bins[way], ".")
		cmd.Dir = env.Dir
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build with %s: %w: %s", flag, err, text)
		}
	}
	for m.times = 1; ; m.times *= 4 {
		cpu, err := m.once(ctx, bins["plain"], env.Dir)
		if err != nil {
			return err
		}
		if cpu >= least || m.times > 1<<16 {
			break
		}
	}
	ts, _, err := target.Discover(ctx, env, target.Query{Run: "^" + m.test + "$"})
	if err != nil {
		return err
	}
	d, err := build.New(env)
	if err != nil {
		return err
	}
	defer d.Close()
	bin, err := d.Program(ctx, ts[0], target.Flags{}, build.Record)
	if err != nil {
		return err
	}
	paths, err := harness.BuildPaths(ctx, env.Dir, m.test, []string{m.count()})
	if err != nil {
		return err
	}
	defer paths.Close()
	for range rounds {
		for _, way := range []string{"plain", "order", "paths", "race"} {
			var cpu time.Duration
			switch way {
			case "order":
				cpu, err = m.order(ctx, bin.Path, env.Dir)
			case "paths":
				r, failed := paths.Run(ctx, harness.PathOptions{Unread: true})
				if err = failed; err == nil {
					cpu = r.CPU
				}
			default:
				cpu, err = m.once(ctx, bins[way], env.Dir)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", way, err)
			}
			m.cpu[way] = append(m.cpu[way], cpu)
		}
	}
	return nil
}

func (m *paper) count() string { return fmt.Sprint("-test.count=", m.times) }

// order is a run that records the order of synchronisation.
func (m *paper) order(ctx context.Context, bin, dir string) (time.Duration, error) {
	logs, err := os.MkdirTemp(m.tmp, "logs")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(logs)
	return m.once(ctx, bin, dir, rt.EnvRecord+"="+logs)
}

// once runs the test as often as it is repeated, and returns the processor time.
func (m *paper) once(ctx context.Context, bin, dir string, env ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, bin, "-test.run=^"+m.test+"$", m.count())
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %.300s", err, text)
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
