package difftest_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hocket-dev/hocket/engine/instrument"
	"github.com/hocket-dev/hocket/engine/run"
	"github.com/hocket-dev/hocket/engine/run/process"
	"github.com/hocket-dev/hocket/engine/search"
	"github.com/hocket-dev/hocket/engine/site"
	"github.com/hocket-dev/hocket/engine/solve/native"
	"github.com/hocket-dev/hocket/engine/trace"
)

var (
	brutePrograms  = flag.Int("difftest.brute", 30, "how many programs have all their schedules run")
	bruteSchedules = flag.Int("difftest.schedules", 50, "schedules of a program that are run at most; drawn at random if there are more")
	bruteTime      = flag.Duration("difftest.cpu", 3*time.Minute, "processor time after which no further program is begun")
)

// What exploration proves of programs on Go's runtime holds against a search of
// their schedules that knows no model: no run fails in a way that it has not
// shown, and no goroutine learns anything that it has not.
func TestProofsHoldOnGo(t *testing.T) {
	n := *brutePrograms * *times
	var functions []string
	for i := range n {
		rng := rand.New(rand.NewPCG(*seed0+uint64(i), 23))
		functions = append(functions, generateBricks(rng, fmt.Sprintf("program%d", i)))
	}
	bin := buildSource(t, bricksSource(functions))
	if len(bin.Blind) > 0 {
		t.Fatalf("nothing would be proved of programs that call %v", bin.Blind)
	}
	p, err := process.New(bin, site.NewIndex(bin.Path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	tally := &bruteTally{doubts: map[string]int{}}
	begun := processorTime()
	for i, f := range functions {
		if processorTime()-begun > *bruteTime {
			break
		}
		tally.compare(t, p, i, f)
	}
	t.Log(tally)
	if tally.proved*3 < tally.programs {
		t.Errorf("few programs are covered: %v", tally)
	}
}

// processorTime is what the processes run so far have taken, and this one.
func processorTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// buildSource builds a main package of one file under control.
func buildSource(t *testing.T, src string) *instrument.Binary {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": src, "go.mod": "module programs\n\ngo 1.26\n"} {
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

// bruteTally counts what was compared.
type bruteTally struct {
	programs, proved, clean, whole   int
	explored, schedules, strays, cut int
	doubts                           map[string]int
}

func (c *bruteTally) String() string {
	s := fmt.Sprintf("%d programs, %d covered by %d runs, %d of them clean; %d schedules run, all of %d programs, %d strays",
		c.programs, c.proved, c.explored, c.clean, c.schedules, c.whole, c.strays)
	for _, d := range slices.Sorted(maps.Keys(c.doubts)) {
		s += fmt.Sprintf("\n%4d: %s", c.doubts[d], d)
	}
	return s
}

// compare explores one program and, if that says that it is covered, tries its
// schedules by force.
func (c *bruteTally) compare(t *testing.T, p *process.Runner, i int, source string) {
	t.Helper()
	base := run.Spec{Args: []string{fmt.Sprint(i)}}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	known := ends{}
	proved, why, runs := exploreReal(ctx, t, p, base, known, 200)
	c.programs++
	c.explored += runs
	if !proved {
		c.doubts[why]++
		return
	}
	c.proved++
	if known.clean() {
		c.clean++
	}
	seen := ends{}
	b := &brute{runner: p, base: base, limit: *bruteSchedules, rng: rand.New(rand.NewPCG(uint64(i), *seed0))}
	if err := b.each(ctx, seen.add); err != nil {
		t.Fatalf("program %d: %v\n%s", i, err, source)
	}
	c.schedules += b.runs
	c.strays += b.strays
	if b.all {
		c.whole++
	}
	if more := seen.beyond(known); len(more) > 0 {
		t.Errorf("program %d (seed %d): %s, but there is also %q beside %q\n%s", i, *seed0+uint64(i), why, more, known.names(), source)
	}
	if b.strays > 0 {
		t.Errorf("program %d: %d of %d schedules were not followed\n%s", i, b.strays, b.runs, source)
	}
}

// exploreReal runs all that the solver finds to run, up to a number of runs.
func exploreReal(ctx context.Context, t *testing.T, p run.Runner, base run.Spec, saw ends, most int) (proved bool, why string, runs int) {
	t.Helper()
	s := search.NewExplore(native.New())
	for runs < most {
		spec, ok := s.Next(ctx, runs)
		if !ok && !s.Waits() {
			break
		}
		if !ok {
			continue
		}
		spec.Args, spec.Schedule.Delay = base.Args, int64(time.Hour)
		r, err := p.Run(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		runs++
		saw.add(r)
		spec.Args = nil
		s.Observe(spec, r)
	}
	proved, why = s.Proved()
	return proved, why, runs
}

// ends are what runs were seen to come to: failures, and the histories of
// goroutines that came to their end.
type ends map[string]bool

func (s ends) add(r *run.Result) {
	switch f := failureOf(r.Outcome); {
	case r.Outcome.Kind == trace.Deadlocked, r.Outcome.Kind == trace.Leaked:
		s["waits for ever"] = true
	case f != "":
		s[f] = true
	}
	if len(r.Races) > 0 {
		s["data race"] = true
	}
	for line := range strings.Lines(r.Outcome.Output) {
		if strings.HasPrefix(line, "thread ") {
			s[strings.TrimSpace(line)] = true
		}
	}
}

func (s ends) clean() bool {
	return !slices.ContainsFunc(s.names(), func(n string) bool { return !strings.HasPrefix(n, "thread ") })
}

func (s ends) names() []string { return slices.Sorted(maps.Keys(s)) }

func (s ends) beyond(known ends) (out []string) {
	for _, n := range s.names() {
		if !known[n] {
			out = append(out, n)
		}
	}
	return out
}
