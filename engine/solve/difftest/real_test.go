package difftest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/run/sim/minigo"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/trace"
)

// Programs under Go's runtime do what the enumeration says that they can do.
func TestGo(t *testing.T) {
	const programs, schedules = 40, 30
	var all []*sample
	for seed := *seed0; len(all) < programs**times; seed++ {
		if s := draw(seed, 30_000, minigo.Size{Threads: 3, Steps: 3, Racy: true}); s != nil {
			all = append(all, s)
		}
	}
	bin := buildGo(t, all)
	for i, s := range all {
		t.Run(fmt.Sprint(s.seed), func(t *testing.T) {
			t.Parallel()
			p, err := process.New(bin, site.NewIndex(bin.Path))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			for n := range uint64(schedules) {
				spec := run.Spec{
					Strategy: []run.Strategy{run.POS, run.Random}[n%2], Seed: n, Args: []string{fmt.Sprint(i)},
					Schedule: trace.Schedule{SelectSeed: n},
				}
				res, err := p.Run(context.Background(), spec)
				if err != nil {
					t.Fatal(err)
				}
				if end := endOf(s, res); !s.all.Ends[end] {
					t.Fatalf("schedule %d ended as %q (%s %q)\nwhat can be: %v\n%v", n, end, res.Outcome.Kind, res.Outcome.Output, s.all.Ends, s.program)
				}
			}
		})
	}
}

// sample is a random program and all that it can do.
type sample struct {
	seed    uint64
	program *minigo.Program
	all     *minigo.Behaviour
}

// draw makes the program of a seed; nil if it has too many states.
func draw(seed uint64, limit int, size minigo.Size) *sample {
	p := minigo.Generate(rand.New(rand.NewPCG(seed, 11)), size)
	if all := minigo.Enumerate(p, limit); all != nil {
		return &sample{seed, p, all}
	}
	return nil
}

// buildGo builds one program that takes the number of a sample.
func buildGo(t *testing.T, all []*sample) *instrument.Binary {
	t.Helper()
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"runtime\"\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar _ = runtime.Gosched\nvar _ sync.Mutex\nvar _ atomic.Int64\n" + minigo.Prelude)
	for i, s := range all {
		b.WriteString("\n")
		s.program.Source(&b, fmt.Sprintf("program%d", i))
	}
	b.WriteString("\nfunc main() {\n\tswitch os.Args[1] {\n")
	for i := range all {
		fmt.Fprintf(&b, "\tcase \"%d\":\n\t\tprogram%d()\n", i, i)
	}
	b.WriteString("\t}\n\t_ = fmt.Sprint\n}\n")
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": b.String(), "go.mod": "module programs\n\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bin, err := instrument.NewBuilder(t.TempDir()).Control(context.Background(), instrument.Target{Dir: dir, ImportPath: "programs", Entry: "main"})
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// endOf is how a run ended, in the words of minigo.Behaviour.Ends.
func endOf(s *sample, r *run.Result) string {
	last := make([]uint64, len(s.program.Threads))
	for line := range strings.Lines(r.Outcome.Output) {
		name, h, ok := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.Atoi(strings.TrimPrefix(name, "thread "))
		if ok && err == nil && n < len(last) {
			last[n], _ = strconv.ParseUint(h, 16, 64)
		}
	}
	return minigo.End(failureOf(r.Outcome), last)
}

func failureOf(o trace.Outcome) string {
	switch o.Kind {
	case trace.Passed, trace.Raced:
		return ""
	case trace.Deadlocked, trace.Leaked:
		return string(o.Kind)
	}
	return o.Message
}
